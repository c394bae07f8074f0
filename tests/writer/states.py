"""Where requests stand when they are attacked: every state of every kind of request, or why it is left out."""

from dataclasses import dataclass
from typing import Final

from bot.domain.payments.instruction import Kind, State


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the requests of a batch stand; ``returns``: cancellations of payouts in escrow, not of bulk payments."""

    kind: Kind
    state: State
    returns: bool = False

    def __str__(self) -> str:
        return f"{self.kind} {self.state}{' of a payout' if self.returns else ''}"


_EVERY: Final = frozenset(
    {
        *(State.NEW, State.AWAITING, State.APPROVED, State.SENDING, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN),
        *(State.COMMITTED, State.COMPLETED, State.FAILED, State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.CLOSED),
    }
)
"""States of every kind that people approve."""
_PAYS: Final = _EVERY | {State.PENDING_ESCROW, State.CANCELED, State.REFUSED}
_CREATES: Final = _PAYS | {State.CREATING, State.CREATE_UNKNOWN, State.MISMATCH}

_ATTACKED: Final = (
    (Kind.PAYOUT, False, _CREATES),
    (Kind.ONE_STEP, False, _PAYS),
    (Kind.BULK, False, _PAYS),
    (Kind.BULK_CANCEL, False, _EVERY),
    (Kind.BULK_CANCEL, True, _EVERY),
)
SCENES: Final = tuple(
    Scene(kind, state, returns) for state in State for kind, returns, states in _ATTACKED if state in states
)
"""All of them; the states in which something may still be sent come first."""

LEFT_OUT: Final[dict[tuple[Kind, State], str]] = {
    **{
        (kind, State.MISMATCH): "only a request whose rows were changed ends so, and changing them is the attack"
        for kind in (Kind.BULK, Kind.BULK_CANCEL)
    },
    (Kind.ONE_STEP, State.MISMATCH): "another payout has the code that was chosen for it: like one that was withdrawn",
    **{
        (Kind.PURCHASE, state): "it asks somebody for money: nobody approves it, and nothing leaves"
        for state in (
            *(State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.NEEDS_HUMAN, State.OPEN, State.MISMATCH),
            *(State.COMPLETED, State.CANCELED, State.FAILED, State.WITHDRAWN, State.REFUSED, State.CLOSED),
        )
    },
}
"""What is not attacked, and why."""

APPROVALS_GIVEN: Final[dict[State, int]] = {State.AWAITING: 1, State.APPROVED: 2, State.NEEDS_HUMAN: 1}
"""Approvals that people have given for what is sent next; in the other states nothing more may be sent."""
