"""Outcome of a request that changes something: done, not executed, or unknown. Only decided here."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from bot.domain.reasons import Exchange, Reason
from bot.domain.services import Fault
from bot.domain.text import MAX_SAID, PAGE, one_line

T = TypeVar("T")


class NoJson(Enum):
    """Type of ``NO_JSON``: the body wasn't a JSON document (``null`` is one)."""

    NO_JSON = "no json"


NO_JSON: Final = NoJson.NO_JSON


class Failure(StrEnum):
    """Why there is no answer. Only the first three prove that no byte was sent."""

    NOT_CONNECTED = "not connected"
    NOT_SENT = "not sent"
    NOT_ASKED = "not asked"
    TIMEOUT = "timed out"
    DROPPED = "connection dropped"
    OVERSIZE = "answer too large"


class Ended(StrEnum):
    """How an exchange ended, as a label for metrics."""

    DONE = "done"
    REFUSED = "refused"
    TOO_MANY = "too_many_requests"
    UNKNOWN = "unknown"
    """The request was sent, but no answer shows its outcome."""
    UNREACHABLE = "unreachable"
    NOT_SENT = "not_sent"


_NOTHING_LEFT: Final = frozenset({Failure.NOT_CONNECTED, Failure.NOT_SENT, Failure.NOT_ASKED})
_NOT_EXECUTED_STATUSES: Final = frozenset({400, 401, 403, 404, 422})
_OUR_ACCOUNT: Final = frozenset({401, 402, 403, 407})
_TOO_MANY: Final = 429
_MAX_RETRY_AFTER: Final = 3600.0
_NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Reply:
    """An HTTP exchange with secrets masked; ``headers`` are the few we use, in lower case."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    json: object = field(default=NO_JSON, repr=False)
    """Numbers are int or Decimal."""
    text: str = field(default="", repr=False)
    """The start of a body that is neither JSON nor HTML."""
    is_html: bool = False
    size: int = field(default=0, compare=False)
    failure: Failure | None = None

    @property
    def is_success(self) -> bool:
        return self.failure is None and self.status is not None and self.status // 100 == 2  # noqa: PLR2004 - 2xx

    @property
    def retry_after(self) -> float | None:
        """Seconds the service asked us to wait, at most an hour; None if there is no positive number of seconds."""
        raw = self.headers.get("retry-after", "").strip()
        if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,3})?", raw, re.ASCII) is None:
            return None
        return min(float(raw), _MAX_RETRY_AFTER) or None


@dataclass(frozen=True, kw_only=True)
class Done(Generic[T]):
    value: T


@dataclass(frozen=True, kw_only=True)
class _NotDone:
    """No record was returned; with ``failure`` NOT_SENT, our own send guard or limiter refused it."""

    reason: Reason
    status: int | None = None
    failure: Failure | None = None
    words: str = ""
    """The service's message for people, unless it forbids showing it."""
    detail: str = ""
    """The service's full message for the audit, even if it must not be shown."""

    @property
    def full_reason(self) -> Reason:
        return self.reason.saying(self.words)

    @property
    def facts(self) -> dict[str, object]:
        reason = self.reason.stored()
        return {"reason": reason, "said": self.detail} if self.detail else {"reason": reason}


@dataclass(frozen=True, kw_only=True)
class NotExecuted(_NotDone):
    """Certainly not executed. If ``again``, the request is fine and can be retried after ``retry_after`` seconds."""

    again: bool
    retry_after: float | None = None

    def in_doubt(self) -> "Unknown":
        """Turn a refusal into an unknown outcome, until something else confirms it."""
        why = self.full_reason
        return Unknown(reason=self.reason, status=self.status, refusal=why, words=self.words, detail=self.detail)


@dataclass(frozen=True, kw_only=True)
class Unknown(_NotDone):
    """May or may not have been executed: read the outcome, never resend automatically. ``refusal`` is its reason."""

    refusal: Reason | None = None


def classify(
    reply: Reply, *, read: Callable[[object], T], earlier_unknown: bool, names: Mapping[str, str] = _NO_NAMES
) -> Done[T] | NotExecuted | Unknown:
    """Return the outcome class of a request that changes something. Never raises, even if ``read`` does.

    ============================================  =====================  ================================
    answer                                        nothing unknown yet    after an unknown attempt
    ============================================  =====================  ================================
    2xx, ``read`` accepts the body                Done                   Done
    2xx, anything else (HTML, other id, no JSON)  Unknown                Unknown
    429                                           NotExecuted, again     Unknown
    400, 401, 403, 404, 422                       NotExecuted, refused   Unknown
    408, 409, every other 4xx                     Unknown                Unknown
    1xx, 3xx, 5xx                                 Unknown                Unknown
    not connected, not sent (no byte left)        NotExecuted, again     NotExecuted, again (this attempt)
    timed out, dropped, answer too large          Unknown                Unknown
    ============================================  =====================  ================================

    A 4xx after an unknown attempt may answer a retry ("this code exists already", "not in status created"), so it
    proves nothing about the first attempt.
    """
    failure, status = reply.failure, reply.status
    if failure in _NOTHING_LEFT:
        return NotExecuted(again=True, reason=Reason(Exchange.NOT_LEFT, failure=failure.value), failure=failure)
    if failure is not None or status is None:
        return Unknown(reason=Reason(Exchange.NO_ANSWER, failure=failure.value if failure else ""), failure=failure)
    if reply.is_success:
        code = Exchange.NO_JSON
        if reply.json is not NO_JSON:
            try:
                return Done(value=read(reply.json))
            except Exception:  # noqa: BLE001 - whatever the error, a 2xx we cannot parse is an unknown outcome
                code = Exchange.UNEXPECTED
        told = read_error(reply)
        return Unknown(reason=Reason(code, status=status), status=status, words=told.words, detail=told.whole)
    said = read_error(reply, names)
    again = status == _TOO_MANY
    if earlier_unknown or not (again or status in _NOT_EXECUTED_STATUSES):
        code = Exchange.ANSWERED_AFTER_UNKNOWN if earlier_unknown else Exchange.ANSWERED
        return Unknown(reason=Reason(code, status=status), status=status, words=said.words, detail=said.whole)
    return NotExecuted(
        again=again,
        reason=Reason(Exchange.TOO_MANY) if again else refusal(status, said.named(names)),
        retry_after=reply.retry_after if again else None,
        words=said.words,
        detail=said.whole,
        status=status,
    )


def how_ended(reply: Reply) -> Ended:
    """Return the label of an exchange by its status alone, even if the body of a success can't be parsed."""
    if reply.failure is not None:
        if reply.failure is Failure.NOT_CONNECTED:
            return Ended.UNREACHABLE
        return Ended.NOT_SENT if reply.failure in _NOTHING_LEFT else Ended.UNKNOWN
    if reply.is_success:
        return Ended.DONE
    if reply.status == _TOO_MANY:
        return Ended.TOO_MANY
    return Ended.REFUSED if reply.status in _NOT_EXECUTED_STATUSES else Ended.UNKNOWN


def is_verdict(reply: Reply) -> bool:
    """Whether an exchange shows its service's health, unlike one that wasn't sent or was rate-limited."""
    unsaid = (Failure.NOT_SENT, Failure.NOT_ASKED, Failure.OVERSIZE)
    return reply.failure not in unsaid and reply.status != _TOO_MANY


def fault_of(reply: Reply) -> Fault | None:
    """Return a service's fault shown by an exchange, if any; a refusal about one resource (e.g. 404) is none."""
    if reply.failure is not None or reply.status is None:
        return Fault.NO_ANSWER
    if reply.status in _OUR_ACCOUNT:
        return Fault.KEY
    is_page = reply.is_success and reply.is_html
    return None if not is_page and (reply.is_success or 400 <= reply.status < 500) else Fault.ERRORS  # noqa: PLR2004 - 4xx


def refusal(status: int, fields: Sequence[str] = ()) -> Reason:
    return Reason(Exchange.REFUSED, status=status, fields=tuple(fields))


@dataclass(frozen=True, kw_only=True)
class ErrorBody:
    """An error message of a service: foreign text without addresses and credentials, not escaped."""

    message: str = ""
    whole: str = ""
    """At most 2,000 characters of the message and error code, for the audit."""
    fields: tuple[str, ...] = ()
    may_be_shown: bool = True

    @property
    def words(self) -> str:
        return self.message if self.may_be_shown else ""

    def named(self, names: Mapping[str, str]) -> tuple[str, ...]:
        """Return the rejected request fields under our names (``names`` maps theirs to ours); others are left out."""
        return tuple(dict.fromkeys(ours for name in self.fields if (ours := _our_name(name, names))))


def _our_name(field_name: str, names: Mapping[str, str]) -> str:
    # Nested fields have an index or path: ``items.0.amount``, ``items[0]``.
    return names.get(re.split(r"[.\[]", field_name, maxsplit=1)[0], "").replace("_", " ")


def read_error(reply: Reply, names: Mapping[str, str] = _NO_NAMES) -> ErrorBody:
    """Parse any of the known shapes of a service's error message. Never raises.

    ``{status,message}``, ``{data,code,message,displayToUser}``, ``{message,messages:{field:[...]}}``,
    ``{message,errors}``, ``{error:{...}}``, plain text, a list; if none of these, ``{detail: "…"}``,
    ``{detail: [{loc, msg}]}``, ``{error,error_description}``, ``{title,detail}`` and the like, also inside ``data`` or
    another envelope, in any letter case. HTML yields nothing. A 2xx yields only fields that no record uses for
    something else. ``names`` maps the service's request fields to our names, which people see.
    """
    if reply.is_html or (reply.is_success and not isinstance(reply.json, dict | str)):
        return ErrorBody()
    body = _complaint(reply)
    messages, code = body.get("messages"), body.get("code") or body.get("messagekey")
    parts = [_found_words(body.get("message"))]
    if isinstance(messages, dict):
        for name, said in messages.items():
            texts = [text for text in (said if isinstance(said, list) else [said]) if isinstance(text, str)]
            words = ", ".join(texts) or _found_words(said)
            parts += [f"{_our_name(str(name), names) or name}: {words}"] if words else []
    else:
        parts.append(_found_words(messages))
    if any(part.strip() for part in parts):  # details after e.g. "Validation failed"
        parts += [_found_words(found) for name in _DETAILS if isinstance(found := body.get(name), list | dict)]
    else:
        other = _ERROR_NAMES if reply.is_success else (*_ERROR_NAMES, *_OTHER_NAMES)
        parts = [next(filter(None, (_found_words(body.get(name)) for name in other)), "")]
    said = one_line("; ".join(part for part in parts if part.strip() and not PAGE.search(part)), MAX_SAID)
    has_code = isinstance(code, str) and code.strip() not in said and (said or not reply.is_success)
    named = one_line(str(code), _CODE) if has_code else ""
    return ErrorBody(
        message=one_line(said),
        whole=f"{said[: MAX_SAID - _CODE]} ({named})" if said and named else said or named,
        fields=tuple(map(str, messages)) if isinstance(messages, dict) else (),
        may_be_shown=str(body.get("displaytouser")).strip().casefold() not in {"false", "0", "no"},
    )


def is_complaint(reply: Reply) -> bool:
    """Whether a 2xx reports a failure, by a flag or an error message."""
    if not reply.is_success or not isinstance(reply.json, dict):
        return False
    body = _complaint(reply)
    marks = {name: str(body.get(name)).strip().casefold() for name in ("success", "ok", "status")}
    failed = marks["status"] in _FAILED or not {marks["success"], marks["ok"]}.isdisjoint({"false", "0", "no"})
    return failed or bool(body.keys() & {"error", "errors", "detail"} and read_error(reply).message)


_FAILED: Final = frozenset({"error", "failed", "fail", "failure"})


def _complaint(reply: Reply) -> dict[str, object]:
    """Return the answer merged with the error object in it, with names in lower case."""
    found = {"errors": reply.json} if isinstance(reply.json, list) else reply.json
    if not isinstance(found, dict):
        return {"message": found if isinstance(found, str) else reply.text}
    body = {name.casefold(): one for name, one in found.items()}
    for name in ("error", "fault", *ENVELOPES):
        inner = body.get(name)
        if isinstance(inner, dict) and not (name in ENVELOPES and any(body.get(one) for one in _TELLING)):
            body |= {name.casefold(): one for name, one in inner.items() if one is not None}
    return body


ENVELOPES: Final = ("data", "result", "output", "response", "payload")
"""Fields that a service may wrap its record in."""
_DETAILS: Final = ("errors", "detail", "details")
_ERROR_NAMES: Final = ("error_description", *_DETAILS, "error_message", "errormessage", "error", "msg", "faultstring")
_OTHER_NAMES: Final = ("description", "reason", "title", "messagekey")
_TELLING: Final = ("message", "messages", *_ERROR_NAMES)
_CODE: Final = 100
"""Characters of an error code."""
_DEPTH: Final = 3


def _found_words(found: object, depth: int = 0) -> str:
    match found:
        case str():
            return found
        case list() if depth < _DEPTH:
            return "; ".join(filter(None, (_found_words(one, depth + 1) for one in found)))
        case dict() if depth < _DEPTH:
            if "msg" in found:
                where = found.get("loc")
                at = str(where[-1]) if isinstance(where, list) and where else ""
                return ": ".join(filter(None, (at, _found_words(found["msg"], depth + 1))))
            if "message" in found:
                return _found_words(found["message"], depth + 1)
            parts = {str(name): _found_words(said, depth + 1) for name, said in found.items()}
            return "; ".join(f"{name}: {words}" for name, words in parts.items() if words)
        case _:
            return ""
