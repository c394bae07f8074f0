"""Reasons as values, stored as JSON: a code from a closed set and its facts. Foreign text is a fact among them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Self, Union

Fact = Union[str, int, float, bool, None, "Reason", Sequence["Fact"]]


class Code(StrEnum):
    """Base of the sets of codes, one set per subject. A member is declared with the names of its facts."""

    facts: frozenset[str]

    def __new__(cls, value: str, *facts: str) -> Self:
        """``value`` is stored; it is unique among all subjects."""
        code = str.__new__(cls, value)
        code._value_ = value
        code.facts = frozenset(facts)
        return code


class Verbatim(Code):
    GIVEN = "given", "text"
    """A person's or a service's own words, whole: foreign text."""
    ALL = "all", "parts"


class Exchange(Code):
    NO_ANSWER = "no_answer", "failure"
    NOT_LEFT = "not_left", "failure"
    SENDS_NOTHING = "sends_nothing"
    RESTS = "rests"
    """The circuit is open, so an effect was not sent."""
    NOT_ASKED = "not_asked"
    """The circuit is open, so a read was not sent."""
    TOO_MANY = "too_many"
    ANSWERED = "answered", "status"
    ANSWERED_AFTER_UNKNOWN = "answered_after_unknown", "status"
    NO_JSON = "no_json", "status"
    UNEXPECTED = "unexpected", "status"
    REFUSED = "refused", "status", "fields"
    """``status`` None: the refusal came as a success. ``fields``: our names of those it complained about."""
    READ_ANSWERED = "read_answered", "status"
    UNREADABLE = "unreadable", "problem"
    PAGE = "page"
    ASKS_TO_WAIT = "asks_to_wait"
    LIST_GAP = "list_gap"
    LIST_CHANGED = "list_changed"
    LIST_ENDS = "list_ends", "page"
    OTHER_TYPE = "other_type", "type"
    OTHER_PAGE = "other_page", "asked", "came"
    OTHER_SIZE = "other_size", "asked", "came"
    OTHER_TYPE_LISTED = "other_type_listed", "asked", "came"
    SCAN_CHANGED = "scan_changed"
    SCAN_DOUBLE = "scan_double"
    SCAN_STANDS = "scan_stands"
    SCAN_GAP = "scan_gap"
    SCAN_LONG = "scan_long", "most"
    SCAN_COUNT = "scan_count", "told", "shown"
    PAYMENT_REQUIRED = "payment_required", "status"
    METHOD_UNKNOWN = "method_unknown", "status"
    GONE = "gone", "status"
    PLAIN_REFUSAL = "plain_refusal", "status"
    FILE_TOO_LARGE = "file_too_large", "status"
    ADDRESS_TOO_LONG = "address_too_long", "status"
    KIND_OF_FILE = "kind_of_file", "status"
    BOOKING_FIXED = "booking_fixed"
    SEARCH_BEGUN = "search_begun"
    PREBOOKING_FIXED = "prebooking_fixed"
    SUSPENDED = "suspended_workspace"
    OTHER_ENVIRONMENT = "other_environment"
    MASTER_KEY = "master_key"
    STORE_KEY = "store_key"
    RESULT_TOO_LARGE = "result_too_large", "bytes"
    RESULT_OVER_LIMIT = "result_over_limit", "bytes"
    RESULT_REDIRECTS = "result_redirects"
    RESULT_PRIVATE = "result_private"
    RESULT_NO_ADDRESS = "result_no_address"
    RESULT_UNREACHABLE = "result_unreachable"
    RESULT_NOT_HANDED = "result_not_handed", "why"
    RESULT_GONE = "result_gone", "status"
    NOT_CONFIGURED = "not_configured_here"
    SLACK_ERROR = "slack_error", "error"
    """``error``: as Slack names it, e.g. ``not_in_channel``."""
    SLACK_UNREACHABLE = "slack_unreachable"
    SLACK_BROKE = "slack_broke", "error"
    SLACK_WAIT = "slack_wait"
    SLACK_UNREADABLE = "slack_unreadable", "status"
    SLACK_FILE_KEPT = "slack_file_kept", "why"
    SLACK_FILE_REFUSED = "slack_file_refused", "why"
    SLACK_UPLOAD_ADDRESS = "slack_upload_address"
    SLACK_UPLOAD_LENGTH = "slack_upload_length", "bytes"
    SLACK_UPLOAD_STATUS = "slack_upload_status", "status"
    SLACK_NOBODY = "slack_nobody"
    SLACK_SLOW_PEOPLE = "slack_slow_people"
    SLACK_MESSAGE_MISSING = "slack_message_missing"
    SLACK_DENIES = "slack_denies", "what", "error", "needed"
    """``what``: ``person`` or ``group``. ``needed``: the scope that Slack names, or empty."""
    ANSWER_LOST = "answer_lost"
    """No answer gave it: this process failed before the answer was stored."""
    PROCESS_ENDED = "process_ended"


class Failed(Code):
    """A trouble as a whole sentence for people. ``advice``: whether the reader may try again or check something."""

    NAMED = "failed_named", "service", "why"
    """Not a sentence: the service and what its exchange came to."""
    MENDED = "failed_mended", "why", "mend"
    """Not a sentence: what an exchange came to, and how the operator mends it."""
    NOW = "failed_now", "service", "why", "wait", "advice"
    NEVER = "failed_never", "service", "why", "status", "advice"
    OPERATOR = "failed_operator", "why", "mend"
    NOT_EXECUTED = "not_executed", "service", "why", "again", "wait"
    UNKNOWN = "outcome_unknown", "service", "why"


class OfRequest(Code):
    UNANSWERED = "unanswered", "service", "since"
    """``since``: to the minute, ISO 8601 in UTC."""
    SERVICE_SAID = "service_said", "service", "status"
    """What the service answered instead of what had to be read before sending."""
    HELD = "held", "no", "sent_before"
    ON_HOLD = "on_hold", "found"
    """``found``: pairs of a disagreement with the audit and its facts."""
    RESTORED = "restored"
    VOTES_VOID = "votes_void", "void", "missing"
    FROZEN = "frozen", "why", "person"
    """``person``: user id of who froze payments; empty: not known."""
    OVER_TODAY = "over_today", "left", "limit"
    """``left``: cents of the daily limit that are left today."""
    ANOTHER_IS_SENT = "another_is_sent"
    EARLIER_NOT_UNPAID = "earlier_not_unpaid", "found"
    """An earlier one for it may have been paid. ``found``: as :class:`bot.domain.payments.earlier.Finding` has it."""
    NOT_CONFIGURED = "not_configured", "missing"
    OUT_OF_REACH = "out_of_reach", "needs", "can"
    UNDECIDED = "undecided", "held"
    NOT_SHOWN = "not_shown"
    """It expired before a card could be posted for the approvers."""
    NOT_SENT_IN_TIME = "not_sent_in_time", "held"
    NEW_ATTEMPT_NOT_SENT = "new_attempt_not_sent", "held"
    ADDRESS_NOT_CONFIRMED = "address_not_confirmed"
    EDITED = "edited"
    CREATED_IN_VAIN = "created_in_vain"
    NO_LINK = "no_link"
    NO_WAY_BACK = "no_way_back"
    NOT_LISTED = "not_listed"
    NOT_IN_HISTORY = "not_in_history"
    NOTE_CHANGED = "note_changed"
    STILL_NOT_COMMITTED = "still_not_committed"
    STILL_PENDING = "still_pending"
    NO_ITEMS = "no_items"
    DISAGREES = "disagrees_with_audit", "found"
    """As of ``ON_HOLD``, not held because of it."""
    UNREAD = "unread", "service", "why"
    LIST_UNUSABLE = "list_unusable", "why"
    HISTORY_UNUSABLE = "history_unusable", "why"
    NO_CODES = "no_codes"
    PAID_BY = "paid_by", "other"
    SEVERAL = "several", "records"
    SEVERAL_BULK = "several_bulk", "ids"
    MISCOUNTED = "miscounted", "theirs", "ours"
    MISMATCHED_ITEMS = "mismatched_items", "doubles", "different", "strangers"
    LISTS_DISAGREE = "lists_disagree", "contradicted", "unplaced"
    MAY_BE_THIS_BULK = "may_be_this_bulk", "id"
    MAY_BE_OURS = "may_be_ours", "id"
    ROW_OF_BULK = "row_of_bulk", "reference", "row"
    MAY_BE_ROW = "may_be_row", "reference", "row"
    CARRIES_MARK = "carries_mark", "mark"
    SAYS = "says", "status"
    UNASKED = "unasked", "status"
    CONTRADICTED = "contradicted", "before", "status"
    PAID_AS = "paid_as", "id", "status", "count", "completed", "pending", "failed"
    UNCONFIRMED = "unconfirmed", "kind"
    UNACCOUNTED = "unaccounted", "under_way", "missing"
    STANDS_STILL = "stands_still", "under_way", "missing"
    AFTER_REFUSAL = "after_refusal", "refusal", "why"
    AFTER_ANSWER = "after_answer", "answer", "why"
    CHANGED_HERE = "changed_here", "is_purchase"
    OTHER_ID = "other_id"
    OTHER_AMOUNT = "other_amount", "theirs", "ours"
    OTHER_RECIPIENT = "other_recipient"
    OTHER_CODE = "other_code"
    OTHER_DESCRIPTION = "other_description"
    CODE_TAKEN = "code_taken", "given", "id"
    OTHER_KIND = "other_kind", "is_purchase"


class OfBooking(Code):
    JOINED = "joined", "reference"
    CANNOT_START = "cannot_start"
    CANNOT_CANCEL = "cannot_cancel"
    JUST_CHANGED = "just_changed"
    NOT_SAID = "not_said"
    NO_MASTER_KEY = "no_master_key"
    NO_KEY = "no_key", "store"
    NAME_TAKEN = "name_taken", "store"
    NO_PUBLIC_URL = "no_public_url"
    NO_SUCH_PREBOOKING = "no_such_prebooking", "store"
    OTHER_PREBOOKING = "other_prebooking"
    TAKEN_IN = "taken_in", "reference"


class OfList(Code):
    ANSWER_LOST = "list_answer_lost"
    EMPTY_RESULT = "empty_result"
    RESULT_NOT_FETCHED = "result_not_fetched", "why"
    GIVEN_UP = "list_given_up", "why", "times"
    ASKED_TO_WAIT = "asked_to_wait", "why", "times"
    NOT_WORKING = "not_working", "why"
    ASKED_IN_VAIN = "asked_in_vain", "why", "times"
    ACCOUNT = "account_refused", "why"
    """The same answer, about our account, to several addresses in a row."""
    BUSY = "list_busy"
    TRY_AGAIN = "list_try_again", "why"
    NO_COLUMN = "no_column"
    HARDLY_ADDRESSES = "hardly_addresses", "name", "addresses", "filled"
    UNUSABLE_FILE = "unusable_file", "flaw", "rows", "names", "allowed", "counts", "more", "example"
    """As of :class:`bot.domain.files.tables.TableProblem`; ``counts``: pairs. ``example``: a right first row."""
    FILE_RULE = "file_rule", "rule"
    FILE_LATER = "file_later", "service", "why"
    FILE_NEVER = "file_never", "service", "why"


class OfCall(Code):
    RESTARTED = "restarted"
    RESULT_LOST = "result_lost"
    BROKEN = "broken"
    FILE_CUT_OFF = "file_cut_off"
    TEXT_ONLY = "text_only"
    NOT_CONFIGURED = "localization_not_configured"
    QUEUE_FULL = "queue_full", "most"
    UNKNOWN = "call_unknown", "why"
    FILE_REFUSED = "file_refused", "why"
    SERVICE_REFUSED = "service_refused", "service", "why"
    NOT_HANDED_OVER = "not_handed_over", "why"
    ARCHIVE_FULL = "archive_full", "most"
    BAD_INPUT = "bad_input", "rule", "example"


class OfMode(Code):
    OLDER = "older"
    CHANGED = "mode_changed", "row"
    FREEZE_UNREADABLE = "freeze_unreadable"
    ROWS_UNREADABLE = "rows_unreadable", "error"
    NOT_IN_DATABASE = "not_in_database"
    FREEZE_LOST = "freeze_lost"
    FREEZE_FORGED = "freeze_forged"


SUBJECTS: Final[tuple[type[Code], ...]] = (Verbatim, Exchange, Failed, OfRequest, OfBooking, OfList, OfCall, OfMode)
_CODES: Final[Mapping[str, Code]] = {code.value: code for subject in SUBJECTS for code in subject}
_WORDS: Final = frozenset({"words"})
"""Of every code: what a service or Slack said about it."""


class Reason:
    """Why: a code and its facts, all that it declares, and ``words`` where a service said something. Immutable."""

    __slots__ = ("code", "facts")

    code: Code
    facts: Mapping[str, Fact]

    def __init__(self, code: Code, **facts: Fact) -> None:
        if facts.keys() - _WORDS != code.facts:
            raise TypeError(f"{code}: facts {sorted(facts)} instead of {sorted(code.facts)}")
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "facts", {name: _frozen(fact) for name, fact in facts.items()})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reason) and (self.code, self.facts) == (other.code, other.facts)

    def __hash__(self) -> int:
        return hash((self.code, tuple(sorted(self.facts.items(), key=lambda fact: fact[0]))))

    def __repr__(self) -> str:
        return f"Reason({self})"

    def __str__(self) -> str:
        """For logs: the code and its facts. Never shown to people."""
        said = ", ".join(f"{name}={fact}" for name, fact in self.facts.items() if fact not in ("", None, ()))
        return f"{self.code} ({said})" if said else self.code.value

    @property
    def words(self) -> str:
        """What the service said about it; foreign text, empty where it said nothing."""
        return str(self.facts.get("words", ""))

    @property
    def quotes_answer(self) -> bool:
        """Whether it is an answer that left the outcome open, in which the service said something."""
        return bool(self.words) and self.is_(Exchange.UNEXPECTED, Exchange.ANSWERED, Exchange.ANSWERED_AFTER_UNKNOWN)

    def saying(self, words: str) -> "Reason":
        return Reason(self.code, **{**self.facts, "words": words}) if words else self

    def is_(self, *codes: Code) -> bool:
        return self.code in codes

    def tells_of(self, *codes: Code) -> bool:
        """Whether it, or a reason among its facts, has one of these codes."""
        return self.is_(*codes) or any(one.tells_of(*codes) for one in _reasons_in(self.facts.values()))

    def stored(self) -> dict[str, Any]:
        return {
            "code": self.code.value,
            **({"facts": {name: _plain(fact) for name, fact in self.facts.items()}} if self.facts else {}),
        }

    @classmethod
    def read(cls, found: Any) -> "Reason | None":
        """From JSON; None: there is none. Raises ValueError: it is no reason."""
        if found is None or found == "":
            return None
        if isinstance(found, Reason):
            return found
        try:
            return cls(_CODES[found["code"]], **{name: _read(fact) for name, fact in found.get("facts", {}).items()})
        except (KeyError, TypeError, AttributeError) as wrong:
            raise ValueError("no reason") from wrong

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:
        from pydantic_core import core_schema  # noqa: PLC0415

        return core_schema.no_info_plain_validator_function(
            cls.read, serialization=core_schema.plain_serializer_function_ser_schema(lambda one: one and one.stored())
        )


def given(text: str) -> Reason | None:
    return Reason(Verbatim.GIVEN, text=text) if text else None


def slack_error(reason: Reason) -> str:
    """The error as Slack names it, e.g. ``not_in_channel``; empty where Slack named none."""
    return str(reason.facts["error"]) if reason.code is Exchange.SLACK_ERROR else ""


RESTRICTED: Final = frozenset(
    {
        "restricted_action",
        "restricted_action_read_only_channel",
        "restricted_action_thread_only_channel",
        "no_permission",
    }
)
"""Slack's errors for channels in which only some may post."""
NO_PLACE: Final = frozenset({"not_in_channel", "channel_not_found", "is_archived", *RESTRICTED})
"""Slack's errors for channels in which the bot can't post until somebody changes them."""


def together(parts: Iterable[Reason]) -> Reason | None:
    found = tuple(parts)
    return found[0] if len(found) == 1 else Reason(Verbatim.ALL, parts=found) if found else None


def has_code(reason: Reason | None, *codes: Code) -> bool:
    return reason is not None and reason.is_(*codes)


def stored(reason: Reason | None) -> dict[str, Any] | str:
    return "" if reason is None else reason.stored()


def _frozen(fact: Fact) -> Fact:
    return tuple(_frozen(one) for one in fact) if isinstance(fact, Sequence) and not isinstance(fact, str) else fact


def _reasons_in(facts: Iterable[Fact]) -> Iterator[Reason]:
    for fact in facts:
        if isinstance(fact, Reason):
            yield fact
        elif isinstance(fact, tuple):
            yield from _reasons_in(fact)


def _plain(fact: Fact) -> Any:
    if isinstance(fact, Reason):
        return fact.stored()
    return [_plain(one) for one in fact] if isinstance(fact, tuple) else fact


def _read(fact: Any) -> Fact:
    if isinstance(fact, Mapping):
        return Reason.read(fact)
    return tuple(_read(one) for one in fact) if isinstance(fact, list) else fact
