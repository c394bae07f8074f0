"""Reports about answers: that one was parsed, or the shape of one that was not. Calls do not wait for them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, Generic, Protocol, TypeVar

import structlog

from bot.clients.reading import Names, Unfit
from bot.clients.routes import Route
from bot.domain.outcome import NO_JSON, Reply
from bot.domain.shapes import Shape, kind_of, shape_of
from bot.domain.unread import WRAPPERS, UnreadAnswer, Wanted, looked_for

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Answers(Protocol):
    """Receiver of the reports. Returns at once and never raises."""

    def unread(self, answer: UnreadAnswer) -> None:
        """A successful answer could not be read."""

    def read(self, operation: str) -> None:
        """An answer to this operation was read."""


class _Nobody:
    """Receiver that ignores every report."""

    def unread(self, answer: UnreadAnswer) -> None:
        """Ignored."""

    def read(self, operation: str) -> None:
        """Ignored."""


NOBODY: Final[Answers] = _Nobody()


class Reading(Generic[T]):
    """A reader that keeps the exception it raised, which its caller drops."""

    def __init__(self, read: Callable[[object], T]) -> None:
        self._read = read
        self.was_read = False
        self.trouble: Exception | None = None

    def __call__(self, document: object) -> T:
        """Read.

        Raises:
            Exception: whatever the reader raises.
        """
        try:
            found = self._read(document)
        except Exception as trouble:
            self.trouble = trouble
            raise
        self.was_read = True
        return found


def tell(answers: Answers, reply: Reply, *routes: Route, was_read: bool, trouble: Exception | None = None) -> None:
    """Tell of a successful answer whether it was read. Never raises: nothing depends on it.

    Args:
        answers: who is told.
        reply: the exchange; anything but a success is nobody's business here.
        routes: the operation, then those whose names of fields were read besides.
        was_read: it was.
        trouble: what the reader stumbled over.
    """
    if not reply.is_success:
        return
    try:
        if was_read:
            answers.read(routes[0].name)
        else:
            answers.unread(_described(reply, routes, trouble))
    except Exception as failed:  # noqa: BLE001 - the answer counts, not what is noted about it
        # Its class only: it may quote the answer.
        log.warning("an answer could not be noted", operation=routes[0].name, error=type(failed).__name__)


def _described(reply: Reply, routes: tuple[Route, ...], trouble: Exception | None) -> UnreadAnswer:
    operation, status = routes[0].name, reply.status or 0
    if reply.json is NO_JSON:
        return UnreadAnswer(operation=operation, status=status, body=f"no JSON ({_no_json(reply)})")
    at = trouble.at if isinstance(trouble, Unfit) and isinstance(trouble.at, dict) else reply.json
    shape = shape_of(reply.json, at=at)
    names = trouble.names if isinstance(trouble, Unfit) else ()
    return UnreadAnswer(
        operation=operation,
        status=status,
        body=kind_of(reply.json),
        fields=shape.fields,
        wanted=_wanted(shape, names, routes),
        is_cut=shape.is_cut,
    )


def _no_json(reply: Reply) -> str:
    if reply.is_html:
        return f"HTML page of {reply.size} bytes"
    return f"text of {reply.size} bytes" if reply.size else "empty"


def _wanted(shape: Shape, names: tuple[Names, ...], routes: tuple[Route, ...]) -> tuple[Wanted, ...]:
    """Fields that were not found; where there are any, fields that do not fit are left out."""
    found = [_looked_for(shape, route, ours) for route, ours in _ours(names, routes)]
    missing = [one for one in found if not one.is_there] or found
    wrappers = [] if any(one.candidates for one in missing) else _wrappers(shape, routes)
    if missing and wrappers:  # the record may lie in one of them, which the file can name
        return (*(replace(one, deeper="") for one in missing), *wrappers)
    return tuple(missing)


def _ours(names: tuple[Names, ...], routes: tuple[Route, ...]) -> Iterator[tuple[Route, str]]:
    """Whose name of ours it is that was looked for under these names."""
    for theirs in names:
        found = [(route, ours) for route in routes for ours, told in route.reply.items() if told == theirs]
        # The fields of an item inside a record are called alike, and nothing fails for them.
        yield from [one for one in found if not one[1].startswith("item_")][:1]


def _wrappers(shape: Shape, routes: tuple[Route, ...]) -> list[Wanted]:
    """Fields of ours that a record may lie in, where something is there that may be one."""
    ours = [(route, name) for route in routes for name in WRAPPERS if name in route.reply]
    found = [_looked_for(shape, route, name) for route, name in ours]
    return [one for one in found if one.candidates and not one.is_there]


def _looked_for(shape: Shape, route: Route, ours: str) -> Wanted:
    read = {name for alternatives in route.reply.values() for name in alternatives}
    return looked_for(shape, section=route.name, name=ours, known=route.reply[ours], read=read)
