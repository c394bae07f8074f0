"""What has a board: each kind says in one class what its board, the lines and the files of its thread hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.domain.content import Content

if TYPE_CHECKING:  # the context holds the subjects
    from bot.workflows.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file for a board's thread. ``name`` and ``title`` are its own in this thread: it is found again by them."""

    name: str
    content: bytes
    title: str
    alt: str
    """What it shows, in words."""
    comment: str
    """mrkdwn of the message; foreign parts must have been escaped."""


class Subject(Protocol):
    """What boards of one kind say. None: there is nothing to say any more, and nothing is posted."""

    async def board(self, ctx: "Context", id: str) -> Content | None:  # noqa: A002 - what it is
        """The message itself, as things stand now."""
        ...

    async def line(self, ctx: "Context", id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        """One message in the thread."""
        ...

    async def file(self, ctx: "Context", id: str, payload: Mapping[str, object]) -> Attachment | None:  # noqa: A002
        """One file in the thread."""
        ...
