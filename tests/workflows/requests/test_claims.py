"""Before an attempt is claimed: its window, its votes, the policy in force, its rows; and the card that was pressed."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.approvals import Membership, Person
from bot.domain.payments.instruction import AttemptKind, AttemptOutcome, Choice, Instruction, Kind, State, Vote
from bot.domain.policy import Requirement, Short
from bot.presentation.reasons import worded
from bot.workflows.context import Unit, witness
from bot.workflows.requests import announce, authority, decide, reach, send
from bot.workflows.requests import attempt as claim
from bot.workflows.requests import send as tighten
from bot.workflows.requests.authority import OutdatedError
from bot.workflows.requests.decide import shown_as
from storage.errors import RowUnreadable
from storage.rows import OutboxState
from storage.transaction import Tx
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, POLICY, Rig
from tests.workflows.authority import approved_just_now
from tests.workflows.looking import newest, read
from tests.workflows.planted import everything_stored, made, on_one_rig, planted, queued, stored, tried, voted, write

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
QUIET = timedelta(minutes=15)


def standing(rig: Rig, *people: str, group: str = "S0TREASURY") -> Mapping[str, Membership]:
    """Full members of the workspace who are in this group and that of requesters, read just now."""
    home, at = rig.switchboard.context.home, rig.clock.boottime()
    groups = frozenset({group, "S0FINANCE"})
    return {who: Membership(person=Person(id=who, team_id=home), groups=groups, read_at=at) for who in people}


@on_one_rig(
    [
        # window left, attempts, since the last one left, then: not now, state, when it goes on
        (SECOND, 0, None, False, State.APPROVED, None),
        (timedelta(), 0, None, True, State.EXPIRED, None),
        (timedelta(), 1, HOUR, True, State.NEEDS_HUMAN, HOUR),
        (HOUR, 1, QUIET - SECOND, True, State.APPROVED, MINUTE),
        (HOUR, 1, QUIET, False, State.APPROVED, None),
        (HOUR, 0, SECOND, False, State.APPROVED, None),
    ]
)
async def test_it_is_sent_within_its_window_and_not_while_an_earlier_one_may_be_on_its_way(
    rig: Rig,
    left: timedelta,
    commits: int,
    sent_ago: timedelta | None,
    waits: bool,
    state: State,
    due: timedelta | None,
) -> None:
    now = rig.clock.now()
    sent = None if sent_ago is None else now - sent_ago
    one = await planted(rig, state=State.APPROVED, exec_deadline=now + left, commits=commits, sent_at=sent)
    assert await send.not_now(rig.switchboard.context, one) is waits
    found = await stored(rig, one)
    assert (found.state, found.due_at) == (state, None if due is None else now + due)


async def still(rig: Rig, one: Instruction, standings: Mapping[str, Membership]) -> Any:
    return await write(rig, lambda uow: send.still_approved(uow, one, standings))


@on_one_rig([(timedelta(hours=25), True), (timedelta(hours=25) + SECOND, False)])
async def test_a_vote_counts_until_both_windows_are_over(rig: Rig, ago: timedelta, counts: bool) -> None:
    one = await planted(rig, state=State.APPROVED, exec_deadline=rig.clock.now() + HOUR)
    await voted(rig, one, ADA, at=rig.clock.now() - ago)
    assert (await still(rig, one, standing(rig, MARIA, ADA)) is not None) is counts
    if not counts:
        found = await stored(rig, one)
        assert found.round == 2
        assert worded(found.reason) == "1 more approval needed: an approval expired"


@pytest.mark.rig(policy=POLICY.replace('execute_within = "60m"', 'execute_within = "30m"'))
@pytest.mark.parametrize(("left", "state"), [(30 * MINUTE, State.EXPIRED), (30 * MINUTE + SECOND, State.APPROVED)])
async def test_a_window_that_the_policy_makes_shorter_ends_as_early_as_a_new_one(
    rig: Rig, left: timedelta, state: State
) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.APPROVED, exec_deadline=now + left, due_at=now)
    await voted(rig, one, ADA)
    allowed = await still(rig, one, standing(rig, MARIA, ADA))
    found = await stored(rig, one)
    assert ((allowed is not None), found.state) == (state is State.APPROVED, state)
    if allowed is not None:
        assert found.exec_deadline == now + SECOND


async def test_who_changed_it_meanwhile_is_not_overwritten_by_a_stricter_policy(rig: Rig) -> None:
    soft = Requirement(quorum=1, expires_seconds=1e9)
    one = await planted(rig, state=State.APPROVED, version=2, requirement=soft)
    await voted(rig, one, ADA)
    before = everything_stored(rig)
    assert await still(rig, replace(one, version=1), standing(rig, MARIA, ADA)) is None
    assert everything_stored(rig) == before


@on_one_rig([(MARIA,), (ADA,)])
async def test_a_vote_needs_its_voter_and_the_requester_read(rig: Rig, known: str) -> None:
    one = await planted(rig)
    vote = Vote(instruction_id=one.id, round=1, person=ADA, choice=Choice.APPROVE, at=rig.clock.now())
    before = everything_stored(rig)
    with pytest.raises(OutdatedError):
        await write(rig, lambda uow: decide._vote(uow, one, vote, standing(rig, known)))
    assert everything_stored(rig) == before


@on_one_rig([
    (None, None, None), (HOUR, None, HOUR), (HOUR, 2 * HOUR, HOUR), (3 * HOUR, 2 * HOUR, 2 * HOUR),
])  # fmt: skip
async def test_what_was_tightened_is_looked_at_when_its_earliest_end_comes(
    rig: Rig, due: timedelta | None, ends: timedelta | None, after: timedelta | None
) -> None:
    now = rig.clock.now()
    soft = Requirement(quorum=1, expires_seconds=86_400 + 3_600)
    expires = None if ends is None else now + ends + HOUR
    one = await planted(rig, requirement=soft, expires_at=expires, due_at=None if due is None else now + due)
    await write(rig, lambda uow: tighten.tighten(uow, one))
    found = await stored(rig, one)
    assert found.requirement.expires_seconds == 86_400
    assert found.expires_at == (None if ends is None else now + ends)
    assert found.due_at == (None if after is None else now + after)


async def test_one_whose_votes_cannot_be_read_is_not_counted_as_tightened(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    ctx = rig.switchboard.context
    await planted(rig, requirement=Requirement(quorum=1, expires_seconds=1e9))

    def unreadable(*_: object) -> None:
        raise RowUnreadable("vote", "1", "person")

    monkeypatch.setattr(tighten, "tighten", unreadable)
    assert await tighten.tighten_open(ctx) == 0
    monkeypatch.undo()
    assert await tighten.tighten_open(ctx) == 1


async def test_all_that_are_tightened_are_counted_over_every_page(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.repositories.admin._PAGE", 1)
    for _ in range(3):
        await planted(rig, requirement=Requirement(quorum=1, expires_seconds=1e9))
    assert await tighten.tighten_open(rig.switchboard.context) == 3


async def test_what_a_transaction_saw_that_was_rolled_back_is_not_remembered(rig: Rig) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    ctx, now, found = rig.switchboard.context, rig.clock.now(), await newest(rig)

    def rolled_back(tx: Tx) -> None:
        witness(Unit(tx, now=now), "never", {})
        assert authority.may_send(Unit(tx, ctx, now=now), found)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await ctx.store.write(rolled_back)
    await write(rig, lambda uow: witness(uow, "instead", {}))
    assert await write(rig, lambda uow: authority.may_send(uow, found))
    assert await newest(rig) == found


@on_one_rig(
    [
        (State.CREATING, AttemptKind.CREATE, [], 1, False),
        (State.SENDING, AttemptKind.COMMIT, [(AttemptKind.CREATE, AttemptOutcome.UNKNOWN)], 2, False),
        (State.SENDING, AttemptKind.COMMIT, [(AttemptKind.COMMIT, AttemptOutcome.UNKNOWN)], 2, True),
        (State.SENDING, AttemptKind.COMMIT, [(AttemptKind.COMMIT, AttemptOutcome.NOT_EXECUTED)], 2, False),
    ]
)
async def test_an_attempt_knows_whether_an_earlier_one_of_its_kind_is_unknown(
    rig: Rig, state: State, kind: AttemptKind, before: list[tuple[AttemptKind, AttemptOutcome]], n: int, unknown: bool
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await planted(rig, state=state, sent_at=now - SECOND, lease_owner=ctx.owner, version=2)
    for number, (earlier, outcome) in enumerate(before, 1):
        await tried(rig, one, number, kind=earlier, outcome=outcome)
    made_now = await write(rig, lambda uow: claim.open_attempt(uow, one, request_hash="f00d"))
    assert (made_now.attempt.n, made_now.attempt.kind, made_now.earlier_unknown) == (n, kind, unknown)
    assert (made_now.attempt.claimed_at, made_now.attempt.request_hash) == (now - SECOND, "f00d")
    assert made_now.attempt.boot_at == rig.clock.boottime()
    earlier_row = replace(one, version=1)
    assert await read(rig, lambda tx: claim.held_claim(Unit(tx, ctx), earlier_row)) == made_now
    assert await read(rig, lambda tx: claim.held_claim(Unit(tx, ctx), one)) is None
    other = replace(ctx, owner="another")
    assert await read(rig, lambda tx: claim.held_claim(Unit(tx, other), earlier_row)) is None


async def sent_here(rig: Rig, one: Instruction, place: announce.Place, state: OutboxState) -> None:
    await write(rig, lambda uow: announce.show_card(uow, one, place))
    values = (state.value, f"card:{one.id}:{place}")
    await write(rig, lambda tx: tx._connection.exec_driver_sql("UPDATE outbox SET state = ? WHERE key = ?", values))


@on_one_rig(
    [
        (OutboxState.NEW, False, False),
        (OutboxState.SENDING, True, False),
        (OutboxState.UNKNOWN, True, True),
        (OutboxState.SENT, False, False),
    ]
)
async def test_a_button_is_that_of_a_card_whose_post_is_in_flight(
    rig: Rig, state: OutboxState, taken: bool, adopted: bool
) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig)
    await sent_here(rig, one, announce.Place.APPROVALS, state)
    ts = f"1790000000.{one.id[-6:]}"
    found = await shown_as(ctx, one.id, channel=APPROVALS, ts=ts)
    assert (found is not None) is taken
    board = await read(rig, lambda tx: tx.boards.find(APPROVALS, ts))
    assert (board is not None) is adopted
    assert await shown_as(ctx, one.id, channel=FINANCE, ts=ts) is None


async def test_of_two_lost_posts_to_one_conversation_nobody_knows_which_was_pressed(rig: Rig) -> None:
    ctx = rig.switchboard.context
    thread = made(rig, Kind.BULK).payload.model_copy(update={"thread_ts": "1700000000.000001"})
    one = await planted(rig, Kind.BULK, origin_channel=APPROVALS, payload=thread)
    for place in announce.Place:
        await sent_here(rig, one, place, OutboxState.UNKNOWN)
    ts = "1790000000.000002"
    assert await shown_as(ctx, one.id, channel=APPROVALS, ts=ts) is not None
    assert await read(rig, lambda tx: tx.boards.find(APPROVALS, ts)) is None


@on_one_rig([
    (State.NEW, True), (State.CREATING, True), (State.CREATE_UNKNOWN, True), (State.AWAITING, True),
    (State.NEEDS_HUMAN, True), (State.APPROVED, False), (State.SENDING, False), (State.COMMIT_UNKNOWN, False),
    (State.COMMITTED, False), (State.REJECTED, False), (State.COMPLETED, False),
])  # fmt: skip
async def test_too_few_approvers_concern_what_still_needs_them(rig: Rig, state: State, concerned: bool) -> None:
    one = await planted(rig, state=state, requirement=Requirement(quorum=2))
    short = Short(needs=2, can=1)
    told = await write(rig, lambda uow: reach._store(uow, {one.id: short}))
    assert told == (1 if concerned else 0)
    assert await queued(rig, one) == (["out_of_reach:1", "alert:out_of_reach:1"] if concerned else [])
    assert (await read(rig, lambda tx: reach.short_of(tx, one)) is not None) is concerned
    assert (one.id in [each.instruction.id for each in await read(rig, reach.all_short)]) is concerned
    again = await write(rig, lambda uow: reach._store(uow, {one.id: short}))
    assert again == 0, "each change is told once"
    another = replace(one, requirement=Requirement(quorum=3))
    assert await read(rig, lambda tx: reach.short_of(tx, another)) is None


async def test_what_is_frozen_expires_at_the_very_end_of_its_window(rig: Rig) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    ctx, one = rig.switchboard.context, await newest(rig)

    def claimed(tx: Tx) -> object:
        tx.flags.set("frozen", {"by": ADA, "reason": "odd", "at": rig.clock.now().isoformat()}, rig.clock.now())
        return send.claim(Unit(tx, ctx, now=one.exec_deadline), one, {})

    assert await ctx.store.write(claimed) is None
    assert (await stored(rig, one)).state is State.EXPIRED
