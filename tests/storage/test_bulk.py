"""Items, the one submission in flight, and who was paid before."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.emails.lists import Answer, Outcome
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem, BulkPayload, items_digest, largest_of, twin_digest
from bot.domain.payments.bulk_records import BulkRow, RowChange
from bot.domain.payments.instruction import Instruction, Kind, Recipient, State, digest_of
from bot.domain.payments.lookups import CHECK, Lookup
from bot.domain.reasons import OfRequest, Reason
from storage import Store, Tx
from storage.errors import Conflict
from storage.tables.instructions import bulk_flight
from tests.storage.factories import NOW, instruction, job, unit

ITEMS = [
    BulkItem(row=2, email="Ana@example.com", cents=Cents(100), note="one"),
    BulkItem(row=3, email="ben@example.com", cents=Cents(250)),
    BulkItem(row=5, email="kim@example.com", cents=Cents(50)),
]


def bulk(**changes: object) -> Instruction:
    made = instruction(**changes)  # type: ignore[arg-type]
    payload = BulkPayload(
        name="march.csv",
        count=len(ITEMS),
        cents=sum(item.cents for item in ITEMS),
        items_digest=items_digest(ITEMS),
        twin_digest=twin_digest(ITEMS),
        largest=largest_of(ITEMS),
    )
    digest = digest_of(kind=Kind.BULK, code=made.code, payload=payload)
    return replace(made, kind=Kind.BULK, payload=payload, digest=digest)


async def stored(store: Store, **changes: object) -> Instruction:
    made = bulk(**changes)

    def work(tx: Tx) -> None:
        tx.instructions.insert(made, actor="U0MARIA")
        tx.bulk_items.add(made.id, ITEMS)

    await store.write(work)
    return made


async def test_items_come_back_as_they_were_asked_for(store: Store) -> None:
    made = await stored(store)
    found = await unit(store).instructions.get(made.id)
    rows = await unit(store).bulk_items.rows(made.id)
    assert found == made
    assert [row.item for row in rows] == ITEMS
    assert items_digest(row.item for row in rows) == made.payload.canonical()["items"]
    assert await store.read(lambda tx: [row.row for row in tx.bulk_items.rows(made.id, offset=1, limit=1)]) == [3]


async def test_changes_add_up(store: Store) -> None:
    made = await stored(store)
    changes = [RowChange(2, "completed", "h2", ""), RowChange(3, "failed", "h3", "closed")]
    await unit(store).bulk_items.change(made.id, changes)
    tally = await unit(store).bulk_items.tally(made.id)
    assert (tally.completed, tally.failed, tally.unaccounted, tally.total) == (1, 1, 1, 3)
    assert (tally.cents_of("completed"), tally.cents_of("failed", "")) == (100, 300)
    failed = await unit(store).bulk_items.rows(made.id, statuses=["failed"])
    assert [(row.row, row.hash, row.error) for row in failed] == [(3, "h3", "closed")]


async def test_an_item_that_was_paid_makes_its_recipient_known(store: Store) -> None:
    made = await stored(store)
    await unit(store).bulk_items.change(made.id, [RowChange(2, "completed", "h", "")])
    known = await unit(store).instructions.paid_before(["ANA@example.com", "ben@example.com"])
    assert known == {"ana@example.com"}
    assert await unit(store).instructions.paid_before(["Ana@Example.com"])


async def test_the_same_file_is_found_again(store: Store) -> None:
    made = await stored(store)
    payee = twin_digest(reversed(ITEMS))

    def same(tx: Tx, *ignoring: State) -> Instruction | None:
        return tx.instructions.last_same(kind=Kind.BULK, payee=payee, since=NOW, ignoring=ignoring)

    assert (await store.read(same)) == made
    assert await store.read(lambda tx: same(tx, made.state)) is None


async def test_one_submission_is_in_flight_at_a_time(store: Store) -> None:
    first, second = await stored(store), await stored(store)
    assert await unit(store).bulk_flights.take(first.id, known=["b"], now=NOW)
    assert not await unit(store).bulk_flights.take(second.id, known=["b"], now=NOW)
    assert await unit(store).bulk_flights.flying() == first.id
    assert await unit(store).bulk_flights.take(first.id, known=["other"], now=NOW)
    assert await unit(store).bulk_flights.known(first.id) == {"b"}
    assert await unit(store).bulk_flights.land(first.id)
    assert not await unit(store).bulk_flights.land(first.id)
    assert await unit(store).bulk_flights.take(second.id, known=[], now=NOW)
    assert await unit(store).bulk_flights.known(first.id) == {"b"}


async def test_the_database_itself_holds_one_flight(store: Store) -> None:
    first, second = await stored(store), await stored(store)
    await unit(store).bulk_flights.take(first.id, known=[], now=NOW)

    def force(tx: Tx) -> None:
        values = {"instruction_id": second.id, "flying": 1, "known": [], "taken_at": NOW}
        tx.bulk_flights._connection.execute(bulk_flight.insert().values(values))

    with pytest.raises(Conflict):
        await store.write(force)


async def test_a_cancellation_names_each_item_once(store: Store) -> None:
    made = bulk()
    rows = [BulkRow(row=n, email="a@example.com", cents=Cents(1), status="pending", hash=f"h{n}") for n in (1, 2, 3)]

    def work(tx: Tx) -> None:
        tx.instructions.insert(made, actor="U0MARIA")
        tx.bulk_items.add(made.id, rows)
        tx.bulk_items.name(made.id, [1, 2], 1)

    await store.write(work)
    left = await unit(store).bulk_items.not_sent(made.id, status="pending", limit=10)
    assert [row.row for row in left] == [3]
    assert [row.row for row in await unit(store).bulk_items.named_by(made.id, 1)] == [1, 2]


async def test_who_is_not_looked_up_yet_by_what_they_get_and_each_once(store: Store) -> None:
    made = await stored(store)
    items = [
        replace(ITEMS[0], row=9, email="ANA@example.com", cents=Cents(900), name="Ana Lopez"),
        replace(ITEMS[0], row=10, name="Ana"),
    ]
    fine = Recipient(full_name="Ben", active=True, problem=Reason(OfRequest.OTHER_ID))
    said = Answer(outcome=Outcome.ANSWERED, result="deliverable", pairs=(("mx", "yes"),))

    def work(tx: Tx) -> list[dict[str, frozenset[str]]]:
        tx.bulk_items.add(made.id, items)
        found = [tx.bulk_items.not_looked_up(made.id, limit=most) for most in (1, 9)]
        tx.lookups.add(made.id, [Lookup(email="ben@example.com", recipient=Recipient())], NOW)
        tx.lookups.add("another", [Lookup(email="kim@example.com", recipient=Recipient())], NOW)
        tx.lookups.add(made.id, [Lookup(email="Ben@example.com", recipient=fine, answer=said)], NOW)
        return [*found, tx.bulk_items.not_looked_up(made.id, limit=9)]

    first, everybody, left = await store.write(work)
    assert [name.casefold() for name in first] == ["ana@example.com"]
    assert [name.casefold() for name in everybody] == ["ana@example.com", "ben@example.com", "kim@example.com"]
    assert list(everybody.values()) == [{"Ana Lopez", "Ana"}, frozenset(), frozenset()]
    assert [name.casefold() for name in left] == ["ana@example.com", "kim@example.com"]
    assert await unit(store).bulk_items.names(made.id) == {
        "ana@example.com": {"Ana Lopez", "Ana"},
        "ben@example.com": frozenset(),
        "kim@example.com": frozenset(),
    }
    assert await unit(store).lookups.of(made.id) == {
        "ben@example.com": Lookup(email="Ben@example.com", recipient=fine, answer=said)
    }
    assert await unit(store).lookups.count(made.id) == 1
    assert [row.name for row in await unit(store).bulk_items.rows(made.id)] == ["", "", "", "Ana Lopez", "Ana"]


async def test_look_ups_of_old_checks_are_forgotten_and_those_of_requests_stay(store: Store) -> None:
    made = await stored(store)
    checks = [job(f"J{n}", kind=CHECK) for n in (1, 2)]

    def work(tx: Tx) -> list[object]:
        for one in checks:
            tx.jobs.add(one)
        people = [Lookup(email=f"p{n}@example.com", recipient=Recipient()) for n in range(5)]
        tx.lookups.add("J1", people, NOW)
        tx.lookups.add("J2", people, NOW + timedelta(seconds=1))
        tx.lookups.add(made.id, people, NOW)
        before, found = NOW + timedelta(seconds=1), []
        for _ in range(3):
            found += [tx.lookups.has_old(before=before), tx.lookups.forget_old(before=before, limit=3)]
        return [*found, *(tx.lookups.count(about) for about in ("J1", "J2", made.id))]

    assert await store.write(work) == [True, 3, True, 2, False, 0, 0, 5, 5]
