"""Something that can be done with a file: how it is offered, and what happens when somebody chooses it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.domain.files.dropped import DroppedFile
from bot.workflows.context import Context
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.replies import Reply

Start = Callable[[Dependencies, Click, DroppedFile], Awaitable[Reply]]


def _always(_: object) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAction:
    """One button of an offer.

    Attributes:
        name: its word in ids, e.g. ``gender``; never changes, because buttons stand in old messages.
        label: what the button says; others rely on it.
        fits: whether it can be done with this file, by kind and format.
        suggested: whether it is offered below this file unasked; the shortcut *Use this file* has all that fits.
        start: what a click does; ``click.trigger_id`` opens a form. The file was looked at again just before.
        works: whether what it needs is configured here; where it is not, it is not offered.
    """

    name: str
    label: str
    fits: Callable[[DroppedFile], bool]
    start: Start
    suggested: Callable[[DroppedFile], bool] = _always
    works: Callable[[Context], bool] = _always
