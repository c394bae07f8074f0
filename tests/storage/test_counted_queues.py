"""What waits in each queue, and when the next row becomes due: asked without looking at what is over."""

import sqlite3
from contextlib import closing
from datetime import datetime

from sqlalchemy import create_engine

from storage import Store
from storage.repositories.queues import _WAITING, Due
from tests.storage.factories import NOW, claims, instruction, later, unit

QUEUES = 10


def test_queue_counts_use_indexes(sqlite_url: str) -> None:
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
    assert len(reads) == QUEUES
    assert [step for step in reads if not any(f" {name}" in step for name in partial)] == []


KINDS: tuple[Due, ...] = (("instruction", ""), ("outbox", ""), ("tracked", "payout"), ("tracked", "bulk"))


async def test_earliest_due_time_ignores_held_and_stopped_rows(store: Store) -> None:
    async def earliest() -> dict[Due, datetime]:
        return dict(await unit(store).horizon.earliest(KINDS))

    assert await earliest() == {}
    await unit(store).instructions.insert(instruction(due_at=later(30)), actor="U1")
    for kind, name, seconds in (("payout", "a", 1), ("payout", "b", 40), ("bulk", "c", 90)):
        due = later(seconds)
        await unit(store).tracked.follow(kind=kind, remote_id=name, instruction_id=None, due_at=due, now=NOW)
    others = {("instruction", ""): later(30), ("tracked", "bulk"): later(90)}
    assert await earliest() == {**others, ("tracked", "payout"): later(1)}
    [held] = await claims(store, "tracked", 2, "x", lease=60, kind="payout")
    assert (held.remote_id, await earliest()) == ("a", {**others, ("tracked", "payout"): later(40)})
    await claims(store, "tracked", 50, "x", lease=60, kind="payout")
    await unit(store).steps.stop("tracked", ("payout", "b"), owner="x", number="n")
    assert await earliest() == others
