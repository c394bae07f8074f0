"""What a look at the service means for a request of unknown outcome, look by look."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Unit
from bot.workflows.requests import look_again
from bot.workflows.requests.look_again import Look
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.planted import on_one_rig, planted, stored, write

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
QUIET = timedelta(minutes=15)
NOT_LISTED = Reason(OfRequest.NOT_LISTED)
NO_LIST, NO, MAY_BE = own_words("no list"), own_words("no"), Reason(OfRequest.MAY_BE_OURS, id="r9")
HIT = Operation(id="r1", status="created")
FOUND: Look[Operation] = Look((HIT,))
NOTHING: Look[Operation] = Look()
DOUBT: Look[Operation] = Look(doubt=NO_LIST)
SUSPECT: Look[Operation] = Look(doubt=MAY_BE, suspect="r9")


class Acts:
    def __init__(self) -> None:
        self.hits: list[str] = []
        self.given_up = 0

    def found(self, _u: Unit, _i: Instruction, hits: Sequence[Operation]) -> None:
        self.hits += [one.id for one in hits]

    def give_up(self, _u: Unit, _i: Instruction, _l: Look[Operation]) -> None:
        self.given_up += 1


UNKNOWN, PEOPLE = State.CREATE_UNKNOWN, State.NEEDS_HUMAN
LOOKED_ONCE: dict[str, Any] = {"reads": 1}


@on_one_rig(
    [
        (NOTHING, {}, UNKNOWN, 1, 0, MINUTE),
        (NOTHING, LOOKED_ONCE, State.NEW, 1, 0, timedelta()),
        (NOTHING, LOOKED_ONCE | {"creates": 2}, State.NEW, 1, 0, timedelta()),
        (NOTHING, LOOKED_ONCE | {"creates": 3}, UNKNOWN, 1, 1, None),
        (NOTHING, LOOKED_ONCE | {"state": PEOPLE, "kind": Kind.PURCHASE}, PEOPLE, 1, 1, None),
        (NOTHING, {"refusal": NO}, State.REFUSED, 0, 0, HOUR),
        (DOUBT, LOOKED_ONCE, UNKNOWN, 1, 0, MINUTE),
        (DOUBT, {"refusal": NO}, State.REFUSED, 0, 0, HOUR),
        (DOUBT, {"unknown_for": HOUR - MINUTE}, UNKNOWN, 0, 0, MINUTE),
        (DOUBT, {"unknown_for": HOUR}, UNKNOWN, 0, 1, None),
        (DOUBT, {"unknown_for": HOUR, "state": PEOPLE, "kind": Kind.PURCHASE}, PEOPLE, 0, 0, HOUR),
        (SUSPECT, LOOKED_ONCE, UNKNOWN, 0, 0, MINUTE),
        (NOTHING, LOOKED_ONCE | {"sent_ago": QUIET - MINUTE}, UNKNOWN, 1, 0, MINUTE),
    ]
)
async def test_a_create_of_unknown_outcome(
    rig: Rig,
    look: Look[Operation],
    like: dict[str, Any],
    state: State,
    reads: int,
    given_up: int,
    due: timedelta | None,
) -> None:
    acts = Acts()
    one = await unknown(rig, **{"state": UNKNOWN, "creates": 1, **like})
    await write(rig, lambda uow: look_again.found_after_create(uow, one, look, found=acts.found, give_up=acts.give_up))
    after = await stored(rig, one)
    assert (after.state, after.reads, acts.given_up, acts.hits) == (state, reads, given_up, [])
    assert after.due_at == (None if due is None else rig.clock.now() + due)
    assert after.suspect == look.suspect


async def unknown(rig: Rig, **like: Any) -> Instruction:
    now = rig.clock.now()
    sent, since = now - like.pop("sent_ago", DAY), now - like.pop("unknown_for", MINUTE)
    return await planted(rig, **{"remote_id": None, "sent_at": sent, "unknown_since": since, **like})


COMMITS: dict[str, Any] = {"state": State.COMMIT_UNKNOWN, "kind": Kind.ONE_STEP, "commits": 1}


@on_one_rig(
    [
        (NOTHING, {}, State.COMMIT_UNKNOWN, 1, MINUTE),
        (NOTHING, LOOKED_ONCE, PEOPLE, 1, HOUR),
        (NOTHING, LOOKED_ONCE | {"refusal": NO}, State.REFUSED, 1, HOUR),
        (NOTHING, {"refusal": NO}, State.COMMIT_UNKNOWN, 1, MINUTE),
        (NOTHING, LOOKED_ONCE | {"state": PEOPLE}, PEOPLE, 2, HOUR),
        (DOUBT, LOOKED_ONCE, State.COMMIT_UNKNOWN, 1, MINUTE),
        (DOUBT, {"unknown_for": HOUR}, PEOPLE, 0, HOUR),
        (SUSPECT, LOOKED_ONCE, State.COMMIT_UNKNOWN, 0, MINUTE),
        (SUSPECT, {"unknown_for": HOUR}, PEOPLE, 0, HOUR),
    ]
)
async def test_a_send_of_unknown_outcome(
    rig: Rig, look: Look[Operation], like: dict[str, Any], state: State, reads: int, due: timedelta
) -> None:
    acts = Acts()
    one = await unknown(rig, **{**COMMITS, **like})
    await write(
        rig, lambda uow: look_again.found_after_send(uow, one, look, found=acts.found, absent_because=NOT_LISTED)
    )
    after = await stored(rig, one)
    assert (after.state, after.reads, after.suspect, acts.hits) == (state, reads, look.suspect, [])
    assert after.due_at == rig.clock.now() + due


@on_one_rig(
    [
        (NOTHING, LOOKED_ONCE, True, State.APPROVED, None, []),
        (NOTHING, {}, False, State.APPROVED, None, []),
        (FOUND, LOOKED_ONCE, False, State.APPROVED, None, ["r1"]),
        (SUSPECT, LOOKED_ONCE, False, PEOPLE, MAY_BE, []),
        (DOUBT, LOOKED_ONCE, False, State.APPROVED, NO_LIST, []),
    ]
)
async def test_before_a_new_attempt_it_must_be_absent(
    rig: Rig,
    look: Look[Operation],
    like: dict[str, Any],
    absent: bool,
    state: State,
    reason: Reason | None,
    hits: list[str],
) -> None:
    ctx, acts = rig.switchboard.context, Acts()
    one = await unknown(rig, **{**COMMITS, **like, "state": State.APPROVED})
    assert await look_again.is_absent(ctx, one, look, found=acts.found) is absent
    after = await stored(rig, one)
    assert (after.state, after.reason, acts.hits) == (state, reason, hits)
    assert after.suspect == look.suspect
    if not absent and not hits and state is State.APPROVED:
        assert after.due_at == rig.clock.now() + MINUTE


async def test_a_read_that_counts_notes_when_it_was(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await unknown(rig, **COMMITS)
    changes, absent = await ctx.read(lambda uow: look_again.counted_look(uow, one, NOTHING))
    assert (changes, absent) == ({"reads": 1, "suspect": None, "last_read_at": now}, False)
    early = await unknown(rig, **COMMITS, sent_ago=QUIET - MINUTE)
    looked = await ctx.read(lambda uow: look_again.counted_look(uow, early, NOTHING))
    assert looked == ({"reads": 0, "suspect": None}, False)


@on_one_rig(
    [
        ({"reads": 1}, State.COMMIT_UNKNOWN, 2, MINUTE),
        ({"reads": 2}, PEOPLE, 2, HOUR),
        ({"reads": 2, "sent_ago": QUIET - MINUTE}, State.COMMIT_UNKNOWN, 3, MINUTE),
        ({"reads": 2, "read_ago": MINUTE / 2}, State.COMMIT_UNKNOWN, 2, MINUTE),
    ]
)
async def test_a_record_that_does_not_change_is_believed_at_the_third_read(
    rig: Rig, like: dict[str, Any], state: State, reads: int, due: timedelta
) -> None:
    now = rig.clock.now()
    read_ago = like.pop("read_ago", 2 * MINUTE)
    one = await unknown(rig, **{**COMMITS, **like, "last_read_at": now - read_ago, "puts_off": 4})
    await write(rig, lambda uow: look_again.still(uow, one, Reason(OfRequest.STILL_NOT_COMMITTED), {"puts_off": 0}))
    after = await stored(rig, one)
    assert (after.state, after.reads, after.due_at) == (state, reads, now + due)
    if state is State.COMMIT_UNKNOWN:
        assert after.puts_off == 0
        assert after.last_read_at == (now if reads > like["reads"] else now - read_ago)


@on_one_rig([
    (timedelta(), HOUR), (DAY - MINUTE, HOUR), (DAY, DAY), (30 * DAY - MINUTE, DAY), (30 * DAY, None),
])  # fmt: skip
async def test_what_ended_unpaid_is_watched_hourly_for_a_day_and_daily_for_a_month(
    rig: Rig, age: timedelta, due: timedelta | None
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await planted(rig, state=State.CLOSED, closed_at=now - age)
    assert await ctx.read(lambda uow: look_again.next_watch(uow, one)) == (None if due is None else now + due)
