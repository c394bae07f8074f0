"""What waits in each queue, and when the next row becomes due: asked without looking at what is over."""

import sqlite3
from contextlib import closing
from datetime import datetime

from sqlalchemy import create_engine

from storage import Store
from storage.repositories.admin import _WAITING, AGED, Due
from storage.rows import Waiting
from tests.storage.factories import NOW, claims, instruction, later, post, unit

EMPTY = ("callbacks", "webhooks", "messages", "files", "jobs", "attempts", "requests", "polls", "bookings", "cards")


async def waiting(store: Store, seconds: float = 0.0) -> dict[str, Waiting]:
    found = await unit(store).queues.waiting(later(seconds), followed=("payout",))
    return {name: queue for name, queue in found.items() if queue.rows}


async def test_nothing_waits_in_an_empty_database(store: Store) -> None:
    found = await unit(store).queues.waiting(NOW)
    assert found == dict.fromkeys(EMPTY, Waiting(0, None))
    assert set(AGED) < set(EMPTY)


async def test_requests_and_what_is_followed_wait_once_they_are_due(store: Store) -> None:
    await unit(store).instructions.insert(instruction(due_at=later(30)), actor="U1")
    for kind in ("payout", "bulk"):
        await unit(store).tracked.follow(kind=kind, remote_id="a", instruction_id=None, due_at=later(10), now=NOW)
    assert await waiting(store) == {}
    assert await waiting(store, 10) == {"polls": Waiting(1, None)}
    assert await waiting(store, 30) == {"polls": Waiting(1, None), "requests": Waiting(1, None)}


async def test_messages_wait_from_when_they_were_queued(store: Store) -> None:
    for number in (1, 2):
        await unit(store).outbox.add(post(str(number), now=later(number), due_at=later(1_000)))
    assert await waiting(store) == {"messages": Waiting(2, later(1))}
    await unit(store).outbox.sent("1", "C1", "1.1", NOW)
    assert await waiting(store) == {"messages": Waiting(1, later(2))}


def test_counting_goes_through_indexes_of_what_waits(sqlite_url: str) -> None:
    """However much is over: neither a table nor an index of all of its rows is walked through."""
    path = sqlite_url.partition("///")[2]
    asked = _WAITING.params(now=NOW, followed=["payout"])
    text = str(asked.compile(create_engine("sqlite://"), compile_kwargs={"render_postcompile": True}))
    with closing(sqlite3.connect(path)) as connection:
        partial = {
            name
            for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
            if sql and " WHERE " in sql
        }
        steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", [None] * text.count("?"))]
    reads = [step for step in steps if step.startswith(("SCAN", "SEARCH"))]
    assert len(reads) == len(EMPTY)
    assert [step for step in reads if not any(f" {name}" in step for name in partial)] == []


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
    return dict(await unit(store).horizon.earliest(KINDS))


async def follow(store: Store, kind: str, name: str, seconds: float) -> None:
    await unit(store).tracked.follow(kind=kind, remote_id=name, instruction_id=None, due_at=later(seconds), now=NOW)


async def test_of_an_empty_database_nothing_ever_becomes_due(store: Store) -> None:
    assert await earliest(store) == {}


async def test_the_earliest_of_each_kind(store: Store) -> None:
    await unit(store).instructions.insert(instruction(due_at=later(30)), actor="U1")
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
    held = await claims(store, "tracked", 2, "x", lease=60, kind="payout")
    assert [one.remote_id for one in held] == ["a"]
    assert await earliest(store) == {("tracked", "payout"): later(5)}


async def test_what_was_stopped_is_left_out(store: Store) -> None:
    await follow(store, "payout", "a", 1)
    await claims(store, "tracked", 2, "x", lease=60, kind="payout")
    await unit(store).steps.stop("tracked", ("payout", "a"), owner="x", number="n")
    assert await earliest(store) == {}
