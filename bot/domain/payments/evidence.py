"""What records and lists of the service prove.

A list proves that something is not there only when it would have shown it: it was read to its end, it shows our
codes, and nothing in it could be what is looked for under another name.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.domain.money import Cents, plain
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.reasons import OfRequest, Reason

SKEW: Final = timedelta(minutes=5)
_MOST_SUSPECTS: Final = 50


def same_code(one: str | None, other: str) -> bool:
    return folded(one) == folded(other)


def folded(code: str | None) -> str:
    """A code without what services are known to change about it; empty when there is none."""
    return "".join((code or "").split()).casefold()


def differences(instruction: Instruction, operation: Operation) -> tuple[Reason, ...]:
    """What in the service's record is not what was asked for; empty when it is the same payout or purchase.

    Code and recipient may be absent from a record (fields differ and optional ones come back empty): the
    id ties it to our own create request. But neither may be another one, and the amount must be there.
    Of a purchase, the address may be another one: anybody with the link may pay, and the record then names who did.
    """
    sells = instruction.kind is Kind.PURCHASE
    found: list[Reason] = []
    if not instruction.intact():
        found.append(Reason(OfRequest.CHANGED_HERE, is_purchase=sells))
    if instruction.remote_id is not None and operation.id != instruction.remote_id:
        found.append(Reason(OfRequest.OTHER_ID))
    if operation.cents != instruction.cents:
        reported = "unreadable" if operation.cents is None else plain(operation.cents)
        found.append(Reason(OfRequest.OTHER_AMOUNT, theirs=reported, ours=plain(instruction.cents)))
    if not sells and operation.email and operation.email.casefold() != instruction.payload.email.casefold():
        found.append(Reason(OfRequest.OTHER_RECIPIENT))
    if operation.code and not same_code(operation.code, instruction.code):
        found.append(Reason(OfRequest.OTHER_CODE))
    if operation.operation_type and operation.operation_type.casefold() != ("purchase" if sells else "payout"):
        found.append(Reason(OfRequest.OTHER_KIND, is_purchase=sells))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What is looked for in a list: the other party, the amount, and since when a request may have made it."""

    email: str
    cents: Cents
    since: datetime


class Listing:
    """What one reading of a list shows besides what is looked for; ``known``: our codes that it may show, folded."""

    def __init__(self, sought: Sought, *, known: frozenset[str]) -> None:
        self.suspects: list[Operation] = []
        self._sought = sought
        self._known = known
        self._seen = self._ours = self._recent = self._recent_with_code = 0

    def see(self, operation: Operation) -> None:
        code, sought = folded(operation.code), self._sought
        same_person = operation.email is None or operation.email.casefold() == sought.email.casefold()
        same_amount = operation.cents is None or operation.cents == sought.cents
        is_recent = operation.created_at is None or operation.created_at >= sought.since - SKEW
        self._seen += 1
        if code in self._known:
            self._ours += 1
        elif same_person and same_amount and is_recent and len(self.suspects) < _MOST_SUSPECTS:
            self.suspects.append(operation)
        if is_recent:
            self._recent += 1
            self._recent_with_code += bool(code)

    @property
    def doubt(self) -> Reason | None:
        """Why the list would not have shown our code; None when it would have. An empty list hides nothing."""
        hides_all = self._seen and not self._ours
        hides_the_latest = self._recent and not self._recent_with_code
        return Reason(OfRequest.NO_CODES) if hides_all or hides_the_latest else None


_PAYOUT_STATES = {
    OperationStatus.COMMITTED: State.COMMITTED,
    OperationStatus.PENDING: State.PENDING_ESCROW,
    OperationStatus.COMPLETED: State.COMPLETED,
    OperationStatus.CANCELED: State.CANCELED,
    OperationStatus.FAILED: State.FAILED,
}

_RANKS = {State.COMMITTED: 1, State.PENDING_ESCROW: 2}
_FINAL_RANK = 3
SETTLED = frozenset({State.COMPLETED, State.CANCELED, State.FAILED})
UNPAID = FINAL - SETTLED
"""The final states that say so without the service's word: a record that reads as paid contradicts them."""


def state_of(operation: Operation) -> State | None:
    """The state our instruction takes from this record; None while it only says ``created`` or something unknown."""
    return _PAYOUT_STATES.get(operation.state) if operation.state is not None else None


def is_paid(operation: Operation) -> bool:
    state = state_of(operation)
    return state is not None and state not in (State.FAILED, State.CANCELED)


def rank(state: State) -> int:
    """How far the service has carried it: 0 before the commit, then committed, pending, final."""
    return _FINAL_RANK if state in FINAL else _RANKS.get(state, 0)


def daily_key(now: datetime) -> str:
    return now.date().isoformat()


_PURCHASE_STATES = {
    OperationStatus.CONFIRMED: State.COMPLETED,
    OperationStatus.CANCELED: State.CANCELED,
    OperationStatus.FAILED: State.FAILED,
}

PURCHASE_SETTLED = frozenset(_PURCHASE_STATES.values())


def purchase_state_of(operation: Operation) -> State | None:
    """The final state this record brings; None while it says ``created`` or something that no purchase is."""
    return _PURCHASE_STATES.get(operation.state) if operation.state is not None else None
