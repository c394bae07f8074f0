"""Somebody else changes a request while a step of it is under way: nothing is lost, nothing is left behind."""

from datetime import timedelta

import pytest

from bot.domain.outcome import Unknown
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.workflows.context import Context, Unit
from bot.workflows.payments import bulk, payout
from bot.workflows.requests import attempt, claim, decide, send
from tests.support.bulk import ask
from tests.support.reasons import own_words
from tests.support.rig import ADA, APPROVALS, MARIA, Rig
from tests.workflows.looking import newest
from tests.workflows.planted import planted, stored, tried, write

pytestmark = [pytest.mark.rig(on="both"), pytest.mark.both_databases]


async def taken(ctx: Context, kind: Kind) -> Instruction:
    claimed: list[Instruction] = await ctx.store.write(
        lambda tx: tx.instructions.claim_due(
            now=ctx.clock.now(), owner=ctx.owner, lease_seconds=60, limit=10, kinds=[kind]
        )
    )
    (one,) = claimed
    return one


async def touched_elsewhere(ctx: Context, instruction: Instruction) -> None:
    """What another process does that starts with a stricter policy."""
    fresh = await ctx.store.read(lambda tx: tx.instructions.get(instruction.id))
    assert fresh is not None
    await ctx.store.write(
        lambda tx: tx.instructions.touch(
            fresh, now=ctx.clock.now(), lease_owner=fresh.lease_owner, lease_until=fresh.lease_until
        )
    )


async def test_bulk_withdrawn_at_the_last_moment_frees_the_flight(rig: Rig) -> None:
    ctx = rig.switchboard.context
    assert ctx.payments.client is not None
    await ask(rig, "ana@example.com,25.00,March")
    card = await rig.card()
    await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")
    stale = await taken(ctx, Kind.BULK)
    assert stale.state is State.APPROVED
    withdrawn = await decide.withdraw(ctx, decide.Decision(instruction_id=stale.id, round=stale.round, person=MARIA))
    assert withdrawn.refusal is None
    await bulk.send(ctx, ctx.payments.client, stale)
    assert (await newest(rig)).state is State.WITHDRAWN
    assert rig.payments.bulk_payments == []
    assert await ctx.store.read(lambda tx: tx.bulk_flights.flying()) is None
    assert await ctx.store.read(lambda tx: tx.reservations.sum(ctx.clock.now().date().isoformat())) == 0


async def claimed_commit(rig: Rig, ctx: Context) -> claim.Claimed:
    await rig.pay()
    card = await rig.card()
    await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")
    approved = await taken(ctx, Kind.PAYOUT)
    standings = await ctx.people.standings([ADA, MARIA])
    claimed = await ctx.store.write(lambda tx: send.claim(Unit(tx, ctx), approved, standings))
    assert claimed is not None
    return claimed


async def test_commit_answer_counts_despite_a_touched_row(rig: Rig) -> None:
    ctx = rig.switchboard.context
    assert ctx.payments.client is not None
    claimed = await claimed_commit(rig, ctx)
    sending = claimed.instruction
    outcome = await ctx.payments.client.commit_payout(sending.remote_id or "", earlier_unknown=False)
    await touched_elsewhere(ctx, sending)
    await ctx.store.write(lambda tx: attempt.record(Unit(tx, ctx), claimed, outcome, payout.COMMITTED))
    assert (await newest(rig)).state is State.COMMITTED


async def test_answer_after_an_abandoned_attempt_changes_nothing(rig: Rig) -> None:
    ctx = rig.switchboard.context
    assert ctx.payments.client is not None
    claimed = await claimed_commit(rig, ctx)
    sending = claimed.instruction
    outcome = await ctx.payments.client.commit_payout(sending.remote_id or "", earlier_unknown=False)
    lost = Unknown(reason=own_words("its process stood still"))
    await ctx.store.write(lambda tx: attempt.lose(Unit(tx, ctx), sending, claimed.attempt, lost))
    await ctx.store.write(lambda tx: attempt.record(Unit(tx, ctx), claimed, outcome, payout.COMMITTED))
    assert (await newest(rig)).state is State.COMMIT_UNKNOWN


@pytest.mark.parametrize(("works_on_it", "given_up"), [(True, 0), (False, 1)])
async def test_active_attempt_survives_its_expired_lease(rig: Rig, works_on_it: bool, given_up: int) -> None:
    ctx = rig.switchboard.context
    over = rig.clock.now() - timedelta(seconds=1)
    one = await planted(rig, state=State.SENDING, commits=1, lease_owner=ctx.owner, lease_until=over)
    await tried(rig, one)
    with ctx.leases.kept("instruction", (one.id if works_on_it else "another",)):
        assert await write(rig, attempt.LOST.recover) == given_up
    assert (await stored(rig, one)).state is (State.COMMIT_UNKNOWN if given_up else State.SENDING)
