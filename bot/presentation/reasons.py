"""Reasons in words: the only place that turns a :class:`bot.domain.reasons.Reason` into a sentence.

Most are templates over the facts of their code. What an exchange came to reads in two ways: by itself ("it answered
500"), and as a sentence that names the service ("The payments service answered 500").
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from math import ceil
from typing import Final

from bot.domain.errors import OperatorError, PersonError, ServiceTrouble
from bot.domain.files.tables import Flaw, TableProblem
from bot.domain.payments.instruction import State
from bot.domain.policy import Short
from bot.domain.reasons import (
    Code,
    Exchange,
    Failed,
    OfBooking,
    OfCall,
    OfList,
    OfMode,
    OfRequest,
    Reason,
    Verbatim,
    has_code,
)
from bot.domain.services import PAYMENTS
from bot.domain.text import clean
from bot.domain.troubles import FileTrouble, Trouble, failed, full_reason, unusable
from bot.presentation.blocks.text import QUOTE_LIMIT, as_said, capital, moment, quote, sentence_of, typed
from bot.presentation.table_problems import EXAMPLE, table_problem
from bot.presentation.words import OF_REQUESTS, Facts, status_word, word

Words = str | Callable[[Facts, "_Named"], str]
_INSTANT: Final = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d) UTC", re.ASCII)
_PLAIN_REFUSAL: Final = re.compile(r"^the service refused the request \(([0-9]{3})\)")
"""How a version without codes stored a refusal that names nothing."""
_UNREADABLE: Final = "it cannot be read"
_TWO_MINUTES: Final = 120
_MOST_IDS: Final = 5
_MOST_WORDS: Final = 300  # characters of a service's own words inside a reason


class _Named:
    """How a sentence begins: by itself, or with the name of the service."""

    def __init__(self, by: str) -> None:
        the = f"The {by} service"
        self.it = the if by else "it"
        self.its = f"{the}'s" if by else "its"
        self.the_service = the if by else "the service"
        self.the_request = f"The request to the {by} service" if by else "the request"
        self.gave = f"{the} gave " if by else ""
        self.got = f"{the} got " if by else ""
        self.who = f"{the}: " if by else ""
        self.by = by


def worded(reason: Reason | None, *, by: str = "") -> str:
    """A reason in words: foreign text, escape it. ``by``: the service with whose name the sentence begins."""
    if reason is None:
        return ""
    named, words = _Named(by), _WORDS[reason.code]
    if callable(words):
        said = words(reason.facts, named)
    else:
        told = {name: worded(fact) if isinstance(fact, Reason) else fact for name, fact in reason.facts.items()}
        said = words.format_map({**vars(named), **told})
    if not reason.words:
        return said
    short = reason.words if len(reason.words) <= _MOST_WORDS else reason.words[: _MOST_WORDS - 1] + "…"
    return f"{said}, saying “{short}”"


def in_words(found: object) -> str:
    """A stored reason in words; also one that a version without codes stored as a sentence. Total: never raises."""
    try:
        return worded(Reason.read(found))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # a row was forged, or is of tomorrow
        return _UNREADABLE


def problem_of(error: OperatorError) -> str:
    """The problem alone, with what the service said about it, for the terminal."""
    problem = error.problem if isinstance(error.problem, Reason) else Reason(Verbatim.GIVEN, text=error.problem)
    return worded(problem.saying(error.words))


def sentence(trouble: Trouble, *, service: str = PAYMENTS, advice: bool = True) -> str:
    """One sentence a person can act on; see :func:`bot.domain.troubles.failed`. Foreign text: escape it."""
    return worded(failed(trouble, service=service, advice=advice))


def told(trouble: ServiceTrouble | OperatorError) -> str:
    """Why, in a few words, with what the service said about it: foreign text, escape it."""
    return worded(full_reason(trouble))


def reason_of(reason: Reason | None, limit: int = QUOTE_LIMIT, *, after_colon: bool = False) -> str:
    """A reason as a sentence in mrkdwn, instants in the reader's own time zone. ``after_colon``: no capital letter."""

    def in_the_readers_time(found: re.Match[str]) -> str:
        try:
            return moment(datetime.fromisoformat(f"{found[1]}+00:00"))
        except ValueError:  # it only looks like one
            return found[0]

    said = quote(worded(reason), limit)
    return _INSTANT.sub(in_the_readers_time, as_said(said) if after_colon else sentence_of(said))


def because(reason: Reason | str | None, limit: int = QUOTE_LIMIT) -> str:
    """Why, as a sentence in mrkdwn with a space before it, or nothing. ``reason``: a text is somebody's own words."""
    said = reason if isinstance(reason, str) else worded(reason)
    return f" Reason: {as_said(typed(said, limit))}" if clean(said) else ""


def because_refused(reason: Reason | None) -> str:
    """Like :func:`because`, after words that say that the service refused: what names nothing is its status alone."""
    if reason is not None and reason.code is Exchange.REFUSED:
        status = reason.facts["status"]
        if status is not None and status not in _REFUSALS and not reason.facts["fields"]:
            return because(Reason(Exchange.ANSWERED, status=status).saying(reason.words))
    if has_code(reason, Verbatim.AS_STORED):
        return because(_PLAIN_REFUSAL.sub(r"answer \1", worded(reason)))
    return because(reason)


def rule_of(error: PersonError) -> str:
    return _plain(error.rule)


def _plain(said: Reason | str) -> str:
    return said if isinstance(said, str) else worded(said)


def file_trouble(trouble: FileTrouble, *, example: str = EXAMPLE) -> str:
    """Why a file gave no table, in one sentence of plain text. ``example``: a first row that would be right here."""
    return worded(unusable(trouble, example=example))


def with_example(rule: str, example: str) -> str:
    """The rule that an input breaks as a sentence, with a right one; nothing is formatted."""
    said = sentence_of(rule)
    return said if not example or example in said else f"{said} Example: {example}"


def to_set(names: Sequence[str], *, code: bool = True) -> str:
    """Says that the operator has to set these variables; their names as mrkdwn, or as plain text without ``code``."""
    return f"the operator has to set {', '.join(f'`{name}`' if code else name for name in names)}"


def short_of_people(short: Short) -> str:
    return worded(Reason(OfRequest.OUT_OF_REACH, needs=short.needs, can=short.can))


# Outcomes of one request.

_REFUSALS: Final = {
    401: "did not accept our credentials",
    403: "does not allow us this",
    404: "does not know what was asked for",
}


def _refused(facts: Facts, named: _Named) -> str:
    status, fields = facts["status"], facts["fields"]
    otherwise = f"does not accept the {' and the '.join(fields)}" if fields else "refused the request"
    code = f" ({status})" if status is not None else ""
    return f"{named.the_service} {_REFUSALS.get(status, otherwise)}{code}"


_READ_BY_US: Final = {"person": "who somebody is", "group": "the members of a user group"}
_DENIALS: Final = {
    "missing_scope": "the bot token lacks a scope: put the manifest into the app's settings and install the app again",
    "plan_upgrade_required": "user groups need a paid plan of Slack: name people by their U… ids in the policy instead",
}


def _denies(facts: Facts, named: _Named) -> str:
    error, needed = facts["error"], facts["needed"]
    mend = _DENIALS.get(error, "Slack does not accept the bot token: copy it again into SLACK_BOT_TOKEN")
    what = _READ_BY_US[facts["what"]]
    return f"{named.who}does not let us read {what} ({error}{f', {needed}' if needed else ''}); {mend}"


# Troubles as sentences.


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return "in a minute"
    return f"in {ceil(seconds)} s" if seconds < _TWO_MINUTES else f"in {ceil(seconds / 60)} minutes"


def _failed_never(facts: Facts, _: _Named) -> str:
    service, why = facts["service"], facts["why"]
    if why.words:
        return as_said(f"The {service} service says: {why.words}")
    check = "; check what you gave" if facts["advice"] and facts["status"] is not None else ""
    return as_said(f"{worded(why, by=service)}{check}")


def _not_executed(facts: Facts, _: _Named) -> str:
    service, why = facts["service"], facts["why"]
    if facts["again"]:
        return as_said(f"{worded(why, by=service)}; nothing was executed, try again {_when(facts['wait'])}")
    if why.words:
        return as_said(f"Nothing was executed, the {service} service says: {why.words}")
    return as_said(f"{worded(why, by=service)}; nothing was executed")


_WORDS: Final[Mapping[Code, Words]] = {
    Verbatim.AS_STORED: "{who}{text}",
    Verbatim.GIVEN: "{who}{text}",
    Verbatim.ALL: lambda facts, _: "; ".join(map(worded, facts["parts"])),
    Exchange.NO_ANSWER: lambda facts, named: (
        f"{named.gave}no answer{f' ({failure})' if (failure := facts['failure']) else ''}"
    ),
    Exchange.NOT_LEFT: "{the_request} did not leave ({failure})",
    Exchange.SENDS_NOTHING: "{who}Switchboard sends nothing at the moment",
    Exchange.RESTS: "{the_service} has not answered for a while, so nothing is sent to it",
    Exchange.NOT_ASKED: "{it} has not answered for a while, so it was not asked",
    Exchange.TOO_MANY: "{got}too many requests",
    Exchange.ANSWERED: "{gave}answer {status}",
    Exchange.ANSWERED_AFTER_UNKNOWN: "{gave}answer {status} after an attempt of unknown outcome",
    Exchange.NO_JSON: "{gave}answer {status} with a body that is no JSON",
    Exchange.UNEXPECTED: "{gave}answer {status} with an unexpected body",
    Exchange.REFUSED: _refused,
    Exchange.READ_ANSWERED: "{it} answered {status}",
    Exchange.UNREADABLE: lambda facts, named: (
        f"{named.its} answer could not be read{f' ({problem})' if (problem := facts['problem']) else ''}"
    ),
    Exchange.PAGE: "{who}a page came instead of an answer",
    Exchange.ASKS_TO_WAIT: "{it} asks to wait",
    Exchange.LIST_GAP: "{its} list has an empty page before the last one",
    Exchange.LIST_CHANGED: "{its} list changed while it was read",
    Exchange.LIST_ENDS: "{its} list ends with page {page}",
    Exchange.OTHER_TYPE: "{who}this operation is a {type}, not a purchase",
    Exchange.OTHER_PAGE: "{who}page {asked} of the list was asked for, page {came} came",
    Exchange.OTHER_SIZE: "{who}{asked} operations a page were asked for, the answer says {came}",
    Exchange.OTHER_TYPE_LISTED: "{who}only {asked}s were asked for, a {came} came",
    Exchange.SCAN_CHANGED: "{who}the list changed while it was read",
    Exchange.SCAN_DOUBLE: "{who}the list showed an operation twice",
    Exchange.SCAN_STANDS: "{who}the list's pages do not advance",
    Exchange.SCAN_GAP: "{who}the list showed an empty page before its end",
    Exchange.SCAN_LONG: "{who}the list has more than {most} pages",
    Exchange.SCAN_COUNT: "{who}the list says {told} operations and showed {shown}",
    Exchange.PAYMENT_REQUIRED: "{the_service} wants to be paid first ({status})",
    Exchange.METHOD_UNKNOWN: "{the_service} does not know what was asked for ({status})",
    Exchange.GONE: "{the_service} does not offer this any more ({status})",
    Exchange.PLAIN_REFUSAL: "{the_service} refused the request ({status})",
    Exchange.FILE_TOO_LARGE: "{who}the file is larger than the service takes ({status})",
    Exchange.ADDRESS_TOO_LONG: "{who}the address is longer than the service takes ({status})",
    Exchange.KIND_OF_FILE: "{the_service} does not take this kind of file ({status})",
    Exchange.BOOKING_FIXED: "{who}the booking cannot be canceled now",
    Exchange.SEARCH_BEGUN: "{who}the search starts only from ON_HOLD, and the booking is not on hold any more",
    Exchange.PREBOOKING_FIXED: "{who}the pre-booking cannot be canceled any more",
    Exchange.SUSPENDED: "{the_service} has suspended the workspace",
    Exchange.OTHER_ENVIRONMENT: "{who}the key belongs to the other environment",
    Exchange.MASTER_KEY: "{who}the master key is not accepted",
    Exchange.STORE_KEY: "{who}the key of this store is not accepted",
    Exchange.RESULT_TOO_LARGE: "{who}made a result of {bytes} bytes, which is too large",
    Exchange.RESULT_OVER_LIMIT: "{who}made a result of more than {bytes} bytes, which is too large",
    Exchange.RESULT_REDIRECTS: "{who}sent us from address to address for its result",
    Exchange.RESULT_PRIVATE: "{who}named a private address for its result",
    Exchange.RESULT_NO_ADDRESS: "{who}named an address for its result that is none",
    Exchange.RESULT_UNREACHABLE: "{who}has a result at a host that cannot be reached",
    Exchange.RESULT_NOT_HANDED: "{who}did not hand its result over ({why})",
    Exchange.RESULT_GONE: "{who}has no result at the address it named any more ({status}); such addresses expire",
    Exchange.NOT_CONFIGURED: "{who}is not configured",
    Exchange.SLACK_ERROR: "{who}{error}",
    Exchange.SLACK_UNREACHABLE: "{who}cannot be reached",
    Exchange.SLACK_BROKE: "{who}the connection broke ({error})",
    Exchange.SLACK_WAIT: "{who}asked us to wait",
    Exchange.SLACK_UNREADABLE: "{who}answered {status} without a readable body",
    Exchange.SLACK_FILE_KEPT: "{who}did not hand the file over ({why})",
    Exchange.SLACK_FILE_REFUSED: "{who}did not take the file ({why})",
    Exchange.SLACK_UPLOAD_ADDRESS: "{who}named an upload address that is not its own",
    Exchange.SLACK_UPLOAD_LENGTH: "{who}was promised {bytes} bytes, and another number came",
    Exchange.SLACK_UPLOAD_STATUS: "{who}upload_answered_{status}",
    Exchange.SLACK_NOBODY: "{who}did not say who you are",
    Exchange.SLACK_SLOW_PEOPLE: "{who}takes too long to say who people are",
    Exchange.SLACK_MESSAGE_MISSING: "{who}has not taken the message of this call yet",
    Exchange.SLACK_DENIES: _denies,
    Exchange.ANSWER_LOST: "{who}Switchboard failed before the answer was stored",
    Exchange.PROCESS_ENDED: "{who}the process ended before the answer was stored",
    Failed.NAMED: lambda facts, _: f"{facts['service']}: {worded(facts['why'])}",
    Failed.MENDED: lambda facts, named: f"{worded(facts['why'], by=named.by)}; {facts['mend']}",
    Failed.NOW: lambda facts, _: as_said(
        worded(facts["why"], by=facts["service"]) + (f"; try again {_when(facts['wait'])}" if facts["advice"] else "")
    ),
    Failed.NEVER: _failed_never,
    Failed.OPERATOR: lambda facts, _: as_said(
        f"The operator of Switchboard has to mend this: {worded(facts['why'])}"
        + (f"; {facts['mend']}" if facts["mend"] else "")
    ),
    Failed.NOT_EXECUTED: _not_executed,
    Failed.UNKNOWN: lambda facts, _: (
        f"{worded(facts['why'], by=facts['service'])}; whether it was executed is not known yet, so it is looked up "
        "and not repeated."
    ),
    **OF_REQUESTS,
    OfRequest.SERVICE_SAID: "the {service} service answered {status}",
    OfRequest.RESTORED: "held: the database may be older than the services, so an operator has to look",
    OfRequest.ASK_AGAIN: (
        "the database was put back to an earlier moment, so what was decided before needs deciding again"
    ),
    OfRequest.FROZEN: "payments are frozen: {why}",
    OfRequest.DAILY_LIMIT: "the daily limit is reached",
    OfRequest.ANOTHER_IS_SENT: "another bulk payment is being submitted",
    OfRequest.NOT_CONFIGURED: lambda facts, _: f"payments is not configured: {to_set(facts['missing'], code=False)}",
    OfRequest.UNDECIDED: lambda facts, _: (
        f"{worded(facts['held'])}; the time for that is over" if facts["held"] else "nobody decided in time"
    ),
    OfRequest.NOT_SENT_IN_TIME: lambda facts, _: (
        "it was not sent in time after approval" + (f": {worded(facts['held'])}" if facts["held"] else "")
    ),
    OfRequest.NEW_ATTEMPT_NOT_SENT: lambda facts, _: (
        "the new attempt was not sent in time" + (f" ({worded(facts['held'])})" if facts["held"] else "")
    ),
    OfRequest.ADDRESS_NOT_CONFIRMED: "nobody said whether its address is right",
    OfRequest.EDITED: "replaced by an edited request",
    OfRequest.CREATED_IN_VAIN: "its creation was tried several times",
    OfRequest.NO_LINK: "no checkout link can be made of its id",
    OfRequest.NOT_LISTED: "the service does not list it",
    OfRequest.NOT_IN_HISTORY: "the service's history does not show it",
    OfRequest.NOTE_CHANGED: "what the history held before it was sent is not what was noted then",
    OfRequest.NOT_COMMITTED: "it is created there, and not committed",
    OfRequest.STILL_NOT_COMMITTED: "the service still shows it as not committed",
    OfRequest.STILL_PENDING: "the service still shows them as pending",
    OfRequest.NO_ITEMS: "{its} list of items is empty",
    OfRequest.FOLLOWED: "it is followed at the service already",
    OfRequest.READ_BEFORE: "its items are read again before anything is canceled",
    OfRequest.FOUND_AFTER_RESTORE: "the service has it already: it was sent before the database was put back",
    OfRequest.ENDED_HERE: lambda facts, _: f"{worded(facts['found'])}; it is {word(State(facts['state']))} here",
    OfRequest.UNREAD: "it cannot be read ({service}: {why})",
    OfRequest.LIST_UNUSABLE: "the list cannot be used: {why}",
    OfRequest.HISTORY_UNUSABLE: "the history cannot be used: {why}",
    OfRequest.NO_CODES: (
        "the service's list does not show our codes, so this cannot be looked up in it; "
        'an admin names their field in SERVICES_FILE, [payments.records.operation] code = "…"'
    ),
    OfRequest.PAID_BY: "paid by {other}",
    OfRequest.SEVERAL: "the service holds several {records} with our code",
    OfRequest.SEVERAL_BULK: lambda facts, _: (
        f"the service holds {len(facts['ids'])} bulk payments with our items: {', '.join(facts['ids'][:_MOST_IDS])}"
    ),
    OfRequest.MISCOUNTED: "the service counts {theirs} payments instead of {ours}",
    OfRequest.MAY_BE_THIS_BULK: (
        "the service holds {id}, which is new and may be this one: look there which payments it makes"
    ),
    OfRequest.MAY_BE_OURS: (
        "the service holds {id}, made since this was sent, for the same recipient and amount and without our code: "
        "look whether that is this one"
    ),
    OfRequest.SAYS: lambda facts, _: f"the service says {status_word(facts['status'])}",
    OfRequest.UNASKED: lambda facts, _: (
        f"the service says {status_word(facts['status'])}, although Switchboard sent nothing"
    ),
    OfRequest.CONTRADICTED: lambda facts, _: (
        f"it was {word(State(facts['before']))}, now the service says {status_word(facts['status'])}"
    ),
    OfRequest.AFTER_REFUSAL: "{refusal}, but {why}",
    OfRequest.AFTER_ANSWER: "the service gave {answer}, and now {why}",
    OfRequest.CHANGED_HERE: lambda facts, _: (
        f"our own record was changed after it was {'asked for' if facts['is_purchase'] else 'approved'}"
    ),
    OfRequest.OTHER_ID: "it has another id",
    OfRequest.OTHER_AMOUNT: "the amount is {theirs} instead of {ours}",
    OfRequest.OTHER_RECIPIENT: "the recipient is another one",
    OfRequest.OTHER_CODE: "the code is another one",
    OfRequest.OTHER_DESCRIPTION: "the description is another one",
    OfRequest.CODE_TAKEN: "the code {given} is taken: the service holds {id} under it",
    OfRequest.OTHER_KIND: lambda facts, _: f"it is no {'purchase' if facts['is_purchase'] else 'payout'}",
    OfRequest.LIST_HOLDS: "the list of {listed}s holds it",
    OfRequest.LIST_LACKS: "the list of {listed}s does not hold it",
    OfRequest.HISTORY_HOLDS: "the history of bulk payments holds it",
    OfRequest.HISTORY_LACKS: "the history of bulk payments does not hold it",
    OfBooking.JOINED: "{reference}",
    OfBooking.CANNOT_START: "The search starts by hand only while it is on hold.",
    OfBooking.CANNOT_CANCEL: "It cannot be canceled now.",
    OfBooking.JUST_CHANGED: "It has just changed. Look at its card and try again.",
    OfBooking.NOT_SAID: (
        "The delivery service did not say whether it did that. The card shows what it says of the booking now."
    ),
    OfBooking.NO_MASTER_KEY: "Stores are made with DELIVERY_MASTER_KEY, which is missing; the operator can set it.",
    OfBooking.NO_KEY: "there is no key for the store {store}",
    OfBooking.NAME_TAKEN: "There is a store called {store} already. Choose another name.",
    OfBooking.NO_PUBLIC_URL: (
        "PUBLIC_URL is missing, so there is no address that the delivery service could reach, and nothing was "
        "registered"
    ),
    OfBooking.NO_SUCH_PREBOOKING: "{store} has no pre-booking with this id. Copy it again from the dashboard.",
    OfBooking.OTHER_PREBOOKING: "This pre-booking belongs to another request.",
    OfBooking.TAKEN_IN: "This pre-booking belongs to {reference} already.",
    OfList.ANSWER_LOST: "Switchboard was restarted while the service had the file",
    OfList.EMPTY_RESULT: "its result is empty",
    OfList.RESULT_NOT_FETCHED: "it {why}",
    OfList.GIVEN_UP: "{why} ({times} times)",
    OfList.ASKED_TO_WAIT: "the service asked to wait {times} times in a row ({why})",
    OfList.NOT_WORKING: "the service does not work at the moment: {why}",
    OfList.ASKED_IN_VAIN: "asked {times} times: {why}",
    OfList.ACCOUNT: "{why}",
    OfList.BUSY: "the service has too much to do; try again in a minute",
    OfList.TRY_AGAIN: "{why}; try again in a minute",
    OfList.NO_COLUMN: "the file has no such column any more",
    OfList.HARDLY_ADDRESSES: (
        "the column “{name}” hardly holds e-mail addresses ({addresses} of {filled} cells); "
        "choose the one that does, for example email"
    ),
    OfList.UNUSABLE_FILE: lambda facts, _: table_problem(
        TableProblem(
            Flaw(facts["flaw"]),
            counts=dict(facts["counts"]),
            **{name: facts[name] for name in ("rows", "names", "allowed", "more")},
        ),
        example=facts["example"],
    ),
    OfList.FILE_RULE: lambda facts, _: f"{capital(_plain(facts['rule']))}.",
    OfList.FILE_LATER: "{service} {why}. Try again in a minute.",
    OfList.FILE_NEVER: "{service} {why}.",
    OfCall.RESTARTED: "Switchboard was restarted before the answer came",
    OfCall.RESULT_LOST: "a restart lost what the service had made",
    OfCall.BROKEN: "something went wrong here; the operator finds it in the log",
    OfCall.FILE_CUT_OFF: "the file could not be read to its end",
    OfCall.TEXT_ONLY: "this takes a text, no file",
    OfCall.NOT_CONFIGURED: "localization is not configured",
    OfCall.QUEUE_FULL: ("you have {most} calls under way or waiting, which is the most; wait for one, or cancel one"),
    OfCall.UNKNOWN: "the localization service gave {why}",
    OfCall.FILE_REFUSED: "Slack does not take the file ({why})",
    OfCall.SERVICE_REFUSED: "it was done, but the {service} service {why}",
    OfCall.NOT_HANDED_OVER: "it was done, but its files could not be handed over: {why}",
    OfCall.BAD_INPUT: lambda facts, _: with_example(_plain(facts["rule"]), facts["example"]),
    OfMode.OLDER: "what was written down outside the database says that it once held more than it does now",
    OfMode.UNREADABLE: "it cannot be read whether Switchboard may send",
    OfMode.CHANGED: "row {row} of the audit was changed",
    OfMode.FREEZE_UNREADABLE: "it cannot be read whether they are",
    OfMode.ROWS_UNREADABLE: "its rows cannot be read ({error})",
    OfMode.NOT_IN_DATABASE: "it is in the audit and not in the database",
    OfMode.FREEZE_LOST: "Payments are frozen, says the audit; the database says that they are not",
    OfMode.FREEZE_FORGED: "Payments are not frozen, says the audit; the database says that they are",
    OfMode.UNKNOWN_HERE: "the service holds what the database says was never sent: {reference}",
    OfMode.NOBODY_ASKED: (
        "the payments service holds payments that report to us and that nothing in the database asked for"
    ),
}
