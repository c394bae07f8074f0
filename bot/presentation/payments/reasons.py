"""Reasons why a request waits, ended or needs a person. Plain text with foreign words, stored as it is here."""

from collections.abc import Sequence
from typing import Final

from bot.domain.outcome import tells_words
from bot.domain.payments.bulk_progress import Tally
from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.instruction import CallbackKind, Instruction, State
from bot.domain.quorum import Short
from bot.presentation.blocks.text import counted
from bot.presentation.payments.bulk_words import payments
from bot.presentation.payments.holding import is_answered, is_unanswered
from bot.presentation.payments.words import job_word, status_word, word
from bot.presentation.services import PAYMENTS, to_set

FOUND_AFTER_RESTORE: Final = "the service has it already: it was sent before the database was put back"
UNKNOWN_HERE: Final = "the service holds what the database says was never sent"
NOBODY_ASKED: Final = "the payments service holds payments that report to us and that nothing in the database asked for"
NOT_SENT_IN_TIME: Final = "it was not sent in time after approval"
ADDRESS_NOT_CONFIRMED: Final = "nobody said whether its address is right"
EDITED: Final = "replaced by an edited request"
DAILY_LIMIT: Final = "the daily limit is reached"
ANOTHER_IS_SENT: Final = "another bulk payment is being submitted"
CREATED_IN_VAIN: Final = "its creation was tried several times"
NO_LINK: Final = "no checkout link can be made of its id"
NOT_LISTED: Final = "the service does not list it"
NOT_IN_HISTORY: Final = "the service's history does not show it"
NOTE_CHANGED: Final = "what the history held before it was sent is not what was noted then"
NOT_COMMITTED: Final = "it is created there, and not committed"
STILL_NOT_COMMITTED: Final = "the service still shows it as not committed"
STILL_PENDING: Final = "the service still shows them as pending"
NO_ITEMS: Final = "its list of items is empty"
FOLLOWED: Final = "it is followed at the service already"
READ_BEFORE: Final = "its items are read again before anything is canceled"
UNEXPLAINED: Final = "no reason given"
HISTORY: Final = "the history of bulk payments"

# To be filled in with what stands in the braces.
FROZEN: Final = "payments are frozen: {why}"
ENDED_HERE: Final = "{found}; it is {state} here"
UNREAD: Final = "it cannot be read ({why})"
UNUSABLE: Final = "{list} cannot be used: {why}"
LIST: Final = "the list of {listed}s"
PAID_BY: Final = "paid by {other}"
SEVERAL: Final = "the service holds several {records} with our code"
MISCOUNTED: Final = "the service counts {theirs} payments instead of {ours}"
MAY_BE_THIS_BULK: Final = "the service holds {id}, which is new and may be this one: look there which payments it makes"
MAY_BE_OURS: Final = (
    "the service holds {id}, made since this was sent, for the same recipient and amount and without our code: look "
    "whether that is this one"
)

_REPORTED: Final = {
    CallbackKind.CONFIRMATION: "completion",
    CallbackKind.CANCEL: "cancellation",
    CallbackKind.FAILURE: "failure",
    CallbackKind.PURCHASE: "payment",
}


def says(status: str) -> str:
    """What the service's record says; ``status`` as it spells it."""
    return f"the service says {status_word(status)}"


def unasked(status: str) -> str:
    """Somebody else sent a payout of ours."""
    return f"{says(status)}, although Switchboard sent nothing"


def changed(before: State, status: str) -> str:
    """The service tells another end than before."""
    return f"it was {word(before)}, now {says(status)}"


def several_bulk(ids: Sequence[str]) -> str:
    """More than one bulk payment has our items; ``ids`` of the service."""
    return f"the service holds {len(ids)} bulk payments with our items: {', '.join(ids[:5])}"


def paid_as(job: BulkJob) -> str:
    """The bulk payment at the service that was closed here as not paid."""
    return f"the service holds it as {job.id}, {job_word(job)}"


def unconfirmed(kind: CallbackKind) -> str:
    """No record agrees with a callback."""
    return f"a callback reported {_REPORTED[kind]}, but the service's record never confirmed it"


def unaccounted(tally: Tally) -> str:
    """The service is through, and some payments have no end."""
    return f"the service says it is through, with {_left(tally)}"


def stands_still(tally: Tally) -> str:
    """The service is not through and does not go on."""
    return f"nothing has changed for a long time; {_left(tally)}"


def _left(tally: Tally) -> str:
    parts = [
        f"{payments(tally.under_way)} neither done nor failed" if tally.under_way else "",
        f"{payments(tally.unaccounted)} missing from its list" if tally.unaccounted else "",
    ]
    return " and ".join(part for part in parts if part)


def not_configured(missing: Sequence[str]) -> str:
    """Settings are missing; their names."""
    return f"payments is not configured: {to_set(missing, code=False)}"


def out_of_reach(short: Short) -> str:
    """There are too few people to approve a request."""
    people = {0: "nobody", 1: "only 1 person"}.get(short.can, f"only {short.can} people")
    return f"it needs {counted(short.needs, 'approval')}, and {people} can approve it"


def undecided(held: str) -> str:
    """The time to decide is over. ``held``: why it could not be decided, or empty."""
    return f"{held}; the time for that is over" if held else "nobody decided in time"


def not_sent_in_time(held: str, *, again: bool) -> str:
    """The time to send is over. ``held``: why it was not sent, or empty; ``again``: in a new attempt."""
    if again:
        return f"the new attempt was not sent in time{f' ({held})' if held else ''}"
    silent = is_unanswered(PAYMENTS, held) or is_answered(PAYMENTS, held)
    return f"{NOT_SENT_IN_TIME}: {held}" if silent else held or NOT_SENT_IN_TIME


def for_people(instruction: Instruction, reason: str) -> str:
    """Why people have to decide, after what the service answered while the outcome was open."""
    if instruction.refusal:
        return f"{instruction.refusal}, but {reason}"
    if instruction.state in (State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN) and tells_words(instruction.reason):
        return f"the service gave {instruction.reason}, and now {reason}"
    return reason
