"""What waits in each queue, and that counting it looks at nothing else."""

import sqlite3
from contextlib import closing

from sqlalchemy import create_engine

from storage import Store
from storage.repositories.admin import _WAITING, AGED
from storage.rows import Waiting
from tests.storage.factories import NOW, instruction, later

EMPTY = ("callbacks", "webhooks", "messages", "files", "jobs", "attempts", "requests", "polls", "bookings", "cards")


async def waiting(store: Store, seconds: float = 0.0) -> dict[str, Waiting]:
    found = await store.read(lambda tx: tx.queues.waiting(later(seconds), followed=("payout",)))
    return {name: queue for name, queue in found.items() if queue.rows}


async def test_nothing_waits_in_an_empty_database(store: Store) -> None:
    found = await store.read(lambda tx: tx.queues.waiting(NOW))
    assert found == dict.fromkeys(EMPTY, Waiting(0, None))
    assert set(AGED) < set(EMPTY)


async def test_requests_and_what_is_followed_wait_once_they_are_due(store: Store) -> None:
    await store.write(lambda tx: tx.instructions.insert(instruction(due_at=later(30)), actor="U1"))
    for kind in ("payout", "bulk"):
        await store.write(
            lambda tx, kind=kind: tx.tracked.follow(  # type: ignore[misc]
                kind=kind, remote_id="a", instruction_id=None, due_at=later(10), now=NOW
            )
        )
    assert await waiting(store) == {}
    assert await waiting(store, 10) == {"polls": Waiting(1, None)}
    assert await waiting(store, 30) == {"polls": Waiting(1, None), "requests": Waiting(1, None)}


async def test_messages_wait_from_when_they_were_queued(store: Store) -> None:
    for number in (1, 2):
        await store.write(
            lambda tx, number=number: tx.outbox.add(  # type: ignore[misc]
                id=str(number),
                key=str(number),
                action="line",
                subject=f"notice:{number}",
                place="",
                channel="C1",
                payload={},
                now=later(number),
                due_at=later(1_000),
            )
        )
    assert await waiting(store) == {"messages": Waiting(2, later(1))}
    await store.write(lambda tx: tx.outbox.sent("1", "C1", "1.1", NOW))
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
