"""Fields of a service's JSON, whatever it calls them, and reports of answers that could not be read.

Names are the alternatives a route's ``reply`` gives; unset fields come as null or as an empty string, so the
first alternative that is filled counts. The only error raised is ``ValueError``, mostly an ``Unfit``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import product
from typing import Final, Generic, Protocol, TypeVar, cast

import structlog

from bot.clients.routes import Route
from bot.domain.money import Cents, cents_of
from bot.domain.outcome import ENVELOPES, NO_JSON, Reply
from bot.domain.text import one_line
from bot.domain.unread import WRAPPERS, DocumentShape, UnreadAnswer, Wanted, kind_of, looked_for, shape_of

_MAX_NUMBER_TEXT: Final = 40
_MAX_COUNT: Final = 10**12
_FLAGS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

Names = tuple[str, ...]


class Unfit(ValueError):
    """The document is not the record: in the object ``at``, ``names`` are missing or hold a value that does not fit."""

    def __init__(self, problem: str, at: object = None, *names: Names) -> None:
        super().__init__(problem)
        self.at = at
        self.names = names


class Partly(Unfit):
    """The document is the record, but for a field that is kept as it came; ``found``: what was read."""

    def __init__(self, found: object, problem: str, at: object = None, *names: Names) -> None:
        super().__init__(problem, at, *names)
        self.found = found


def as_object(document: object) -> dict[str, object]:
    """The document, when it is a JSON object."""
    if not isinstance(document, dict):
        raise Unfit("no object", document)
    return document


def value(body: Mapping[str, object], names: Names) -> object:
    """The first of the names that is filled; None when none is."""
    for name in names:
        found = body.get(name)
        if found is not None and found != "":
            return found
    return None


def text(body: Mapping[str, object], names: Names) -> str:
    """A text, or a whole number as text; empty when it is absent or something else."""
    return as_text(value(body, names))


def as_text(found: object) -> str:
    """The same of a value: one that can be stored and sent, whatever the service put into it."""
    if isinstance(found, bool) or not isinstance(found, str | int):
        return ""
    # A lone surrogate or NUL is legal in JSON, and neither in UTF-8 nor in a PostgreSQL text.
    return str(found).encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()


def line(body: Mapping[str, object], names: Names) -> str:
    """The same in one line, shortened."""
    return one_line(text(body, names))


def cents(body: Mapping[str, object], names: Names) -> Cents | None:
    """An amount of zero or more as a number or text; None when it is no exact number of cents."""
    found = signed_cents(body, names)
    return found if found is not None and found >= 0 else None


def signed_cents(body: Mapping[str, object], names: Names) -> Cents | None:
    """The same, below zero too."""
    found = value(body, names)
    # A number of hundreds of digits is no amount, and rounding it would make it look exact.
    exact = None if found is None or len(str(found)) > _MAX_NUMBER_TEXT else cents_of(found)
    return exact if exact is not None and abs(exact) <= _MAX_COUNT * 100 else None


def shown(body: Mapping[str, object], names: Names) -> str:
    """A text or any number as it came, shortened, for people to read; empty when it is something else."""
    found = value(body, names)
    return one_line(str(found)) if isinstance(found, Decimal | float) else one_line(as_text(found))


def count(body: Mapping[str, object], names: Names) -> int:
    """A whole number from zero, as a number or text."""
    found = count_or_none(body, names)
    if found is None:
        raise Unfit(f"{names[0]} is missing", body, names)
    return found


def count_or_none(body: Mapping[str, object], names: Names) -> int | None:
    """The same, None when it is absent."""
    found = value(body, names)
    if found is None:
        return None
    digits = str(found).strip()
    if isinstance(found, bool) or not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(_MAX_COUNT))):
        raise Unfit(f"{names[0]} is no count", body, names)
    return int(digits)


def flag(body: Mapping[str, object], names: Names) -> bool | None:
    """Yes or no in any usual spelling; None when it says neither."""
    found = value(body, names)
    if isinstance(found, bool):
        return found
    return _FLAGS.get(str(found).strip().casefold())


def moment(body: Mapping[str, object], names: Names) -> datetime | None:
    """An instant in ISO 8601, in UTC, which it is in already where it names no zone; None when it is none."""
    try:
        found = datetime.fromisoformat(text(body, names))
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # the first and the last day of the calendar have no neighbours
        return None


T = TypeVar("T")
_MOST_TRIED: Final = 100
"""Combinations of names with which an answer is read again, at all steps together."""
_MOST_STEPS: Final = 2
"""Further fields that may be missing once those are found."""
ReadsBy = Callable[..., object]
"""A reader of a document by routes."""
log = structlog.get_logger(__name__)


class AnswerObserver(Protocol):
    """Receiver of the reports. Returns at once and never raises."""

    def unread(self, answer: UnreadAnswer) -> None:
        """A successful answer could not be read."""

    def read(self, operation: str) -> None:
        """An answer to this operation was read."""


class TracedReader(Generic[T]):
    """A reader that keeps the exception it raised, which its caller drops."""

    def __init__(self, read: Callable[[object], T]) -> None:
        self._read = read
        self.was_read = False
        self.trouble: Exception | None = None

    def __call__(self, document: object) -> T:
        try:
            found = self._read(document)
        except Partly as partly:
            self.trouble = partly
            return cast("T", partly.found)
        except Exception as trouble:
            self.trouble = trouble
            raise
        self.was_read = True
        return found


def unwrapping(read: Callable[[object], T]) -> Callable[[object], T]:
    """The reader, also for a record in an envelope or as the only one of a list.

    For reads only: the answer to an effect has to be the record itself, else its outcome is unknown and read.
    """

    def reading(document: object) -> T:
        try:
            return read(document)
        except Partly:
            raise
        except ValueError:
            record = _wrapped(document)
            if record is None:
                raise
            return read(record)

    return reading


_AROUND: Final = frozenset(
    {"success", "ok", "status", "code", "message", "error", "errors", "meta", "timestamp", "request_id", "requestId"}
)
"""Fields around a record in an envelope."""
_FINE: Final = frozenset({"", "none", "true", "ok", "success", "0", "200", "201", "202"})


def _wrapped(document: object) -> object:
    """The one object in an envelope that tells of no error, or in a list; None: it is neither."""
    if isinstance(document, list):
        return document[0] if len(document) == 1 and isinstance(document[0], dict) else None
    if not isinstance(document, dict):
        return None
    inner = [name for name in ENVELOPES if isinstance(document.get(name), dict | list)]
    marks = {str(document.get(name, "")).casefold() for name in ("success", "ok", "status", "code")}
    is_envelope = len(inner) == 1 and document.keys() <= _AROUND | {*inner} and marks <= _FINE
    if not is_envelope or document.get("error") or document.get("errors"):
        return None
    record = document[inner[0]]
    return record if isinstance(record, dict) else _wrapped(record)


def tell(
    answers: AnswerObserver | None,
    reply: Reply,
    *routes: Route,
    was_read: bool,
    trouble: Exception | None = None,
    read: ReadsBy | None = None,
) -> None:
    """Report whether a successful answer was read. Never raises. ``routes``: the operation, then those read besides.

    ``read``: reads the answer by these routes; only names by which it can be read are proposed.
    """
    if answers is None or not reply.is_success:
        return
    try:
        if was_read:
            answers.read(routes[0].name)
        else:
            answers.unread(_described(reply, routes, trouble, read))
    except Exception as failed:  # noqa: BLE001 - the answer counts, not what is noted about it
        # Its class only: it may quote the answer.
        log.warning("an answer could not be noted", operation=routes[0].name, error=type(failed).__name__)


def _described(
    reply: Reply, routes: tuple[Route, ...], trouble: Exception | None, read: ReadsBy | None
) -> UnreadAnswer:
    operation, status = routes[0].name, reply.status or 0
    if reply.json is NO_JSON:
        text = f"text of {reply.size} bytes" if reply.size else "empty"
        what = f"HTML page of {reply.size} bytes" if reply.is_html else text
        return UnreadAnswer(operation=operation, status=status, body=f"no JSON ({what})")
    unfit = trouble if isinstance(trouble, Unfit) else Unfit("")
    shape = shape_of(reply.json, at=unfit.at if isinstance(unfit.at, dict) else reply.json)
    wanted = _wanted(shape, unfit.names, routes)
    if read is not None:
        wanted = _helping(wanted, reply.json, routes, read, tries=iter(range(_MOST_TRIED)))
    return UnreadAnswer(
        operation=operation,
        status=status,
        body=kind_of(reply.json),
        fields=shape.fields,
        wanted=wanted,
        is_cut=shape.is_cut,
    )


def _helping(
    wanted: Sequence[Wanted],
    document: object,
    routes: tuple[Route, ...],
    read: ReadsBy,
    *,
    tries: Iterator[int],
    steps: int = _MOST_STEPS,
) -> tuple[Wanted, ...]:
    """The fields with those candidates alone by which the answer is read, one of each or none, at once or in steps."""
    combined = (names for names in product(*(("", *one.candidates) for one in wanted)) if any(names))
    tried = (names for _, names in zip(tries, combined, strict=False))
    good = [names for names in tried if _leads(wanted, names, document, routes, read, tries=tries, steps=steps)]
    helping = [{*column} for column in zip(*good, strict=True)] or [set[str]()] * len(wanted)
    return tuple(
        replace(one, candidates=tuple(name for name in one.candidates if name in names))
        for one, names in zip(wanted, helping, strict=True)
    )


def _leads(
    wanted: Sequence[Wanted],
    names: tuple[str, ...],
    document: object,
    routes: tuple[Route, ...],
    read: ReadsBy,
    *,
    tries: Iterator[int],
    steps: int,
) -> bool:
    """Whether the answer is read where these fields have these names, or lacks others only that have candidates."""
    told = {(one.section, one.name): (name,) for one, name in zip(wanted, names, strict=True) if name}
    renamed = tuple(
        replace(route, reply={ours: told.get((route.name, ours), known) for ours, known in route.reply.items()})
        for route in routes
    )
    try:
        read(document, *renamed)
    except Unfit as unfit:
        level = unfit.at if isinstance(unfit.at, dict) else document
        lacking = _wanted(shape_of(document, at=level), unfit.names, renamed)
        if not steps or told.keys() & {(one.section, one.name) for one in lacking}:
            return False
        return any(one.candidates for one in _helping(lacking, document, renamed, read, tries=tries, steps=steps - 1))
    except Exception:  # noqa: BLE001 - whatever it stumbles over
        return False
    return True


def _wanted(shape: DocumentShape, names: tuple[Names, ...], routes: tuple[Route, ...]) -> tuple[Wanted, ...]:
    """Fields that were not found; where there are any, fields that do not fit are left out."""

    def sought(route: Route, ours: str) -> Wanted:
        read = {name for alternatives in route.reply.values() for name in alternatives}
        return looked_for(shape, section=route.name, name=ours, known=route.reply[ours], read=read)

    found = []
    for theirs in names:
        owners = [(route, ours) for route in routes for ours, told in route.reply.items() if told == theirs]
        # The fields of an item inside a record are called alike, and nothing fails for them.
        found += [sought(*one) for one in owners if not one[1].startswith("item_")][:1]
    missing = [one for one in found if not one.is_there] or found
    if not missing or any(one.candidates for one in missing):
        return tuple(missing)
    # The record may lie in a field of ours that the file can name, where something is there that may be one.
    wrappers = [sought(route, name) for route in routes for name in WRAPPERS if name in route.reply]
    wrappers = [one for one in wrappers if one.candidates and not one.is_there]
    return (*(replace(one, deeper="") for one in missing), *wrappers) if wrappers else tuple(missing)
