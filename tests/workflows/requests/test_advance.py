"""Steps of requests that are due: what is put off, what has no step, what waits for people."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import refusal
from bot.domain.payments.instruction import Choice, Instruction, Kind, State
from bot.domain.reasons import Exchange, OfRequest, Reason
from bot.presentation.reasons import worded
from bot.workflows.context import Context
from bot.workflows.requests import advance
from bot.workflows.requests.announce import Place, show_card, subject_of
from bot.workflows.services import Service
from storage.errors import StorageBusy
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import ADA, LIN, Rig
from tests.workflows.looking import alerts, read, there
from tests.workflows.planted import on_one_rig, planted, stored, voted, write

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
SAID = "Payments isn't configured: an admin has to set PAYMENTS_BASE_URL"


def stepping(ctx: Context, outcome: Exception | None = None) -> tuple[Context, list[str]]:
    """Where the step of every payout comes to this; and the states in which one was taken."""
    taken: list[str] = []

    async def step(_ctx: Context, _payments: object, one: Instruction) -> None:
        taken.append(one.state)
        if outcome is not None:
            raise outcome

    kind = replace(ctx.kinds[Kind.PAYOUT], steps=dict.fromkeys(ctx.kinds[Kind.PAYOUT].steps, step))
    return replace(ctx, kinds={**ctx.kinds, Kind.PAYOUT: kind}), taken


@on_one_rig([
    (ServiceNow("payments", NO_ANSWER), 0, 2), (ServiceNow("payments", NO_ANSWER), 1, 4),
    (ServiceNow("payments", NO_ANSWER), 3, 16), (ServiceNow("payments", NO_ANSWER), 4, 30),
    (ServiceNow("payments", NO_ANSWER), 9, 30), (ServiceNow("payments", NO_ANSWER, retry_after=7.0), 9, 7),
])  # fmt: skip
async def test_a_service_that_is_away_for_now_is_asked_again_without_a_word(
    rig: Rig, trouble: ServiceNow, puts_off: int, seconds: int
) -> None:
    ctx, taken = stepping(rig.switchboard.context, trouble)
    one = await planted(rig, state=State.COMMIT_UNKNOWN, reason=NO_ANSWER, puts_off=puts_off)
    await advance._go_on(ctx, one)
    after = await stored(rig, one)
    assert (taken, after.puts_off, after.reason) == (["commit_unknown"], puts_off + 1, NO_ANSWER)
    assert after.due_at == rig.clock.now() + timedelta(seconds=seconds)
    assert alerts(rig) == []


SAYING = ServiceNow("payments", Reason(Exchange.READ_ANSWERED, status=500), words="Out of order")
ANSWERED = "payments answered 500, saying “Out of order”"


@on_one_rig(
    [
        (State.NEW, None, ANSWERED),
        (State.APPROVED, None, ANSWERED),
        (State.APPROVED, Reason(OfRequest.ASK_AGAIN), ANSWERED),
        (State.CREATE_UNKNOWN, None, ""),
        (State.COMMIT_UNKNOWN, NO_ANSWER, "no answer"),
        (State.NEEDS_HUMAN, Reason(OfRequest.NOT_LISTED), "the provider doesn't list it"),
        (State.CLOSED, own_words("not in their list"), "not in their list"),
        (State.REFUSED, Reason(Exchange.ANSWERED, status=422), "answer 422"),
    ]
)
async def test_what_the_service_says_is_the_reason_as_long_as_nothing_was_sent(
    rig: Rig, state: State, before: Reason | None, after: str
) -> None:
    ctx, taken = stepping(rig.switchboard.context, SAYING)
    one = await planted(rig, state=state, reason=before)
    await advance._go_on(ctx, one)
    held = await stored(rig, one)
    assert (taken, held.puts_off, worded(held.reason)) == ([state.value], 1, after)
    await rig.settle()
    assert not [text for text in alerts(rig) if one.reference in text]


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (ServiceNever("payments", refusal(422)), "Payments rejected the request."),
        (OperatorError("the key is wrong", mend="set it anew"), "the key is wrong; set it anew"),
    ],
)
async def test_what_somebody_has_to_mend_is_told_once_a_round(rig: Rig, trouble: Exception, said: str) -> None:
    ctx, _ = stepping(rig.switchboard.context, trouble)
    one = await planted(rig, state=State.COMMIT_UNKNOWN, reason=NO_ANSWER)
    for _ in range(2):
        await advance._go_on(ctx, await stored(rig, one))
    after = await stored(rig, one)
    assert said in worded(after.reason)
    assert (after.state, after.puts_off) == (State.COMMIT_UNKNOWN, 2)
    await rig.settle()
    assert len([text for text in alerts(rig) if one.reference in text]) == 1


async def test_a_database_that_is_busy_is_nobodys_trouble(rig: Rig) -> None:
    ctx, _ = stepping(rig.switchboard.context, StorageBusy("locked"))
    one = await planted(rig, state=State.COMMIT_UNKNOWN)
    with pytest.raises(StorageBusy):
        await advance._go_on(ctx, one)
    assert await stored(rig, one) == one


async def test_what_has_no_step_waits_until_somebody_acts(rig: Rig) -> None:
    ctx, taken = stepping(rig.switchboard.context)
    one = await planted(rig, state=State.COMMITTED, due_at=rig.clock.now())
    await advance._go_on(ctx, one)
    assert ((await stored(rig, one)).due_at, taken) == (None, [])


async def test_without_payments_it_waits_and_the_operator_is_told_what_to_set(rig: Rig) -> None:
    ctx, taken = stepping(rig.switchboard.context)
    ctx = replace(ctx, payments=Service(client=None, missing=("PAYMENTS_BASE_URL",)))
    one = await planted(rig, state=State.APPROVED, exec_deadline=rig.clock.now() + SECOND)
    await advance._go_on(ctx, one)
    after = await stored(rig, one)
    assert (after.state, worded(after.reason)) == (State.APPROVED, SAID)
    assert after.due_at == rig.clock.now() + SECOND, "its window to execute is not overslept"
    assert taken == []


@on_one_rig([(timedelta(), {ADA, LIN}), (SECOND, {LIN})])
async def test_votes_for_a_new_attempt_count_for_as_long_as_approvals(
    rig: Rig, too_old: timedelta, left: set[str]
) -> None:
    ctx, taken = stepping(rig.switchboard.context)
    now = rig.clock.now()
    one = await planted(rig, state=State.NEEDS_HUMAN, due_at=now)
    await write(rig, lambda uow: show_card(uow, one, Place.REQUESTER))
    card = await read(rig, lambda tx: tx.boards.get(subject_of(one.id, Place.REQUESTER)))
    for person, ago in ((ADA, timedelta(hours=24) + too_old), (LIN, HOUR)):
        await voted(rig, one, person, choice=Choice.RETRY, at=now - ago)
    await advance._go_on(ctx, one)
    after = await stored(rig, one)
    votes = await read(rig, lambda tx: tx.votes.of(one.id, after.round))
    assert ({vote.person for vote in votes}, taken) == (left, ["needs_human"])
    assert after.round == (2 if too_old else 1)
    card_after = await read(rig, lambda tx: tx.boards.get(subject_of(one.id, Place.REQUESTER)))
    assert there(card_after).wanted_version == there(card).wanted_version + bool(too_old), "it is edited"


async def test_who_changes_it_meanwhile_takes_the_step(rig: Rig) -> None:
    ctx, taken = stepping(rig.switchboard.context)
    one = await planted(rig, state=State.NEEDS_HUMAN, version=2)
    await voted(rig, one, ADA, choice=Choice.RETRY, at=rig.clock.now() - timedelta(days=2))
    await advance._go_on(ctx, replace(one, version=1))
    assert (await stored(rig, one), taken) == (one, [])


def waiting(rig: Rig, posted_ago: timedelta, **more: Any) -> dict[str, Any]:
    """One that approvers have seen for so long, of the eight hours they have."""
    posted = rig.clock.now() - posted_ago
    return {"state": State.AWAITING, "posted_at": posted, "expires_at": posted + 8 * HOUR, **more}


@on_one_rig(
    [
        (timedelta(), None, HOUR),
        (HOUR - SECOND, None, SECOND),
        (HOUR, 1, HOUR),
        (2 * HOUR, 2, 2 * HOUR),
        (4 * HOUR, 3, 4 * HOUR),
        (8 * HOUR - SECOND, 3, SECOND),
    ]
)
async def test_approvers_are_reminded_after_an_eighth_a_quarter_and_half_of_their_time(
    rig: Rig, ago: timedelta, number: int | None, due: timedelta
) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, **waiting(rig, ago))
    await advance.wait_for_people(ctx, one)
    keys = [f"reminder:{one.id}:1:{n}" for n in range(5)]
    queued = await read(rig, lambda tx: [n for n, key in enumerate(keys) if tx.outbox.by_key(key) is not None])
    assert queued == ([] if number is None else [number])
    assert (await stored(rig, one)).due_at == rig.clock.now() + due
