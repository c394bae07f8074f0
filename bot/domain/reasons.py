"""Reasons as values, stored as JSON: a code from a closed set and its facts. Foreign text is a fact among them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from string import Formatter
from typing import Any, Final, Self, Union

Fact = Union[str, int, float, bool, None, "Reason", Sequence["Fact"]]


BEGINNINGS: Final = frozenset(
    {"it", "its", "the_service", "the_request", "gave", "got", "who", "has", "busy", "sent", "reached"}
)
"""Placeholders for the subject, worded differently if the sentence names the service."""


class Code(StrEnum):
    """Base of the sets of codes, one set per subject.

    A member is declared with its template, whose placeholders are its facts. If its words have to be computed, it is
    declared with the names of its facts, and :mod:`bot.presentation.reasons` has a function for it.
    """

    template: str
    brief: str
    """The template for people, without codes; empty: the same one, without a status in parentheses."""
    facts: frozenset[str]

    def __new__(cls, value: str, words: str | tuple[str, ...] = (), brief: str = "") -> Self:
        """``value`` is stored; it is unique among all subjects."""
        code = str.__new__(cls, value)
        code._value_ = value
        code.template, code.brief = words if isinstance(words, str) else "", brief
        placeholders = {name for _, name, _, _ in Formatter().parse(code.template) if name} - BEGINNINGS
        code.facts = frozenset(placeholders if code.template else words)
        return code


class Verbatim(Code):
    GIVEN = "given", "{who}{text}"
    """A person's or a service's own words, whole: foreign text."""
    ALL = "all", ("parts",)


class Exchange(Code):
    NO_ANSWER = "no_answer", ("failure",), "{reached}"
    NOT_LEFT = "not_left", "{the_request} did not leave ({failure})", "{reached}"
    SENDS_NOTHING = "sends_nothing", "{who}Switchboard isn't sending anything right now"
    RESTS = "rests", "{has} not answered for a while, so nothing is sent to it", "{has} not answered for a while"
    """The circuit is open, so an effect was not sent."""
    NOT_ASKED = "not_asked", "{has} not answered for a while, so we didn't ask it", "{has} not answered for a while"
    """The circuit is open, so a read was not sent."""
    TOO_MANY = "too_many", "{got}too many requests", "{busy} too busy"
    ANSWERED = "answered", "{gave}answer {status}"
    ANSWERED_AFTER_UNKNOWN = "answered_after_unknown", "{gave}answer {status} after an attempt that isn't confirmed"
    NO_JSON = "no_json", "{gave}answer {status} with a body that isn't JSON", "{sent}an unexpected reply"
    UNEXPECTED = "unexpected", "{gave}answer {status} with an unexpected body", "{sent}an unexpected reply"
    REFUSED = "refused", ("status", "fields")
    """``status`` None: the refusal had a success status. ``fields``: our names of the refused fields."""
    READ_ANSWERED = "read_answered", "{it} answered {status}"
    UNREADABLE = "unreadable", ("problem",), "{sent}an unexpected reply"
    PAGE = "page", "{who}sent a web page instead of an answer", "{sent}an unexpected reply"
    ASKS_TO_WAIT = "asks_to_wait", "{it} asks to wait", "{busy} too busy"
    LIST_GAP = "list_gap", "{its} list has an empty page before the last one"
    LIST_CHANGED = "list_changed", "{its} list changed while we read it"
    LIST_ENDS = "list_ends", "{its} list ends with page {page}"
    OTHER_TYPE = "other_type", "{who}this is a {type}, not a purchase"
    OTHER_PAGE = "other_page", "{who}sent page {came} of the list instead of page {asked}"
    OTHER_SIZE = "other_size", "{who}sent {came} operations a page instead of {asked}"
    OTHER_TYPE_LISTED = "other_type_listed", "{who}sent a {came} where only {asked}s were requested"
    SCAN_CHANGED = "scan_changed", "{who}the list changed while we read it"
    SCAN_DOUBLE = "scan_double", "{who}the list showed an operation twice"
    SCAN_STANDS = "scan_stands", "{who}the list repeats its pages"
    SCAN_GAP = "scan_gap", "{who}the list showed an empty page before its end"
    SCAN_LONG = "scan_long", "{who}the list has more than {most} pages"
    SCAN_COUNT = "scan_count", "{who}the list counts {told} operations and showed {shown}"
    PAYMENT_REQUIRED = "payment_required", "{the_service} requires payment ({status})"
    METHOD_UNKNOWN = "method_unknown", "{the_service} doesn't have this ({status})"
    GONE = "gone", "{the_service} doesn't offer this any more ({status})"
    PLAIN_REFUSAL = "plain_refusal", "{the_service} rejected the request ({status})"
    FILE_TOO_LARGE = "file_too_large", "{who}the file is too large ({status})"
    ADDRESS_TOO_LONG = "address_too_long", "{who}the address is too long ({status})"
    KIND_OF_FILE = "kind_of_file", "{the_service} doesn't take this kind of file ({status})"
    BOOKING_FIXED = "booking_fixed", "{who}the booking can't be canceled now"
    SEARCH_BEGUN = "search_begun", "{who}the search has started already"
    PREBOOKING_FIXED = "prebooking_fixed", "{who}the pre-booking can't be canceled any more"
    SUSPENDED = "suspended_workspace", "{has} suspended the workspace"
    OTHER_ENVIRONMENT = "other_environment", "{who}the key belongs to the other environment"
    MASTER_KEY = "master_key", "{who}the master key isn't accepted"
    STORE_KEY = "store_key", "{who}the key of this store isn't accepted"
    RESULT_TOO_LARGE = "result_too_large", "{who}made a result of {bytes} bytes, which is too large"
    RESULT_OVER_LIMIT = "result_over_limit", "{who}made a result of more than {bytes} bytes, which is too large"
    RESULT_REDIRECTS = "result_redirects", "{who}redirected us too often for its result"
    RESULT_PRIVATE = "result_private", "{who}named a private address for its result"
    RESULT_NO_ADDRESS = "result_no_address", "{who}named an invalid address for its result"
    RESULT_UNREACHABLE = "result_unreachable", "{who}has its result at a host we can't reach"
    RESULT_NOT_HANDED = "result_not_handed", "{who}didn't return the result ({why})", "{who}didn't return the result"
    RESULT_GONE = "result_gone", "{who}no longer has the result; links to results expire ({status})"
    NOT_CONFIGURED = "not_configured_here", "{who}isn't configured"
    SLACK_ERROR = "slack_error", "{who}{error}"
    """``error``: as Slack names it, e.g. ``not_in_channel``."""
    SLACK_UNREACHABLE = "slack_unreachable", "{who}can't be reached"
    SLACK_BROKE = "slack_broke", "{who}the connection broke ({error})"
    SLACK_WAIT = "slack_wait", "{who}asked us to wait"
    SLACK_UNREADABLE = "slack_unreadable", "{who}answered {status} without a readable body", "{sent}an unexpected reply"
    SLACK_FILE_KEPT = "slack_file_kept", "{who}didn't return the file ({why})", "{who}didn't return the file"
    SLACK_FILE_REFUSED = "slack_file_refused", "{who}didn't take the file ({why})"
    SLACK_UPLOAD_ADDRESS = "slack_upload_address", "{who}named an upload address that isn't its own"
    SLACK_UPLOAD_LENGTH = "slack_upload_length", "{who}was promised {bytes} bytes, and another number came"
    SLACK_UPLOAD_STATUS = "slack_upload_status", "{who}upload_answered_{status}"
    SLACK_NOBODY = "slack_nobody", "{who}couldn't say who you are"
    SLACK_SLOW_PEOPLE = "slack_slow_people", "{who}takes too long to look people up"
    SLACK_MESSAGE_MISSING = "slack_message_missing", "{who}hasn't taken this message yet"
    SLACK_DENIES = "slack_denies", ("what", "error", "needed")
    """``what``: ``person`` or ``group``. ``needed``: the scope that Slack names, or empty."""
    ANSWER_LOST = "answer_lost", "{who}Switchboard failed before the answer was stored"
    """No answer gave it: this process failed before the answer was stored."""
    PROCESS_ENDED = "process_ended", "{who}the process ended before the answer was stored"


class Failed(Code):
    """A trouble as a sentence for people. ``advice``: whether the reader can retry or check something."""

    NAMED = "failed_named", ("service", "why")
    """Not a sentence: the service and the outcome of its exchange."""
    MENDED = "failed_mended", ("why", "mend")
    """Not a sentence: the outcome of an exchange, and how the operator fixes it."""
    NOW = "failed_now", ("service", "why", "wait", "advice")
    NEVER = "failed_never", ("service", "why", "status", "advice")
    OPERATOR = "failed_operator", ("why", "mend")
    NOT_EXECUTED = "not_executed", ("service", "why", "again", "wait")
    UNKNOWN = "outcome_unknown", ("service", "why")


class OfRequest(Code):
    UNANSWERED = "unanswered", ("service", "since")
    """``since``: to the minute, ISO 8601 in UTC."""
    SERVICE_SAID = "service_said", "{service} answered {status}"
    """The service's answer in place of the record that has to be read before sending."""
    HELD = "held", ("no", "sent_before")
    ON_HOLD = "on_hold", ("found",)
    """``found``: pairs of a disagreement with the audit and its facts, as in :mod:`bot.domain.payments.sealed`."""
    RESTORED = "restored", "the database was restored to an earlier moment, so check at the provider first"
    VOTES_VOID = "votes_void", ("void", "missing")
    FROZEN = "frozen", ("why", "person")
    """``person``: user id of the person who froze payments, or empty."""
    OVER_TODAY = "over_today", ("left", "limit")
    """``left``: cents of the daily limit that are left today."""
    ANOTHER_IS_SENT = "another_is_sent", "another bulk payment is being sent"
    EARLIER_NOT_UNPAID = "earlier_not_unpaid", ("found",)
    """An earlier request for it may be paid. ``found``: stored :class:`bot.domain.payments.earlier.Finding`."""
    NOT_CONFIGURED = "not_configured", ("missing",)
    OUT_OF_REACH = "out_of_reach", ("needs", "can")
    UNDECIDED = "undecided", ("held",)
    NOT_SHOWN = "not_shown", "the approvers' card couldn't be posted in time"
    """It expired before a card could be posted for the approvers."""
    NOT_SENT_IN_TIME = "not_sent_in_time", ("held",)
    NEW_ATTEMPT_NOT_SENT = "new_attempt_not_sent", ("held",)
    ADDRESS_NOT_CONFIRMED = "address_not_confirmed", "the address wasn't confirmed in time"
    EDITED = "edited", "replaced by an edited request"
    CREATED_IN_VAIN = "created_in_vain", "it couldn't be created after several attempts"
    NO_LINK = "no_link", "no checkout link can be built from its ID"
    NO_WAY_BACK = (
        "no_way_back",
        "PUBLIC_URL is missing, so buyers couldn't return from the checkout; an admin can set it",
    )
    NOT_LISTED = "not_listed", "the provider doesn't list it"
    NOT_IN_HISTORY = "not_in_history", "the provider's history doesn't show it"
    NOTE_CHANGED = "note_changed", "the provider's history changed in a way we can't explain"
    STILL_NOT_COMMITTED = "still_not_committed", "the provider still lists it as not sent"
    STILL_PENDING = "still_pending", "the provider still lists them as waiting"
    NO_ITEMS = "no_items", "{its} list of items is empty"
    DISAGREES = "disagrees_with_audit", ("found",)
    """As of ``ON_HOLD``, not held because of it."""
    UNREAD = "unread", "it can't be read ({service}: {why})"
    LIST_UNUSABLE = "list_unusable", "the list can't be used: {why}"
    HISTORY_UNUSABLE = "history_unusable", "the history can't be used: {why}"
    NO_CODES = "no_codes"
    PAID_BY = "paid_by", "paid by {other}"
    SEVERAL = "several", "the provider has several {records} with our code"
    SEVERAL_BULK = "several_bulk", ("ids",)
    MISCOUNTED = "miscounted", "the provider counts {theirs} payments instead of {ours}"
    MISMATCHED_ITEMS = "mismatched_items", ("doubles", "different", "strangers")
    LISTS_DISAGREE = "lists_disagree", ("contradicted", "unplaced")
    MAY_BE_THIS_BULK = (
        "may_be_this_bulk",
        "the bulk payment {id} is new at the provider and may be this one. Check its payments there",
    )
    MAY_BE_OURS = (
        "may_be_ours",
        "the payout {id} at the provider has the same recipient and amount but not our code. "
        "Check whether it's this one",
    )
    ROW_OF_BULK = "row_of_bulk", "it's row {row} of the bulk payment {reference}"
    MAY_BE_ROW = "may_be_row", "it may be row {row} of the bulk payment {reference}"
    CARRIES_MARK = "carries_mark", "it was made with Switchboard: the provider's record has {mark}"
    SAYS = "says", ("status",)
    UNASKED = "unasked", ("status",)
    CONTRADICTED = "contradicted", ("before", "status")
    PAID_AS = "paid_as", ("id", "status", "count", "completed", "pending", "failed")
    UNCONFIRMED = "unconfirmed", ("kind",)
    UNACCOUNTED = "unaccounted", ("under_way", "missing")
    STANDS_STILL = "stands_still", ("under_way", "missing")
    AFTER_REFUSAL = "after_refusal", "{refusal}, but {why}"
    AFTER_ANSWER = "after_answer", ("answer", "why")
    CHANGED_HERE = "changed_here", ("is_purchase",)
    OTHER_ID = "other_id", "its ID is different"
    OTHER_AMOUNT = "other_amount", "the amount is {theirs} instead of {ours}"
    OTHER_RECIPIENT = "other_recipient", "the recipient is different"
    OTHER_CODE = "other_code", "the code is different"
    OTHER_DESCRIPTION = "other_description", "the description is different"
    CODE_TAKEN = "code_taken", "the code {given} is taken by {id}"
    OTHER_KIND = "other_kind", ("is_purchase",)


class OfBooking(Code):
    JOINED = "joined", "{reference}"
    CANNOT_START = "cannot_start", "The search can't be started now."
    CANNOT_CANCEL = "cannot_cancel", "It can't be canceled now."
    JUST_CHANGED = "just_changed", "It has just changed. Look at its card and try again."
    NOT_SAID = "not_said", "Not confirmed yet. The card shows how the booking is now."
    NO_MASTER_KEY = "no_master_key", "Adding stores needs DELIVERY_MASTER_KEY. An admin can set it."
    NO_KEY = "no_key", "there is no API key for the store {store}"
    NAME_TAKEN = "name_taken", "There's already a store called {store}. Choose another name."
    NO_PUBLIC_URL = (
        "no_public_url",
        "PUBLIC_URL is missing, so Delivery has no address to call, and nothing was registered",
    )
    NO_SUCH_PREBOOKING = (
        "no_such_prebooking",
        "{store} has no pre-booking with this id. Copy it again from the dashboard.",
    )
    OTHER_PREBOOKING = "other_prebooking", "This pre-booking belongs to another request."
    TAKEN_IN = "taken_in", "This pre-booking belongs to {reference} already."


class OfList(Code):
    ANSWER_LOST = "list_answer_lost", "Switchboard was restarted while the file was being checked"
    EMPTY_RESULT = "empty_result", "its result is empty"
    RESULT_NOT_FETCHED = "result_not_fetched", "it {why}"
    GIVEN_UP = "list_given_up", "{why} ({times} times)"
    ASKED_TO_WAIT = "asked_to_wait", "E-mail check was too busy {times} times in a row ({why})"
    NOT_WORKING = "not_working", "E-mail check isn't working right now: {why}"
    ASKED_IN_VAIN = "asked_in_vain", "tried {times} times: {why}"
    ACCOUNT = "account_refused", "{why}"
    """One error about our account for several addresses in a row."""
    BUSY = "list_busy", "E-mail check is too busy; try again in a minute"
    TRY_AGAIN = "list_try_again", "{why}; try again in a minute"
    NO_COLUMN = "no_column", "the file no longer has that column"
    HARDLY_ADDRESSES = (
        "hardly_addresses",
        "the column “{name}” has few e-mail addresses ({addresses} of {filled} cells); "
        "choose another one, for example email",
    )
    UNUSABLE_FILE = "unusable_file", ("flaw", "rows", "names", "allowed", "counts", "more", "example")
    """Facts of :class:`bot.domain.files.tables.TableProblem`; ``counts``: pairs. ``example``: a valid first row."""
    FILE_RULE = "file_rule", ("rule",)
    FILE_LATER = "file_later", "{service} {why}. Try again in a minute."
    FILE_NEVER = "file_never", "{service} {why}."


class OfCall(Code):
    RESTARTED = "restarted", "Switchboard was restarted before the answer came"
    RESULT_LOST = "result_lost", "the result was lost in a restart"
    BROKEN = "broken", "something went wrong on our side; an admin finds it in the log"
    FILE_CUT_OFF = "file_cut_off", "the file couldn't be read to its end"
    TEXT_ONLY = "text_only", "this takes a text, not a file"
    NOT_CONFIGURED = "localization_not_configured", "Localization isn't configured"
    QUEUE_FULL = "queue_full", "you have {most} calls in progress, the maximum. Wait for one to finish or cancel one"
    UNKNOWN = "call_unknown", "Localization gave {why}"
    FILE_REFUSED = "file_refused", "Slack doesn't take the file ({why})"
    SERVICE_REFUSED = "service_refused", "it was done, but {service} {why}"
    NOT_HANDED_OVER = "not_handed_over", "it was done, but its files couldn't be uploaded: {why}"
    ARCHIVE_FULL = "archive_full", "one run can return {most} MB in total. Run this file on its own"
    BAD_INPUT = "bad_input", ("rule", "example")


class OfMode(Code):
    OLDER = "older", "the database is older than what was sent; an operator has to run switchboard resume"
    CHANGED = "mode_changed", "row {row} of the audit was changed"
    FREEZE_UNREADABLE = "freeze_unreadable", "we can't read the freeze setting, so nothing is sent"
    ROWS_UNREADABLE = "rows_unreadable", "its rows can't be read ({error})"
    NOT_IN_DATABASE = "not_in_database", "it is in the audit but not in the database"
    FREEZE_LOST = "freeze_lost", "payments are frozen in the audit log but not in the database"
    FREEZE_FORGED = "freeze_forged", "payments are frozen in the database but not in the audit log"


SUBJECTS: Final[tuple[type[Code], ...]] = (Verbatim, Exchange, Failed, OfRequest, OfBooking, OfList, OfCall, OfMode)
_CODES: Final[Mapping[str, Code]] = {code.value: code for subject in SUBJECTS for code in subject}
_WORDS: Final = frozenset({"words"})
"""Facts that every code may have: the message of a service or Slack."""


class Reason:
    """A code with all its declared facts, and ``words`` if a service sent a message. Immutable."""

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
        """Message of the service: foreign text, or empty."""
        return str(self.facts.get("words", ""))

    @property
    def quotes_answer(self) -> bool:
        """Whether it is an inconclusive answer with a message of the service."""
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
        """Read a reason from JSON; None if there is none. Raises ValueError if it isn't one."""
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
    """Return Slack's error code, e.g. ``not_in_channel``, or empty."""
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
