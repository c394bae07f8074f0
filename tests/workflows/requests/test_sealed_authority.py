"""F94: whoever writes to the database without its key moves no money: what the audit does not say is held."""

from collections.abc import Mapping

import pytest
from sqlalchemy import text

from bot.domain.payments.instruction import Kind, State, digest_of
from bot.playground.faults import Fault, FaultKind
from bot.presentation.notices import ADVICE
from bot.presentation.reasons import worded
from bot.workflows.context import Unit
from bot.workflows.requests.attempt import LOST
from bot.workflows.requests.authority import frozen
from bot.workflows.restored import freeze_restored, restored, resumed_at
from storage.transaction import Tx
from tests.support.bulk import ask as ask_for_many
from tests.support.bulk import run
from tests.support.clock import HOUR, QUIET
from tests.support.reasons import own_words
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, OLGA, Rig, approve_card
from tests.workflows.authority import KINDS, approved_just_now, asked_for, sent
from tests.workflows.looking import alerts, asked, disagreements, heard, newest, read, state, there

pytestmark = pytest.mark.rig(on="both")

PUSH = "UPDATE instruction SET state = 'approved', due_at = :now, exec_deadline = :end, closed_at = NULL"


async def tamper(rig: Rig, *statements: str, **values: object) -> None:
    """As whoever owns the tables can: without the triggers."""

    def work(tx: Tx) -> None:
        connection = tx.audit._connection
        if connection.dialect.name == "sqlite":
            for (name,) in connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
                connection.execute(text(f"DROP TRIGGER {name}"))
        else:
            for table in ("instruction", "audit", "audit_head"):
                connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        for statement in statements:
            given = {name: value for name, value in values.items() if f":{name}" in statement}
            connection.execute(text(statement), given)

    await rig.switchboard.context.store.write(work)


async def pushed(rig: Rig, *statements: str, deadline: int = 0) -> None:
    """Put the newest request into the state in which it is sent, due now; ``deadline`` 0: in an hour."""
    found, now = await newest(rig), int(rig.clock.seconds() * 1_000_000)
    push = f"{PUSH} WHERE id = :id"
    await tamper(rig, *statements, push, id=found.id, now=now, end=deadline or now + 3_600_000_000)


async def another(rig: Rig, **changes: object) -> None:
    """Another payload for the newest request, with the digest that fits it."""
    found = await newest(rig)
    other = found.payload.model_copy(update=changes)
    digest = digest_of(kind=found.kind, code=found.code, payload=other)
    change = "UPDATE instruction SET payload = :payload, digest = :digest, cents = :cents WHERE id = :id"
    await tamper(rig, change, payload=other.model_dump_json(), digest=digest, cents=other.cents, id=found.id)


async def is_held(rig: Rig, why: str) -> None:
    """The newest request waits, its card says why, the operator was told once, and it stays so."""
    found = await newest(rig)
    assert why in worded(found.reason)
    assert any(why in line and line.startswith(f"{found.reference}: ") for line in await disagreements(rig))
    for _ in range(2):
        told = [one for one in alerts(rig) if found.reference in one and "is on hold" in one]
        assert len(told) == 1
        assert told[0].endswith(ADVICE["disagrees"])
        assert (await newest(rig)).state is found.state
        await rig.pass_time(2 * HOUR, steps=2)


@pytest.mark.parametrize("kind", KINDS)
async def test_forged_vote_pays_nothing(rig: Rig, kind: Kind) -> None:
    await asked_for(rig, kind)
    before = sent(rig, kind)
    found, now = await newest(rig), int(rig.clock.seconds() * 1_000_000)
    vote = "INSERT INTO vote VALUES (:id, :number, 'U0ADA', 'approve', :now, true, '')"
    await tamper(rig, vote, id=found.id, number=found.round, now=now)
    await pushed(rig)
    await rig.settle()
    assert sent(rig, kind) == before
    await is_held(rig, "an approval was added, changed or deleted")
    assert (await rig.card()).plain.startswith("On hold")


async def test_old_card_cannot_approve_a_changed_request(rig: Rig) -> None:
    await asked_for(rig, Kind.ONE_STEP)
    card = await rig.card()
    await another(rig, email="thief@example.com", cents=90_000)
    await approve_card(rig, card)
    await rig.settle()
    assert "the database and the audit log disagree" in await heard(rig, ADA, "On hold")
    assert rig.paid == []
    assert await state(rig) is State.AWAITING
    await is_held(rig, "its row was changed in the database")


CHANGED = [
    "UPDATE instruction SET suspect = 'x'",
    "UPDATE instruction SET round = 2",
    "UPDATE instruction SET moves = moves + 1",
    "UPDATE instruction SET exec_deadline = exec_deadline + 1",
    "UPDATE vote SET typed = NOT typed",
    "UPDATE attempt SET request_hash = 'x'",
]


@pytest.mark.parametrize("change", CHANGED)
async def test_changed_column_is_found_before_sending(rig: Rig, change: str) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    await tamper(rig, change)
    await rig.settle()
    assert rig.paid == []
    assert await state(rig) is State.APPROVED
    assert "on hold" in worded((await newest(rig)).reason)


@pytest.mark.parametrize("table", ["vote", "attempt"])
async def test_row_of_another_request_is_found(rig: Rig, table: str) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    first = await newest(rig)
    await asked_for(rig, Kind.PAYOUT)
    second = await newest(rig)
    await tamper(rig, f"DELETE FROM {table} WHERE instruction_id = :id", id=second.id)  # noqa: S608 - names of ours
    take = f"UPDATE {table} SET instruction_id = :id WHERE instruction_id = :other"  # noqa: S608 - names of ours
    await tamper(rig, take, id=second.id, other=first.id)
    odds = {"vote": "an approval was added, changed or deleted", "attempt": "its send attempts differ"}
    lines = await disagreements(rig)
    assert [line.partition(":")[0] for line in lines] == [first.reference, second.reference]
    assert all(odds[table] in line for line in lines)


ROWS = {"instruction": "id", "vote": "instruction_id", "attempt": "instruction_id", "reservation": "instruction_id"}


async def rows_of(rig: Rig, request: str) -> dict[str, list[dict[str, object]]]:
    def read_all(tx: Tx) -> dict[str, list[dict[str, object]]]:
        queries = {table: f"SELECT * FROM {table} WHERE {key} = :id" for table, key in ROWS.items()}  # noqa: S608
        found = {table: tx.audit._connection.execute(text(query), {"id": request}) for table, query in queries.items()}
        return {table: [dict(row) for row in rows.mappings()] for table, rows in found.items()}

    return await read(rig, read_all)


@pytest.mark.parametrize(
    ("deed", "why"),
    [
        ((), "its state in the audit: withdrawn"),
        (("DELETE FROM audit WHERE action = 'withdrawn'",), "the audit log breaks off at row"),
    ],
)
async def test_older_row_that_is_put_back_is_not_sent(rig: Rig, deed: tuple[str, ...], why: str) -> None:
    """Each column is as it once was, with the seal that it had: the request was withdrawn since."""
    await approved_just_now(rig, Kind.ONE_STEP)
    found = await newest(rig)
    ((older,),) = (rows for table, rows in (await rows_of(rig, found.id)).items() if table == "instruction")
    await rig.press("withdraw", user=MARIA)
    assert await state(rig) is State.WITHDRAWN
    names = ", ".join(f'"{name}" = :{name}' for name in older)
    await tamper(rig, *deed, f"UPDATE instruction SET {names} WHERE id = :id", **older)  # noqa: S608 - names of ours
    await rig.settle()
    assert rig.paid == []
    assert why in worded((await newest(rig)).reason)


async def test_copied_rows_of_a_request_are_not_sent_again(rig: Rig) -> None:
    """Its newer audit rows are deleted, too: only the chain between others' rows shows it."""
    await approved_just_now(rig, Kind.ONE_STEP)
    rig.payments.switches.accept_duplicate_codes = True
    found = await newest(rig)
    older, end = await rows_of(rig, found.id), await read(rig, lambda tx: tx.audit.head().seq)
    await rig.settle()
    await rig.pay("send luis@example.com 30.00 rent")
    await tamper(
        rig,
        "DELETE FROM audit WHERE instruction_id = :id AND seq > :end",
        *(f"DELETE FROM {table} WHERE instruction_id = :id" for table in ("vote", "attempt", "reservation")),  # noqa: S608
        id=found.id,
        end=end,
    )
    for table, rows in older.items():
        for row in rows:
            names, marks = ", ".join(f'"{name}"' for name in row), ", ".join(f":{name}" for name in row)
            sets = ", ".join(f'"{name}" = :{name}' for name in row)
            whole = f"UPDATE instruction SET {sets} WHERE id = :id" if table == "instruction" else ""  # noqa: S608
            await tamper(rig, whole or f"INSERT INTO {table} ({names}) VALUES ({marks})", **row)  # noqa: S608
    await rig.pass_time(60)
    assert rig.paid == [("ana@example.com", 2500)]
    assert [one for one in alerts(rig) if found.reference in one and "the audit log breaks off at row" in one]


async def test_deleted_row_of_another_request_does_not_stop_polling(rig: Rig) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    ours = await newest(rig)
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "commit_payout", times=1))
    await rig.settle()
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pay("send luis@example.com 30.00 rent")
    other = await newest(rig)
    await tamper(rig, "DELETE FROM audit WHERE instruction_id = :id AND action = 'requested'", id=other.id)
    await rig.pass_time(60)
    assert there(await read(rig, lambda tx: tx.instructions.get(ours.id))).state is State.COMMITTED


async def test_forged_request_creates_nothing(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, APPROVALS, "/pay", "send ana@example.com 25.00 rent")
    assert await state(rig) is State.NEW
    await another(rig, email="thief@example.com")
    await rig.settle()
    assert asked(rig, "create_payout") == 0
    await is_held(rig, "its row was changed in the database")


async def test_deleted_attempt_is_not_repeated(rig: Rig) -> None:
    """Executed, its answer lost; then the database forgets that it was sent."""
    await approved_just_now(rig, Kind.ONE_STEP)
    deadline = int(there((await newest(rig)).exec_deadline).timestamp() * 1_000_000)
    rig.payments.switches.accept_duplicate_codes = True
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "one_step_payout", times=1))
    await rig.settle()
    assert await state(rig) is State.COMMIT_UNKNOWN
    forget = "UPDATE instruction SET commits = 0, sent_at = NULL"
    await pushed(rig, "DELETE FROM attempt", "DELETE FROM reservation", forget, deadline=deadline)
    await rig.settle()
    assert rig.paid == [("ana@example.com", 2500)]
    await is_held(rig, "its send attempts differ from the audit log")


async def test_deleted_attempt_does_not_prevent_the_start(rig: Rig) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    leave = "UPDATE instruction SET state = 'sending', lease_owner = 'dead', lease_until = 1"
    await tamper(rig, "DELETE FROM attempt", leave)
    ctx = rig.switchboard.context
    assert await ctx.store.write(lambda tx: LOST.recover(Unit(tx, ctx))) == 1
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(60)
    assert rig.paid == []
    await is_held(rig, "its send attempts differ from the audit log")


async def test_work_resumes_after_the_row_is_restored(rig: Rig) -> None:
    await asked_for(rig, Kind.PAYOUT)
    found = await newest(rig)
    await tamper(rig, "UPDATE instruction SET requester = 'U0ZOE'")
    await rig.press("approve", user=ADA)
    assert "its row was changed in the database" in worded((await newest(rig)).reason)
    await tamper(rig, "UPDATE instruction SET requester = :name", name=found.requester)
    await rig.pass_time(HOUR + 1)
    assert (await newest(rig)).reason is None
    await rig.press("approve", user=ADA)
    assert rig.paid == [("ana@example.com", 2500)]
    assert await disagreements(rig) == ()


@pytest.mark.parametrize(("action", "user"), [("approve", LIN), ("withdraw", MARIA)])
async def test_request_missing_in_the_audit_cannot_be_decided(rig: Rig, action: str, user: str) -> None:
    """A decision would seal the state that was forged."""
    await asked_for(rig, Kind.ONE_STEP)
    card = await rig.card()
    await tamper(rig, "UPDATE instruction SET commits = 1, due_at = NULL")
    found = await newest(rig)
    rows = await read(rig, lambda tx: len(tx.audit.about(found.id)))
    await rig.workspace.click(
        user, APPROVALS, card.ts, f"payout.{action}", value=f"{found.id}:{found.round}", force=True
    )
    assert "On hold" in await heard(rig, user, "On hold")
    assert await read(rig, lambda tx: len(tx.audit.about(found.id))) == rows
    assert await state(rig) is State.AWAITING


async def test_unfreezing_needs_verified_votes(rig: Rig) -> None:
    await approved_just_now(rig, Kind.ONE_STEP)
    await rig.workspace.slash(OLGA, FINANCE, "/pay", "freeze the invoice run is wrong")
    await tamper(rig, "DELETE FROM flag WHERE key = 'frozen'")
    still = there(await read(rig, frozen))
    assert (still.by, still.reason) == (OLGA, own_words("the invoice run is wrong"))
    assert await disagreements(rig) == ("payments are frozen in the audit log but not in the database.",)
    await rig.settle()
    assert rig.paid == []
    await rig.pay("unfreeze", user=ADA)
    await rig.workspace.submit(ADA)
    await rig.settle()
    assert await read(rig, frozen) is None
    assert await disagreements(rig) == ()
    assert rig.paid == [("ana@example.com", 2500)]


async def test_forged_unfreeze_vote_does_not_count(rig: Rig) -> None:
    await rig.pay("freeze the invoice run is wrong", user=OLGA)
    flag = await read(rig, lambda tx: tx.flags.get("frozen"))
    assert isinstance(flag, Mapping)
    forged = {**flag, "lifting": [LIN]}
    ctx = rig.switchboard.context
    await ctx.store.write(lambda tx: tx.flags.set("frozen", forged, rig.clock.now()))
    held = there(await read(rig, frozen))
    assert held.lifting == ()


async def test_changed_freeze_row_freezes_payments(rig: Rig) -> None:
    await rig.pay("freeze the invoice run is wrong", user=OLGA)
    await rig.pay("unfreeze", user=ADA)
    assert await read(rig, frozen) is None
    await tamper(rig, "UPDATE audit SET actor = 'U0TOM' WHERE action = 'unfreeze'")
    assert await read(rig, frozen) is not None


async def test_restored_database_stays_frozen_until_an_operator_resumes(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    await ctx.store.write(lambda tx: freeze_restored(Unit(tx, now=now, policy=ctx.policy), ["commit_payout X"]))
    await tamper(rig, "UPDATE audit SET detail = '{}' WHERE action = 'restored'")
    assert there(await read(rig, restored)).since > now
    assert there(await read(rig, frozen)).is_restored
    await tamper(rig, "UPDATE audit SET action = 'resumed' WHERE action = 'restored'")
    assert await read(rig, resumed_at) is None


async def test_history_before_sending_is_the_stored_one(rig: Rig) -> None:
    """Otherwise a submission could be called known, so that people believe that it is not there."""
    await ask_for_many(rig)
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_bulk_payment", times=1))
    await rig.press("approve", user=ADA)
    assert await state(rig) is State.COMMIT_UNKNOWN
    (job,) = rig.payments.bulk_payments
    await tamper(rig, "UPDATE bulk_flight SET known = :known", known=f'["{job.id}"]')
    await run(rig, steps=4)
    await rig.pass_time(5 * QUIET, steps=6)
    found = await newest(rig)
    assert found.state is State.NEEDS_HUMAN
    assert "the provider's history changed in a way we can't explain" in worded(found.reason)


async def test_request_with_a_deleted_row_is_named(rig: Rig) -> None:
    await rig.pay()
    found = await newest(rig)
    assert await disagreements(rig) == ()
    await tamper(
        rig, "DELETE FROM callback_token", "DELETE FROM attempt", "DELETE FROM outbox", "DELETE FROM instruction"
    )
    assert await disagreements(rig) == (f"{found.reference}: it is in the audit but not in the database.",)


async def test_unreadable_row_is_named_without_hiding_others(rig: Rig) -> None:
    await rig.pay()
    first = await newest(rig)
    await rig.pay("send luis@example.com 30.00 rent")
    second = await newest(rig)
    await tamper(rig, "UPDATE instruction SET requester = 'U0ZOE' WHERE id = :id", id=second.id)
    await tamper(rig, "UPDATE instruction SET payload = '{}' WHERE id = :id", id=first.id)
    lines = await disagreements(rig)
    assert lines[0].startswith(f"{first.reference}: its rows can't be read (")
    assert lines[1] == f"{second.reference}: its row was changed in the database."
    await tamper(rig, "DELETE FROM callback_token", "UPDATE instruction SET due_at = NULL")


async def test_uncounted_money_is_reported(rig: Rig) -> None:
    await approved_just_now(rig, Kind.ONE_STEP)
    await rig.settle()
    assert await disagreements(rig) == ()
    await tamper(rig, "UPDATE reservation SET cents = 1")
    assert "the amount reserved from the daily limit doesn't match what was sent" in str(await disagreements(rig))
