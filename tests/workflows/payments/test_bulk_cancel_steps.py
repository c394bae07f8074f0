"""A cancellation: what is named, what is left, what ends it and what waits for people."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import NotExecuted
from bot.domain.payments.bulk import BulkProgress
from bot.domain.payments.bulk_records import BulkRow, ReportedItem
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind, State
from bot.workflows.context import Unit
from bot.workflows.payments import bulk_cancel
from bot.workflows.payments.bulk_cancel import CannotCancel, NotRequested, _meant
from bot.workflows.requests.attempt import held_claim
from storage.transaction import Tx
from tests.support.bulk import approve, held, reference
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.support.rows import audit_rows
from tests.support.troubles import says
from tests.workflows.looking import read, there
from tests.workflows.planted import cancellation, made, on_one_rig, planted, queued, stored, tried, write

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


async def asked(rig: Rig, *hashes: str, named: Mapping[str, int] = {}, **like: Any) -> Instruction:
    """A cancellation of these payments; ``named``: the attempts that named them."""
    payload, rows = cancellation(*hashes)
    values = {"payload": payload, "items": rows, "progress": BulkProgress(), "remote_id": None}
    one = await planted(rig, Kind.BULK_CANCEL, **{**values, **like})
    for name, attempt in named.items():
        number = [row.row for row in rows if row.hash == name]
        await write(rig, lambda tx, at=number, n=attempt: tx.bulk_items.name(one.id, at, n))  # type: ignore[misc]
    return one


def reported(**statuses: str) -> dict[str, ReportedItem]:
    return {name: ReportedItem(hash=name, status=status) for name, status in statuses.items()}


async def audited(rig: Rig, one: Instruction) -> tuple[str, dict[str, object]]:
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == one.id])
    return rows[-1].action, dict(rows[-1].detail)


async def test_what_the_service_says_of_a_refusal_is_kept_and_the_items_are_read(rig: Rig) -> None:
    now = rig.clock.now()
    one = await asked(rig, "aa", state=State.SENDING, commits=1, unknown_since=now, reads=2)
    said = NotExecuted(reason=own_words("not in escrow"), again=False, detail="NOT_PENDING")
    refused = there(bulk_cancel.CANCELED.refused)
    await write(rig, lambda uow: refused(uow, one, said))
    after = await stored(rig, one)
    assert (after.state, after.reason, after.due_at) == (State.COMMITTED, said.full_reason, now)
    assert (after.unknown_since, after.reads) == (None, 0)
    assert await audited(rig, one) == ("all_sent", {"reason": said.full_reason.stored(), "said": "NOT_PENDING"})


UNKNOWN, PEOPLE = State.COMMIT_UNKNOWN, State.NEEDS_HUMAN


@on_one_rig(
    [
        # state, statuses at the service, items named by the lost attempt, then: state, when it is looked at
        (UNKNOWN, {"aa": "canceled", "bb": "pending"}, {"aa": 1}, State.APPROVED, timedelta()),
        (UNKNOWN, {"aa": "pending", "bb": "pending"}, {"aa": 1}, UNKNOWN, MINUTE),
        (PEOPLE, {"aa": "canceled", "bb": "pending"}, {"aa": 1}, State.COMMITTED, timedelta()),
        (PEOPLE, {"aa": "pending", "bb": "pending"}, {"aa": 1}, PEOPLE, HOUR),
        (PEOPLE, {"aa": "pending"}, {}, PEOPLE, HOUR),
        (PEOPLE, {"aa": "canceled", "bb": "canceled"}, {}, State.COMMITTED, timedelta()),
    ]
)
async def test_the_outcome_of_a_chunk_is_read_from_its_items(
    rig: Rig, state: State, statuses: dict[str, str], lost: dict[str, int], after: State, due: timedelta
) -> None:
    now = rig.clock.now()
    one = await asked(rig, "aa", "bb", state=state, commits=1, named=lost, sent_at=now, puts_off=3)
    await tried(rig, one, outcome=AttemptOutcome.UNKNOWN if lost else AttemptOutcome.DONE)
    await write(rig, lambda uow: bulk_cancel.read_again(uow, one, reported(**statuses)))
    found = await stored(rig, one)
    assert (found.state, found.due_at) == (after, now + due)
    rows = await read(rig, lambda tx: tx.bulk_items.rows(one.id))
    assert {row.hash: row.status for row in rows if row.hash in statuses} == statuses
    if after is State.APPROVED:
        assert (found.puts_off, found.reads, await audited(rig, one)) == (0, 0, ("chunk_sent", {}))


@on_one_rig(
    [
        ({"aa": "pending", "bb": "canceled"}, 0, State.COMMITTED, 1),
        ({"aa": "pending", "bb": "canceled"}, 1, State.COMMITTED, 2),
        ({"aa": "pending", "bb": "canceled"}, 2, State.COMPLETED, 2),
        ({"aa": "completed", "bb": "canceled"}, 0, State.COMPLETED, 0),
        ({"aa": "completed", "bb": "completed"}, 0, State.FAILED, 0),
    ]
)
async def test_what_still_reads_as_pending_is_read_three_times(
    rig: Rig, statuses: dict[str, str], reads: int, state: State, counted: int
) -> None:
    now = rig.clock.now()
    one = await asked(rig, "aa", "bb", state=State.COMMITTED, commits=1, named={"aa": 1, "bb": 1}, reads=reads)
    await write(rig, lambda uow: bulk_cancel._verified(uow, one, reported(**statuses)))
    found = await stored(rig, one)
    assert (found.state, found.reads) == (state, counted)
    if state is State.COMMITTED:
        assert found.due_at == now + MINUTE
    else:
        assert "file:requester:result" in await queued(rig, one)
        action, detail = await audited(rig, one)
        counts = {word: list(statuses.values()).count(word) for word in statuses.values()}
        assert (action, detail["counts"]) == ("observed", counts)
        assert detail["status"] == ", ".join(f"{counts[word]} {word}" for word in sorted(counts))


async def test_what_was_not_sent_may_be_named_again(rig: Rig) -> None:
    one = await asked(rig, "aa", "bb", "cc", state=State.SENDING, named={"aa": 1, "bb": 2, "cc": 2})
    attempt = await tried(rig, one, 2)
    await write(rig, lambda uow: bulk_cancel._unname(uow, one, attempt))
    rows = await read(rig, lambda tx: tx.bulk_items.rows(one.id))
    assert [row.attempt for row in rows] == [1, 0, 0]


async def test_a_claim_whose_commit_had_no_answer_names_what_it_named(rig: Rig) -> None:
    ctx = rig.switchboard.context
    sent = await asked(rig, "aa", "bb", state=State.SENDING, version=2, lease_owner=ctx.owner, named={"bb": 1})
    attempt = await tried(rig, sent)
    before = made(rig, id=sent.id, version=1)
    found = there(await read(rig, lambda tx: bulk_cancel._chunk(tx, held_claim(Unit(tx, ctx), before))))
    assert (found.attempt, found.hashes.all, found.earlier_unknown) == (attempt, ("bb",), False)
    assert await read(rig, lambda tx: bulk_cancel._chunk(tx, held_claim(Unit(tx, ctx), sent))) is None


async def test_a_list_without_an_item_proves_nothing(rig: Rig) -> None:
    class Empty:
        async def bulk_items(self, _job: str) -> Any:
            yield type("Page", (), {"items": (ReportedItem(hash="", status="pending"),)})

    one = await asked(rig, "aa")
    payments: Any = Empty()
    with pytest.raises(ServiceNow, check=says("its list of items is empty")):
        await bulk_cancel._reported(payments, one)


LISTED = {
    name: ReportedItem(hash=name, status=status, cents=cents, email=f"{name[:2]}@example.com", internal_note=note)
    for name, status, cents, note in (
        ("aa11111111", "pending", Cents(100), "L-4F7K2M/1"),
        ("aa11111122", "PENDING", Cents(200), "L-4F7K2M/2"),
        ("bb22222222", "completed", Cents(300), "L-4F7K2M/3"),
        ("cc33333333", "pending", None, "L-4F7K2M/4"),
    )
}


def _early(row: int) -> BulkRow:
    return BulkRow(row=row, email="", cents=Cents(0))


PAID = NotRequested(
    CannotCancel.NOT_PENDING,
    ("bb22222222",),
    (
        BulkRow(
            row=3, email="bb@example.com", cents=Cents(300), note="L-4F7K2M/3", status="completed", hash="bb22222222"
        ),
    ),
)
NUMBERED = {int(item.internal_note.partition("/")[2]): name for name, item in LISTED.items()} | {5: "gone", 6: ""}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["5", "6"], NotRequested(CannotCancel.NOT_PENDING, ("5", "6"), (_early(5), _early(6)))),
        (["aa11111111"], [("aa11111111", 100)]),
        (["AA11111122"], [("aa11111122", 200)]),
        (["1", "2"], [("aa11111111", 100), ("aa11111122", 200)]),
        (["2", "aa11111122"], [("aa11111122", 200)]),
        (["aa11111111", "2"], [("aa11111111", 100), ("aa11111122", 200)]),
        (["bb222222"], PAID),
        (["3"], PAID),
        (["aa111111"], NotRequested(CannotCancel.AMBIGUOUS, ("aa111111",))),
        (["bb22222"], NotRequested(CannotCancel.UNKNOWN_HASH, ("bb22222",), rows=(1, 6))),
        (["9", "1", "x"], NotRequested(CannotCancel.UNKNOWN_HASH, ("9", "x"), rows=(1, 6))),
        (["12345678"], [("12345678dd", 400)]),
        (["1234567"], NotRequested(CannotCancel.UNKNOWN_HASH, ("1234567",), rows=(1, 6))),
        (["bb22222222"], PAID),
        (["٣"], NotRequested(CannotCancel.UNKNOWN_HASH, ("٣",), rows=(1, 6))),
        (["4"], NotRequested(CannotCancel.NO_AMOUNT, ("cc33333333",))),
        (None, NotRequested(CannotCancel.NO_AMOUNT, ("cc33333333",))),
    ],
)
def test_what_is_named_is_found_by_hash_beginning_or_row(
    given: list[str] | None, meant: list[tuple[str, int]] | NotRequested
) -> None:
    more = {"12345678dd": ReportedItem(hash="12345678dd", status="pending", cents=Cents(400), internal_note="n")}
    found = _meant(LISTED | more, given, NUMBERED)
    if isinstance(found, NotRequested):
        assert found == meant
        return
    assert [(row.hash, row.cents) for row in found] == meant
    assert [row.row for row in found] == list(range(1, len(found) + 1))
    assert {row.status for row in found} == {"pending"}
    assert all(
        row.email == (LISTED | more)[row.hash].email and row.note == (LISTED | more)[row.hash].internal_note
        for row in found
    )


def test_all_means_everything_that_is_pending_now() -> None:
    listed = {name: item for name, item in LISTED.items() if item.cents}
    found = _meant(listed, None, NUMBERED)
    assert not isinstance(found, NotRequested)
    assert [row.hash for row in found] == ["aa11111111", "aa11111122"]
    over = {"bb22222222": LISTED["bb22222222"]}
    assert _meant(over, None, NUMBERED) == NotRequested(CannotCancel.NOTHING_PENDING)


def pending(rig: Rig) -> list[str]:
    return [item.hash for item in rig.payments.bulk_payments[0].items if item.status == "pending"]


def named(rig: Rig) -> list[list[str]]:
    bodies = [call.body for call in rig.payments.calls_of("cancel_bulk_items")]
    return [[one["svc_operation_hash"] for one in body["paymentItems"]] for body in bodies if isinstance(body, dict)]


async def test_what_went_through_since_the_approval_was_asked_for_is_not_named(rig: Rig) -> None:
    await held(rig)
    late, *others = pending(rig)
    await rig.pay(f"bulk cancel {reference(rig)} all")
    rig.payments.add_account("x1@example.com", full_name="Xavier")
    await rig.payments.advance()
    assert pending(rig) == others
    before = len(rig.payments.calls_of("list_bulk_items"))
    await approve(rig)
    assert len(rig.payments.calls_of("list_bulk_items")) > before
    assert named(rig) == [others]
    assert late not in named(rig)[0]


async def test_items_that_were_exchanged_after_the_approval_are_not_canceled(rig: Rig) -> None:
    await held(rig)
    await rig.pay(f"bulk cancel {reference(rig)} {pending(rig)[0]}")

    def exchange(tx: Tx) -> None:
        (asked,) = [one for one in tx.instructions.awaiting(tuple(State)) if one.kind is Kind.BULK_CANCEL]
        tx.bulk_items._connection.exec_driver_sql(
            "UPDATE bulk_item SET hash = ? WHERE instruction_id = ?", (pending(rig)[1], asked.id)
        )

    await rig.switchboard.context.store.write(exchange, name="tampered")
    await approve(rig)
    await rig.pass_time(300, steps=4)
    assert named(rig) == []
    assert (await rig.card()).text.partition("Silva (maria). ")[2] == snapshot("")
