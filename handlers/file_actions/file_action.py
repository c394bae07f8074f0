"""An action on a file: how it is offered, and what choosing it does."""

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
        name: its name in ids, e.g. ``gender``; never changes, because old messages keep their buttons.
        label: text of the button; other texts quote it.
        fits: whether it can be done with this file, by kind and format.
        suggested: whether it is offered below this file automatically; the shortcut *Use this file* lists all that fit.
        start: handles a click; ``click.trigger_id`` opens a form. The file was read again just before.
        works: whether its services are configured; if not, it is not offered.
    """

    name: str
    label: str
    fits: Callable[[DroppedFile], bool]
    start: Start
    suggested: Callable[[DroppedFile], bool] = _always
    works: Callable[[Context], bool] = _always
