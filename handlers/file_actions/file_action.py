"""An action on a file: how it is offered, and what choosing it does."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.domain.files.dropped import DroppedFile
from bot.workflows.context import OfferedAction
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.replies import Reply

Start = Callable[[Dependencies, Click, DroppedFile], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAction(OfferedAction):
    """One button of an offer.

    Attributes:
        start: handles a click; ``click.trigger_id`` opens a form. The file was read again just before.
    """

    start: Start
