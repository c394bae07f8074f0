"""Looking at the service for what the database may have lost: which requests, and what a finding does to each."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import AttemptKind, AttemptOutcome, Instruction, Kind, State
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import LastSearch, ReadingOnly, SearchResult, Seen
from bot.presentation.reasons import worded
from bot.workflows.context import Context, Unit
from bot.workflows.reading_only import enter, looks, note
from bot.workflows.requests import restore
from storage.transaction import Tx
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig, planted, stored, tried, write

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
QUIET = timedelta(minutes=15)
PAYOUT: dict[str, Any] = {"state": State.NEW, "remote_id": None}
NOTHING, WHY, PUT_BACK = own_words("nothing there"), own_words("why"), own_words("put back")
NO_LIST, THERE, LISTED = own_words("no list"), own_words("it is there"), own_words("the list holds it")
ONE_STEP: dict[str, Any] = {"state": State.APPROVED, "remote_id": None, "kind": Kind.ONE_STEP}


@on_one_rig(
    [
        (PAYOUT, -SECOND, True),
        (PAYOUT, timedelta(), False),
        (PAYOUT | {"creates": 1}, -SECOND, False),
        (PAYOUT | {"commits": 1}, -SECOND, False),
        (PAYOUT | {"remote_id": "r1"}, -SECOND, False),
        (PAYOUT | {"state": State.APPROVED}, -SECOND, False),
        (PAYOUT | {"state": State.CREATE_UNKNOWN}, -SECOND, False),
        (PAYOUT | {"kind": Kind.PURCHASE}, -SECOND, True),
        (ONE_STEP, -SECOND, True),
        (ONE_STEP | {"state": State.NEW}, -SECOND, False),
        (ONE_STEP | {"kind": Kind.BULK}, -SECOND, True),
        (ONE_STEP | {"kind": Kind.BULK_CANCEL}, -SECOND, False),
    ]
)
async def test_what_is_older_than_the_process_and_was_never_tried_is_looked_for_once(
    rig: Rig, like: dict[str, Any], age: timedelta, wanted: bool
) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, created_at=ctx.high_water.began + age, **like)
    assert await restore.is_known_here(ctx, ctx.payments.required(), one)
    assert (one.id in ctx.high_water.looked) is wanted
    once = finds(ctx, RuntimeError("not to be asked"), one.kind) if wanted else ctx
    assert await restore.is_known_here(once, ctx.payments.required(), one)


def finds(ctx: Context, found: SearchResult | Exception, kind: Kind = Kind.PAYOUT) -> Context:
    async def find(*_: object) -> SearchResult:
        if isinstance(found, Exception):
            raise found
        return found

    return replace(ctx, kinds={**ctx.kinds, kind: replace(ctx.kinds[kind], find=find)})


async def test_what_the_service_does_not_hold_is_not_looked_for_again(rig: Rig) -> None:
    ctx = finds(rig.switchboard.context, SearchResult(Seen.ABSENT, NOTHING))
    payments = ctx.payments.required()
    one = await planted(rig, created_at=ctx.high_water.began - SECOND, **PAYOUT)
    assert await restore.is_known_here(ctx, payments, one)
    assert one.id in ctx.high_water.looked


async def test_what_the_service_does_not_say_keeps_it_waiting(rig: Rig) -> None:
    ctx = finds(rig.switchboard.context, SearchResult(Seen.UNREADABLE, NO_LIST))
    one = await planted(rig, created_at=ctx.high_water.began - SECOND, **PAYOUT)
    with pytest.raises(ServiceNow) as silent:
        await restore.is_known_here(ctx, ctx.payments.required(), one)
    assert silent.value.reason == NO_LIST
    assert one.id not in ctx.high_water.looked


@pytest.mark.parametrize(
    "trouble",
    [
        ServiceNow("payments", own_words("did not answer")),
        ServiceNever("payments", own_words("did not answer")),
        OperatorError("did not answer", service="payments"),
    ],
)
async def test_a_service_that_cannot_be_asked_is_a_finding(rig: Rig, trouble: Exception) -> None:
    ctx = finds(rig.switchboard.context, trouble)
    one = await planted(rig, **PAYOUT)
    found = await restore._look(ctx, ctx.payments.required(), one, until=rig.clock.now())
    assert found.seen is Seen.UNREADABLE
    assert "did not answer" in worded(found.reason)


@on_one_rig([
    (Seen.ABSENT, QUIET, Seen.ABSENT), (Seen.ABSENT, QUIET - SECOND, Seen.NOT_YET),
    (Seen.FOUND, QUIET, Seen.FOUND), (Seen.FOUND, SECOND, Seen.FOUND), (Seen.UNREADABLE, QUIET, Seen.UNREADABLE),
])  # fmt: skip
async def test_it_is_absent_once_nothing_can_be_on_its_way(rig: Rig, seen: Seen, ago: timedelta, found: Seen) -> None:
    ctx = finds(rig.switchboard.context, SearchResult(seen, WHY))
    one = await planted(rig, **PAYOUT)
    until = rig.clock.now() - ago
    assert await restore._look(ctx, ctx.payments.required(), one, until=until) == SearchResult(found, WHY)


async def test_what_only_the_second_look_shows_under_another_name_may_be_ours(rig: Rig) -> None:
    looks = [SearchResult(Seen.ABSENT, NOTHING), SearchResult(Seen.UNREADABLE, WHY)]

    async def find(_: Context, __: PaymentsClient, ___: Instruction, sent: bool) -> SearchResult:
        look = looks.pop(0)
        return look if sent else SearchResult(Seen.ABSENT, NOTHING)  # one that was never sent goes by its code alone

    one = await planted(rig, **PAYOUT)
    ctx = rig.switchboard.context
    ctx = replace(ctx, kinds={**ctx.kinds, one.kind: replace(ctx.kinds[one.kind], find=find)})
    found = await restore._look(ctx, ctx.payments.required(), one, until=rig.clock.now() - QUIET)
    assert found == SearchResult(Seen.UNREADABLE, WHY)


@on_one_rig([State.OPEN, State.COMMITTED, State.PENDING_ESCROW])
async def test_what_is_followed_anyway_is_not_searched_for(rig: Rig, state: State) -> None:
    ctx = finds(rig.switchboard.context, RuntimeError("not to be asked"))
    one = await planted(rig, state=state)
    found = await restore._look(ctx, ctx.payments.required(), one, until=rig.clock.now())
    assert found == SearchResult(Seen.FOUND, Reason(OfRequest.FOLLOWED))


@on_one_rig([(timedelta(), 1), (SECOND, 0)])
async def test_a_look_is_repeated_when_its_time_has_come(rig: Rig, ahead: timedelta, due: int) -> None:
    ctx, now = finds(rig.switchboard.context, SearchResult(Seen.ABSENT, NOTHING)), rig.clock.now()
    one = await planted(rig, state=State.AWAITING)

    def put_back(tx: Tx) -> None:
        enter(Unit(tx, now=now, policy=ctx.policy), ReadingOnly(since=now, reason=PUT_BACK, until=now - QUIET))
        note(Unit(tx, now=now), one.id, LastSearch(seen=Seen.NOT_YET, reason=WHY, again_at=now + ahead))

    await ctx.store.write(put_back)
    assert await restore.look_due(ctx) == due


async def test_three_are_looked_for_at_a_time_and_none_that_is_under_way(rig: Rig) -> None:
    ctx = finds(rig.switchboard.context, SearchResult(Seen.ABSENT, NOTHING))
    now = rig.clock.now()
    under_way = await planted(rig, state=State.SENDING)
    others = [await planted(rig, state=State.AWAITING) for _ in range(4)]
    mode = ReadingOnly(since=now, reason=PUT_BACK, until=now - QUIET)
    await ctx.store.write(lambda tx: enter(Unit(tx, now=now, policy=ctx.policy), mode))
    assert await restore.look_due(ctx) == 3
    assert set(await read(rig, looks)) == {one.id for one in others[:3]}
    assert await restore.look_due(ctx) == 1
    assert under_way.id not in await read(rig, looks)
    assert await restore.look_due(ctx) == 0


@pytest.mark.parametrize(("seen", "again"), [
    (Seen.FOUND, None), (Seen.ABSENT, None), (Seen.NOT_YET, MINUTE), (Seen.UNREADABLE, MINUTE),
])  # fmt: skip
async def test_it_is_looked_for_again_until_that_is_settled(rig: Rig, seen: Seen, again: timedelta | None) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.AWAITING)
    mode = ReadingOnly(since=now, reason=PUT_BACK, until=now)
    await write(rig, lambda uow: restore._note(uow, mode, one.id, SearchResult(seen, WHY)))
    look = (await read(rig, looks))[one.id]
    assert (look.seen, look.reason, look.again_at) == (seen, WHY, None if again is None else now + again)
    assert (await stored(rig, one)).state is (State.COMMIT_UNKNOWN if seen is Seen.FOUND else State.AWAITING)


@on_one_rig(
    [
        (Kind.PAYOUT, State.NEW, State.CREATE_UNKNOWN, (1, 0), 0),
        (Kind.PAYOUT, State.AWAITING, State.COMMIT_UNKNOWN, (0, 1), 2500),
        (Kind.PAYOUT, State.APPROVED, State.COMMIT_UNKNOWN, (0, 1), 2500),
        (Kind.ONE_STEP, State.NEW, State.COMMIT_UNKNOWN, (0, 1), 2500),
        (Kind.PURCHASE, State.NEW, State.CREATE_UNKNOWN, (1, 0), 0),
        (Kind.BULK, State.AWAITING, State.COMMIT_UNKNOWN, (0, 1), 125_000),
    ]
)
async def test_what_was_sent_already_counts_as_an_attempt_of_unknown_outcome(
    rig: Rig, kind: Kind, before: State, after: State, tries: tuple[int, int], reserved: int
) -> None:
    now = rig.clock.now()
    sent = now - timedelta(days=1)
    one = await planted(rig, kind, state=before, puts_off=2, reads=1)
    await write(rig, lambda uow: restore._take_up(uow, one, sent, THERE))
    found = await stored(rig, one)
    assert (found.state, (found.creates, found.commits), found.sent_at) == (after, tries, sent)
    assert (found.unknown_since, found.reads, found.puts_off, found.due_at) == (now, 0, 0, now)
    assert found.reason == Reason(OfRequest.FOUND_AFTER_RESTORE)
    (attempt,) = await read(rig, lambda tx: tx.attempts.of(one.id))
    kinds = AttemptKind.CREATE if tries[0] else AttemptKind.COMMIT
    assert (attempt.n, attempt.kind, attempt.outcome) == (1, kinds, AttemptOutcome.UNKNOWN)
    assert (attempt.claimed_at, attempt.request_hash) == (sent, one.digest)
    held = await read(rig, lambda tx: tx.reservations.of(one.id))
    assert sum(each.cents for each in held.values()) == reserved
    assert all(each.day == sent.date().isoformat() for each in held.values())


async def test_it_is_the_next_attempt_where_there_were_some_and_no_limit_stops_it(rig: Rig) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.APPROVED, commits=1)
    await tried(rig, one, outcome=AttemptOutcome.UNKNOWN)
    other = await planted(rig, state=State.SENDING, commits=1)
    await tried(rig, other)
    day = now.date().isoformat()
    await write(rig, lambda tx: tx.reservations.reserve(other.id, 1, day, 2_499_999, 2_500_000))
    await write(rig, lambda uow: restore._take_up(uow, one, now, THERE))
    assert [each.n for each in await read(rig, lambda tx: tx.attempts.of(one.id))] == [1, 2]
    assert (await read(rig, lambda tx: tx.reservations.of(one.id)))[2].cents == 2500
