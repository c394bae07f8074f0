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
def test_nothing_leads_out_of_a_final_state_or_back_from_what_the_service_accepted(kind: Kind) -> None:
    settled = {State.PENDING_ESCROW, State.COMPLETED, State.CANCELED, State.FAILED}
    assert not after(kind, *FINAL)
    assert after(kind, State.COMMITTED, State.PENDING_ESCROW) <= settled
    assert before(kind, State.SENDING) == ({State.APPROVED} if kind in APPROVED else set())


def test_a_purchase_asks_nobody_and_is_never_sent_and_it_alone_waits_for_its_buyer() -> None:
    decided = {State.AWAITING, State.APPROVED, State.SENDING, State.COMMIT_UNKNOWN, State.COMMITTED, State.REJECTED}
    assert not decided & {state for arrow in arrows(Kind.PURCHASE) for state in arrow}
    assert Kind.PURCHASE not in APPROVED
    assert not MACHINES[Kind.PURCHASE].allows(State.APPROVED, State.SENDING)
    assert [kind for kind in Kind if State.OPEN in {to for _, to in arrows(kind)}] == [Kind.PURCHASE]


@pytest.mark.parametrize("kind", sorted(MONEY_OUT))
def test_what_is_sent_was_approved_by_people_also_after_an_unknown_commit(kind: Kind) -> None:
    assert before(kind, State.APPROVED) == {State.AWAITING, State.NEEDS_HUMAN, State.SENDING}
    assert not {State.APPROVED, State.SENDING, State.NEW} & after(kind, State.COMMIT_UNKNOWN)


@EVERY_KIND
def test_every_state_of_a_kind_can_be_reached_from_new_and_left_unless_it_is_final(kind: Kind) -> None:
    reached, ahead = {State.NEW}, [State.NEW]
    while ahead:
        new = after(kind, ahead.pop()) - reached
        reached |= new
        ahead += new
    named = {state for arrow in arrows(kind) for state in arrow}
    assert reached == named
    assert {one for one, _ in arrows(kind)} == named - FINAL
