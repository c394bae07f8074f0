"""How a request without anything in flight is ended or given to people, and what is stored of that."""

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind, State
from bot.domain.reasons import Reason
from bot.workflows.context import Unit
from bot.workflows.requests import announce
from bot.workflows.requests import announce as settle
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig, planted, stored, tried, write

DAY = "2026-11-20"
HOUR = timedelta(hours=1)
NO, UNCLEAR = own_words("no"), own_words("unclear")
NO_ACCOUNT, NO_MONEY = own_words("no such account"), own_words("Insufficient funds")


async def detail(rig: Rig, one: Instruction) -> dict[str, object]:
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == one.id])
    return dict(rows[-1].detail)


@on_one_rig(
    [
        ("", {"reason": NO_ACCOUNT.stored()}),
        ("NO_ACCOUNT", {"reason": NO_ACCOUNT.stored(), "said": "NO_ACCOUNT"}),
    ]
)
async def test_the_audit_keeps_the_services_own_words(rig: Rig, said: str, kept: dict[str, object]) -> None:
    one = await planted(rig, state=State.SENDING, decided_by="U0ADA")
    await write(rig, lambda uow: settle.end(uow, one, State.REFUSED, NO_ACCOUNT, said=said))
    after = await stored(rig, one)
    assert (after.state, after.reason, after.decided_by) == (State.REFUSED, NO_ACCOUNT, "")
    assert await detail(rig, one) == kept


@on_one_rig(
    [
        (Kind.ONE_STEP, State.COMMIT_UNKNOWN, State.REFUSED, {"commits": 1}, True),
        (Kind.PAYOUT, State.CREATE_UNKNOWN, State.REFUSED, {"creates": 1}, True),
        (Kind.PURCHASE, State.CREATE_UNKNOWN, State.REFUSED, {"creates": 1}, True),
        (Kind.BULK, State.COMMIT_UNKNOWN, State.REFUSED, {"commits": 1}, True),
        (Kind.ONE_STEP, State.COMMIT_UNKNOWN, State.REFUSED, {"commits": 1, "remote_id": "r1"}, False),
        (Kind.ONE_STEP, State.COMMIT_UNKNOWN, State.REFUSED, {}, False),
        (Kind.ONE_STEP, State.APPROVED, State.EXPIRED, {"commits": 1}, False),
    ]
)
async def test_what_was_refused_without_an_id_is_looked_for_an_hour_later(
    rig: Rig, kind: Kind, before: State, state: State, more: dict[str, object], watched: bool
) -> None:
    now = rig.clock.now()
    one = await planted(rig, kind, state=before, **{"remote_id": None, **more})
    await write(rig, lambda uow: settle.end(uow, one, state, NO))
    assert (await stored(rig, one)).due_at == (now + HOUR if watched else None)


async def test_an_end_that_names_a_record_is_read_by_its_id_and_not_looked_for(rig: Rig) -> None:
    one = await planted(rig, state=State.CREATE_UNKNOWN, remote_id=None, creates=1)
    await write(rig, lambda uow: settle.end(uow, one, State.REFUSED, NO, remote_id="r7"))
    after = await stored(rig, one)
    assert (after.remote_id, after.due_at) == ("r7", None)


@pytest.mark.parametrize(("refusal", "told"), [(NO_MONEY, NO_MONEY), (None, NO_ANSWER)])
async def test_a_refusal_that_is_believed_is_told_and_gives_back_what_was_reserved(
    rig: Rig, refusal: Reason | None, told: Reason
) -> None:
    one = await planted(rig, state=State.COMMIT_UNKNOWN, refusal=refusal, reason=NO_ANSWER, commits=2)
    other = await planted(rig, state=State.SENDING)
    for instruction, n, outcome in (
        (one, 1, AttemptOutcome.UNKNOWN),
        (one, 2, AttemptOutcome.UNKNOWN),
        (other, 1, AttemptOutcome.OPEN),
    ):
        await tried(rig, instruction, n, outcome=outcome)
    taken = [(one.id, 1), (one.id, 2), (other.id, 1)]
    await write(rig, lambda uow: [uow.reservations.reserve(whose, n, DAY, 2500, 1_000_000) for whose, n in taken])
    await write(rig, lambda uow: settle.end_refused(uow, one))
    after = await stored(rig, one)
    assert (after.state, after.reason) == (State.REFUSED, told)
    assert await read(rig, lambda tx: tx.reservations.sum(DAY)) == 2500, "that of the other one stands"


@on_one_rig([(0, None), (1, HOUR), (2, HOUR)])
async def test_people_decide_in_a_new_round_and_reading_goes_on_hourly_after_an_attempt(
    rig: Rig, commits: int, due: timedelta | None
) -> None:
    now = rig.clock.now()
    state = State.COMMIT_UNKNOWN if commits else State.CREATE_UNKNOWN
    one = await planted(rig, state=state, commits=commits, round=3, decided_by="U0ADA", suspect="r8")
    await write(rig, lambda uow: settle.ask_people(uow, one, UNCLEAR, suspect="r9"))
    after = await stored(rig, one)
    assert (after.state, after.round, after.suspect, after.decided_by) == (State.NEEDS_HUMAN, 4, "r9", "")
    assert after.due_at == (None if due is None else now + due)
    assert await detail(rig, one) == {"reason": UNCLEAR.stored(), "suspect": "r9"}


@on_one_rig([False, True])
async def test_the_time_to_decide_begins_at_once_where_the_approvers_see_the_card_already(rig: Rig, seen: bool) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, Kind.ONE_STEP, state=State.NEW, remote_id=None)
    if seen:
        await ctx.store.write(
            lambda tx: announce.show_card(Unit(tx, ctx, now=rig.clock.now()), one, announce.Place.APPROVALS)
        )
        await rig.settle()
    now = rig.clock.now()
    await write(rig, lambda uow: settle.show_approvers(uow, one, {}, action="prepared"))
    after = await stored(rig, one)
    assert (after.state, await detail(rig, one)) == (State.AWAITING, {})
    assert after.posted_at == (now if seen else None)
    assert after.expires_at == (now + 24 * HOUR if seen else None)
    first_reminder, expiry_without_card = now + 3 * HOUR, now + 24 * HOUR
    assert after.due_at == (first_reminder if seen else expiry_without_card)
    called = await read(rig, lambda tx: tx.outbox.by_key(f"reminder:{one.id}:1:first"))
    assert (called is not None) is seen


async def test_an_id_of_the_service_is_kept_in_the_audit(rig: Rig) -> None:
    one = await planted(rig, state=State.CREATING, remote_id=None)
    changes = settle.on_record("r5", "created")
    await write(rig, lambda uow: settle.show_approvers(uow, one, changes, action="created"))
    assert (await stored(rig, one)).remote_id == "r5"
    assert await detail(rig, one) == {"remote_id": "r5"}


async def test_nothing_is_in_doubt_any_more_once_the_service_has_it_on_record(rig: Rig) -> None:
    now = rig.clock.now()
    doubtful: dict[str, Any] = {
        "refusal": NO,
        "suspect": "r1",
        "unknown_since": now,
        "reads": 2,
        "puts_off": 3,
        "reason": UNCLEAR,
    }
    one = await planted(rig, state=State.COMMIT_UNKNOWN, due_at=now, **doubtful)
    changes = settle.on_record("r5", "committed")
    await write(rig, lambda tx: tx.instructions.move(one, State.COMMITTED, now=now, action="observed", **changes))
    after = await stored(rig, one)
    assert (after.remote_id, after.remote_status) == ("r5", "committed")
    assert (after.refusal, after.suspect, after.unknown_since, after.due_at) == (None, None, None, None)
    assert (after.reads, after.puts_off, after.reason) == (0, 0, None)
