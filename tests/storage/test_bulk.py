"""Bulk payments: one submission in flight, and the lookups of their people."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.emails.lists import Answer, Outcome
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.bulk_records import BulkRow, RowChange
from bot.domain.payments.instruction import Kind, Recipient, State
from bot.domain.payments.lookups import CHECK, Lookup
from storage import Store, Tx
from storage.errors import Conflict
from storage.tables.instructions import bulk_flight
from tests.storage.factories import NOW, ask, instruction, job, unit

ITEMS = [
    BulkItem(row=2, email="Ana@example.com", cents=Cents(100), note="one"),
    BulkItem(row=3, email="ben@example.com", cents=Cents(250)),
    BulkItem(row=5, email="kim@example.com", cents=Cents(50)),
]


async def test_database_allows_one_submission_in_flight(store: Store) -> None:
    first, second = await ask(store), await ask(store)
    await unit(store).bulk_flights.take(first.id, known=[], now=NOW)

    def force(tx: Tx) -> None:
        values = {"instruction_id": second.id, "flying": 1, "known": [], "taken_at": NOW}
        tx.bulk_flights._connection.execute(bulk_flight.insert().values(values))

    with pytest.raises(Conflict):
        await store.write(force)


async def test_one_submission_is_in_flight_at_a_time(store: Store) -> None:
    first, second = await ask(store), await ask(store)
    assert await unit(store).bulk_flights.take(first.id, known=["b"], now=NOW)
    assert not await unit(store).bulk_flights.take(second.id, known=["b"], now=NOW)
    assert await unit(store).bulk_flights.take(first.id, known=["other"], now=NOW)
    assert await unit(store).bulk_flights.known(first.id) == {"b"}, "the history before the first submission"
    assert await unit(store).bulk_flights.land(first.id)
    assert not await unit(store).bulk_flights.land(first.id)
    assert await unit(store).bulk_flights.take(second.id, known=[], now=NOW)


async def test_cancellation_names_each_item_once(store: Store) -> None:
    made = await ask(store)
    rows = [BulkRow(row=n, email="a@example.com", cents=Cents(1), status="pending", hash=f"h{n}") for n in (1, 2, 3)]
    await unit(store).bulk_items.add(made.id, rows)
    await unit(store).bulk_items.name(made.id, [1, 2], 1)
    left = await unit(store).bulk_items.not_sent(made.id, status="pending", limit=10)
    named = await unit(store).bulk_items.named_by(made.id, 1)
    assert ([row.row for row in left], [row.row for row in named]) == ([3], [1, 2])


async def test_recipient_is_known_after_a_payment_but_buyers_are_not(store: Store) -> None:
    bulk = replace(instruction(), kind=Kind.BULK)
    paid = instruction(state=State.COMPLETED, email="Paid@example.com")
    buyer = replace(instruction(state=State.COMPLETED, email="buyer@example.com"), kind=Kind.PURCHASE)

    def work(tx: Tx) -> None:
        for one in (bulk, paid, buyer):
            assert tx.instructions.insert(one, actor="U1")
        tx.bulk_items.add(bulk.id, ITEMS)
        tx.bulk_items.change(bulk.id, [RowChange(2, "completed", "h", "")])

    await store.write(work)
    people = [*(item.email for item in ITEMS), "paid@example.com", "buyer@example.com"]
    known = await unit(store).instructions.paid_before(people)
    assert known == {"ana@example.com", "paid@example.com"}
    same = await unit(store).instructions.same_payments([("buyer@example.com", 2500)], since=NOW, again_since=NOW)
    assert same == []


async def test_people_without_a_lookup_come_once_each_largest_sum_first(store: Store) -> None:
    made = await ask(store)
    again = BulkItem(row=9, email="ANA@example.com", cents=Cents(900), name="Ana Lopez")
    items = [*ITEMS, again, replace(ITEMS[0], row=10, name="Ana")]
    answer = Answer(outcome=Outcome.ANSWERED, result="deliverable", pairs=(("mx", "yes"),))
    ben = Lookup(email="Ben@example.com", recipient=Recipient(full_name="Ben", active=True), answer=answer)

    def work(tx: Tx) -> list[list[str]]:
        tx.bulk_items.add(made.id, items)
        found = [tx.bulk_items.not_looked_up(made.id, limit=most) for most in (1, 9)]
        assert list(found[1].values()) == [{"Ana Lopez", "Ana"}, frozenset(), frozenset()]
        tx.lookups.add(made.id, [replace(ben, email="ben@example.com", answer=None)], NOW)
        tx.lookups.add("another", [Lookup(email="kim@example.com", recipient=Recipient())], NOW)
        tx.lookups.add(made.id, [ben], NOW)
        found.append(tx.bulk_items.not_looked_up(made.id, limit=9))
        return [[email.partition("@")[0].casefold() for email in people] for people in found]

    assert await store.write(work) == [["ana"], ["ana", "ben", "kim"], ["ana", "kim"]]
    assert await unit(store).lookups.of(made.id) == {"ben@example.com": ben}
    assert [row.name for row in await unit(store).bulk_items.rows(made.id)] == ["", "", "", "Ana Lopez", "Ana"]


async def test_lookups_of_old_checks_expire_but_of_requests_stay(store: Store) -> None:
    made = await ask(store)
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
