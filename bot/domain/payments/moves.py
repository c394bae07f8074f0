"""The state machine of every kind of request. The documents are drawn from it."""

from collections.abc import Iterable, Mapping
from typing import Final

from bot.domain.machine import Machine
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State
from bot.domain.reasons import OfRequest, has_code

_NEW, _AWAITING, _APPROVED, _SENDING = State.NEW, State.AWAITING, State.APPROVED, State.SENDING
_CREATING, _CREATE_UNKNOWN, _OPEN = State.CREATING, State.CREATE_UNKNOWN, State.OPEN
_COMMITTED, _PENDING, _COMMIT_UNKNOWN = State.COMMITTED, State.PENDING_ESCROW, State.COMMIT_UNKNOWN
_COMPLETED, _CANCELED, _FAILED = State.COMPLETED, State.CANCELED, State.FAILED
_NEEDS_HUMAN, _WITHDRAWN, _EXPIRED = State.NEEDS_HUMAN, State.WITHDRAWN, State.EXPIRED
_REJECTED, _MISMATCH, _REFUSED, _CLOSED = State.REJECTED, State.MISMATCH, State.REFUSED, State.CLOSED

_SETTLED: Final = {_COMPLETED, _CANCELED, _FAILED}
_ON_RECORD: Final = {_COMMITTED, _PENDING, *_SETTLED}
_BEFORE_SENDING: Final = {_SENDING, _AWAITING, _WITHDRAWN, _EXPIRED, _NEEDS_HUMAN}
_DECIDED: Final = {_APPROVED, _REJECTED, _WITHDRAWN, _EXPIRED}
"""By people. After a database was restored, what may have been sent since needs a person, in whatever state it is."""
_FOLLOWED: Final = {_COMMITTED: {_PENDING, *_SETTLED}, _PENDING: _SETTLED}

_DECLARED: Final[Mapping[Kind, Mapping[State, Iterable[State]]]] = {
    Kind.PAYOUT: {
        # A payout that was made elsewhere is not created: people decide at once.
        _NEW: {_CREATING, _AWAITING, _WITHDRAWN, _EXPIRED, _NEEDS_HUMAN, _MISMATCH},
        _CREATING: {_AWAITING, _CREATE_UNKNOWN, _NEW, _MISMATCH},
        _CREATE_UNKNOWN: {_AWAITING, _NEW, _NEEDS_HUMAN, _MISMATCH, _REFUSED},
        _AWAITING: {*_DECIDED, _NEEDS_HUMAN},
        _APPROVED: {*_BEFORE_SENDING, *_ON_RECORD, _MISMATCH},
        _SENDING: {*_ON_RECORD, _APPROVED, _REFUSED, _COMMIT_UNKNOWN},
        _COMMIT_UNKNOWN: {*_ON_RECORD, _NEEDS_HUMAN, _REFUSED},
        _NEEDS_HUMAN: {*_ON_RECORD, _APPROVED, _CREATE_UNKNOWN, _CLOSED},
        **_FOLLOWED,
    },
    Kind.ONE_STEP: {
        _NEW: {_AWAITING, _WITHDRAWN, _EXPIRED, _NEEDS_HUMAN, _MISMATCH},
        _AWAITING: {*_DECIDED, _NEEDS_HUMAN},
        _APPROVED: {*_BEFORE_SENDING, *_ON_RECORD, _REFUSED, _MISMATCH},
        _SENDING: {*_ON_RECORD, _APPROVED, _COMMIT_UNKNOWN},
        _COMMIT_UNKNOWN: {*_ON_RECORD, _NEEDS_HUMAN, _REFUSED},
        _NEEDS_HUMAN: {*_ON_RECORD, _APPROVED, _CLOSED},
        **_FOLLOWED,
    },
    Kind.PURCHASE: {
        _NEW: {_CREATING, _WITHDRAWN, _NEEDS_HUMAN, _MISMATCH},
        _CREATING: {_OPEN, _CREATE_UNKNOWN, _NEW, _MISMATCH},
        _CREATE_UNKNOWN: {_OPEN, _NEW, _NEEDS_HUMAN, _MISMATCH, _CLOSED, _REFUSED},
        _NEEDS_HUMAN: {_OPEN, _MISMATCH, _CLOSED},
        _OPEN: {*_SETTLED},
    },
    Kind.BULK: {
        _NEW: {_AWAITING, _WITHDRAWN, _NEEDS_HUMAN},
        _AWAITING: {*_DECIDED, _NEEDS_HUMAN},
        _APPROVED: {*_BEFORE_SENDING, _COMMITTED, _MISMATCH},
        _SENDING: {_COMMITTED, _APPROVED, _COMMIT_UNKNOWN},
        _COMMIT_UNKNOWN: {_COMMITTED, _NEEDS_HUMAN, _REFUSED},
        _NEEDS_HUMAN: {_COMMITTED, _APPROVED, _CLOSED},
        **_FOLLOWED,
    },
    Kind.BULK_CANCEL: {
        _NEW: {_AWAITING, _WITHDRAWN},
        _AWAITING: _DECIDED,
        _APPROVED: {*_BEFORE_SENDING, _COMMITTED, _COMPLETED, _FAILED, _MISMATCH},
        _SENDING: {_COMMITTED, _APPROVED, _COMMIT_UNKNOWN},
        # Canceling the same payment twice moves nothing twice, so after reading, what is left is sent on.
        _COMMIT_UNKNOWN: {_COMMITTED, _APPROVED, _NEEDS_HUMAN},
        _NEEDS_HUMAN: {_COMMITTED, _APPROVED, _CLOSED},
        _COMMITTED: {_COMPLETED, _FAILED},
    },
}
MACHINES: Final = {kind: Machine(declared, final=FINAL) for kind, declared in _DECLARED.items()}
CREATES: Final = frozenset(kind for kind in Kind if MACHINES[kind].allows(_NEW, _CREATING))
"""Whose first step sends something. The others ask people first."""
APPROVED: Final = frozenset(kind for kind in Kind if _AWAITING in MACHINES[kind].arrows)


def may_be_sent_again(one: Instruction) -> bool:
    """Whether a payout ended with nothing paid and nothing of it open, so that its requester may send it once more."""
    if one.kind not in (Kind.PAYOUT, Kind.ONE_STEP) or one.payload.taken:
        return False
    return one.state in (State.FAILED, State.REFUSED) or (
        one.state in (State.REJECTED, State.EXPIRED) and not one.commits
    )


def is_on_hold(instruction: Instruction) -> bool:
    """Whether nothing can be decided or sent before somebody does something or a day ends."""
    if has_code(instruction.reason, OfRequest.HELD):
        return instruction.state is State.AWAITING
    holds = (OfRequest.FROZEN, OfRequest.OVER_TODAY, OfRequest.EARLIER_NOT_UNPAID)
    return instruction.state is State.APPROVED and has_code(instruction.reason, *holds)
