"""Field readers for a service's JSON under alternative names, and reports of answers that couldn't be read.

Names are the alternatives in a route's ``reply``; unset fields come as null or as an empty string, so the
first alternative that isn't empty counts. The only error raised is ``ValueError``, mostly an ``Unfit``.
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
    """The document isn't the expected record: fields ``names`` of the object ``at`` are missing or malformed."""

    def __init__(self, problem: str, at: object = None, *names: Names) -> None:
        super().__init__(problem)
        self.at = at
        self.names = names


class Partly(Unfit):
    """The document is the record except for fields kept as they came; ``found`` is the record as read."""

    def __init__(self, found: object, problem: str, at: object = None, *names: Names) -> None:
        super().__init__(problem, at, *names)
        self.found = found


def as_object(document: object) -> dict[str, object]:
    """Return the document if it is a JSON object; raises Unfit otherwise."""
    if not isinstance(document, dict):
        raise Unfit("no object", document)
    return document


def value(body: Mapping[str, object], names: Names) -> object:
    """Return the first value under these names that isn't empty; None if all are."""
    for name in names:
        found = body.get(name)
        if found is not None and found != "":
            return found
    return None


def text(body: Mapping[str, object], names: Names) -> str:
    """Return a text, or a whole number as text; empty if it is missing or has another type."""
    return as_text(value(body, names))


def as_text(found: object) -> str:
    """Like :func:`text`, for a value: characters that can't be stored or sent are replaced."""
    if isinstance(found, bool) or not isinstance(found, str | int):
        return ""
    # JSON allows lone surrogates and NUL; UTF-8 rejects the former and PostgreSQL text the latter.
    return str(found).encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()


def line(body: Mapping[str, object], names: Names) -> str:
    """Like :func:`text`, but shortened to one line."""
    return one_line(text(body, names))


def cents(body: Mapping[str, object], names: Names) -> Cents | None:
    """Return an amount of zero or more given as a number or text; None if it isn't an exact number of cents."""
    found = signed_cents(body, names)
    return found if found is not None and found >= 0 else None


def signed_cents(body: Mapping[str, object], names: Names) -> Cents | None:
    """Like :func:`cents`, but allows negative amounts."""
    found = value(body, names)
    # A number with hundreds of digits isn't an amount, and rounding would make it look exact.
    exact = None if found is None or len(str(found)) > _MAX_NUMBER_TEXT else cents_of(found)
    return exact if exact is not None and abs(exact) <= _MAX_COUNT * 100 else None


def shown(body: Mapping[str, object], names: Names) -> str:
    """Return a text or any number as it came, shortened for display; empty if it has another type."""
    found = value(body, names)
    return one_line(str(found)) if isinstance(found, Decimal | float) else one_line(as_text(found))


def count(body: Mapping[str, object], names: Names) -> int:
    """Return a whole number of zero or more given as a number or text; raises Unfit otherwise."""
    found = count_or_none(body, names)
    if found is None:
        raise Unfit(f"{names[0]} is missing", body, names)
    return found


def count_or_none(body: Mapping[str, object], names: Names) -> int | None:
    """Like :func:`count`, but returns None if it is missing."""
    found = value(body, names)
    if found is None:
        return None
    digits = str(found).strip()
    if isinstance(found, bool) or not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(_MAX_COUNT))):
        raise Unfit(f"{names[0]} is no count", body, names)
    return int(digits)


def flag(body: Mapping[str, object], names: Names) -> bool | None:
    """Return a boolean in any usual spelling; None if it is neither."""
    found = value(body, names)
    if isinstance(found, bool):
        return found
    return _FLAGS.get(str(found).strip().casefold())


def moment(body: Mapping[str, object], names: Names) -> datetime | None:
    """Return an ISO 8601 time in UTC, assuming UTC if it has no zone; None if it is malformed."""
    try:
        found = datetime.fromisoformat(text(body, names))
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # converting the calendar's first or last day to UTC may overflow
        return None


T = TypeVar("T")
_MOST_TRIED: Final = 100
"""Combinations of names tried for one answer, in all steps together."""
_MOST_STEPS: Final = 2
"""Rounds of further missing fields to follow once the first ones are found."""
ReadsBy = Callable[..., object]
"""Reads a document by the names of routes."""
log = structlog.get_logger(__name__)


class AnswerObserver(Protocol):
    """Receiver of reports on answers. Its methods return at once and never raise."""

    def unread(self, answer: UnreadAnswer) -> None:
        """Record a successful answer that couldn't be read."""

    def read(self, operation: str) -> None:
        """Record that an answer to this operation was read."""


class TracedReader(Generic[T]):
    """A reader that keeps its exception, because the caller (``classify``) drops it."""

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
    """Return a reader that also accepts the record in an envelope or as the only item of a list.

    For reads only: the answer to an effect must be the record itself, else the outcome is unknown until read.
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
    """Return the only object in an envelope without an error, or in a list; None if the document is neither."""
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
    """Report whether a successful answer was read. Never raises. ``routes``: the operation, then others used.

    ``read``: reader of the answer by these routes; only names with which it succeeds are proposed.
    """
    if answers is None or not reply.is_success:
        return
    try:
        if was_read:
            answers.read(routes[0].name)
        else:
            answers.unread(_described(reply, routes, trouble, read))
    except Exception as failed:  # noqa: BLE001 - a failing report must not lose the answer
        # Only the class: the message may quote the answer.
        log.warning("answer report failed", operation=routes[0].name, error=type(failed).__name__)


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
    """Keep only the candidates with which the answer can be read, trying at most one per field, in up to two steps."""
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
    """Return whether the answer is readable with these names, or lacks only other fields that have candidates."""
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
    except Exception:  # noqa: BLE001 - any failure means these names don't fit
        return False
    return True


def _wanted(shape: DocumentShape, names: tuple[Names, ...], routes: tuple[Route, ...]) -> tuple[Wanted, ...]:
    """Return the missing fields, or if there are none, those whose values don't fit."""

    def sought(route: Route, ours: str) -> Wanted:
        read = {name for alternatives in route.reply.values() for name in alternatives}
        return looked_for(shape, section=route.name, name=ours, known=route.reply[ours], read=read)

    found = []
    for theirs in names:
        owners = [(route, ours) for route in routes for ours, told in route.reply.items() if told == theirs]
        # Item fields may share these names, but reading never fails because of them.
        found += [sought(*one) for one in owners if not one[1].startswith("item_")][:1]
    missing = [one for one in found if not one.is_there] or found
    if not missing or any(one.candidates for one in missing):
        return tuple(missing)
    # The record may be nested in a wrapper field that the operator's file can name.
    wrappers = [sought(route, name) for route in routes for name in WRAPPERS if name in route.reply]
    wrappers = [one for one in wrappers if one.candidates and not one.is_there]
    return (*(replace(one, deeper="") for one in missing), *wrappers) if wrappers else tuple(missing)
