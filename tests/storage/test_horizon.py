"""The horizon: when the next row of each kind becomes due, whatever else the tables hold."""

from datetime import datetime

from storage import Store
from storage.repositories.admin import Due
from tests.storage.factories import NOW, instruction, later

KINDS: tuple[Due, ...] = (
    ("instruction", ""),
    ("outbox", ""),
    ("inbox", ""),
    ("store_event", ""),
    ("dropped_file", ""),
    ("booking", ""),
    ("board", ""),
    ("store", ""),
    ("tracked", "payout"),
    ("tracked", "bulk"),
    ("job", "email.run"),
)


async def earliest(store: Store) -> dict[Due, datetime]:
    return dict(await store.read(lambda tx: tx.horizon.earliest(KINDS)))


async def follow(store: Store, kind: str, name: str, seconds: float) -> None:
    await store.write(
        lambda tx: tx.tracked.follow(kind=kind, remote_id=name, instruction_id=None, due_at=later(seconds), now=NOW)
    )


async def test_of_an_empty_database_nothing_ever_becomes_due(store: Store) -> None:
    assert await earliest(store) == {}


async def test_the_earliest_of_each_kind(store: Store) -> None:
    await store.write(lambda tx: tx.instructions.insert(instruction(due_at=later(30)), actor="U1"))
    for name, seconds in (("a", 60), ("b", 40)):
        await follow(store, "payout", name, seconds)
    await follow(store, "bulk", "c", 90)
    assert await earliest(store) == {
        ("instruction", ""): later(30),
        ("tracked", "payout"): later(40),
        ("tracked", "bulk"): later(90),
    }


async def test_what_somebody_holds_is_left_out(store: Store) -> None:
    for name, seconds in (("a", 1), ("b", 5)):
        await follow(store, "payout", name, seconds)
    held = await store.write(
        lambda tx: tx.tracked.claim_due(kind="payout", now=later(2), owner="x", lease_seconds=60, limit=9)
    )
    assert [one.remote_id for one in held] == ["a"]
    assert await earliest(store) == {("tracked", "payout"): later(5)}


async def test_what_was_stopped_is_left_out(store: Store) -> None:
    await follow(store, "payout", "a", 1)
    await store.write(
        lambda tx: tx.tracked.claim_due(kind="payout", now=later(2), owner="x", lease_seconds=60, limit=9)
    )
    await store.write(lambda tx: tx.steps.stop("tracked", ("payout", "a"), owner="x", number="n"))
    assert await earliest(store) == {}
