"""What can be done with a file, as far as offering it goes; doing it is the business of ``handlers.file_actions``."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from bot.domain.files.dropped import DroppedFile

if TYPE_CHECKING:  # the context holds what is offered
    from bot.workflows.context import Context


class Usable(Protocol):
    """Something that can be done with a file."""

    @property
    def name(self) -> str:
        """Its word in ids."""
        ...

    @property
    def label(self) -> str:
        """What its button says."""
        ...

    @property
    def fits(self) -> Callable[[DroppedFile], bool]:
        """Whether it can be done with this file."""
        ...

    @property
    def suggested(self) -> Callable[[DroppedFile], bool]:
        """Whether it is offered below this file unasked."""
        ...

    @property
    def works(self) -> "Callable[[Context], bool]":
        """Whether what it needs is configured here."""
        ...


def fitting(ctx: "Context", file: DroppedFile) -> list[Usable]:
    """What can be done with this file here, in the order in which it is offered; what is not suggested comes last."""
    fit = [use for use in ctx.uses if use.works(ctx) and use.fits(file)]
    return sorted(fit, key=lambda use: not use.suggested(file))


def suggested(ctx: "Context", file: DroppedFile) -> list[Usable]:
    """What is offered below this file; *Use this file* has everything that fits."""
    return [use for use in fitting(ctx, file) if use.suggested(file)]
