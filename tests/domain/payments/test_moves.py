"""The state machine of every kind of request."""

import pytest

from bot.domain.payments.instruction import FINAL, MONEY_OUT, Kind, State
from bot.domain.payments.moves import APPROVED, MACHINES

EVERY_KIND = pytest.mark.parametrize("kind", Kind)


def arrows(kind: Kind) -> set[tuple[State, State]]:
    return {(one, to) for one, targets in MACHINES[kind].arrows.items() for to in targets}


def before(kind: Kind, state: State) -> set[State]:
    return {one for one, to in arrows(kind) if to is state}


def after(kind: Kind, *states: State) -> set[State]:
    return {to for one, to in arrows(kind) if one in states}


@EVERY_KIND
def test_requests_never_leave_final_states_or_undo_acceptance(kind: Kind) -> None:
    settled = {State.PENDING_ESCROW, State.COMPLETED, State.CANCELED, State.FAILED}
    assert not after(kind, *FINAL)
    assert after(kind, State.COMMITTED, State.PENDING_ESCROW) <= settled
    assert before(kind, State.SENDING) == ({State.APPROVED} if kind in APPROVED else set())


def test_only_purchases_skip_approval_and_wait_for_a_buyer() -> None:
    decided = {State.AWAITING, State.APPROVED, State.SENDING, State.COMMIT_UNKNOWN, State.COMMITTED, State.REJECTED}
    assert not decided & {state for arrow in arrows(Kind.PURCHASE) for state in arrow}
    assert Kind.PURCHASE not in APPROVED
    assert not MACHINES[Kind.PURCHASE].allows(State.APPROVED, State.SENDING)
    assert [kind for kind in Kind if State.OPEN in {to for _, to in arrows(kind)}] == [Kind.PURCHASE]


@pytest.mark.parametrize("kind", sorted(MONEY_OUT))
def test_sending_always_follows_approval(kind: Kind) -> None:
    assert before(kind, State.APPROVED) == {State.AWAITING, State.NEEDS_HUMAN, State.SENDING}
    assert not {State.APPROVED, State.SENDING, State.NEW} & after(kind, State.COMMIT_UNKNOWN)


@EVERY_KIND
def test_every_state_is_reachable_and_left_unless_final(kind: Kind) -> None:
    reached, ahead = {State.NEW}, [State.NEW]
    while ahead:
        new = after(kind, ahead.pop()) - reached
        reached |= new
        ahead += new
    named = {state for arrow in arrows(kind) for state in arrow}
    assert reached == named
    assert {one for one, _ in arrows(kind)} == named - FINAL
