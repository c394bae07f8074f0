"""Files that people dropped: known once by their id, looked at by one, settled once."""

from typing import Any

import pytest

from bot.domain.files.sniffing import FileKind
from storage import Store
from storage.rows import DropRow, DropState
from tests.storage.dropped import row
from tests.storage.factories import claims, later, unit


async def notice(store: Store, seen: DropRow) -> Any:
    return await unit(store).dropped.notice(seen)


async def get(store: Store, file_id: str = "F1") -> Any:
    held = await unit(store).dropped.get(file_id)
    assert held is not None
    return held


async def claim(store: Store, seconds: float = 0, owner: str = "a", limit: int = 99) -> Any:
    return await claims(store, "dropped", seconds, owner, limit=limit)


async def test_dropped_file_is_noticed_once(store: Store) -> None:
    assert await notice(store, row())
    assert not await notice(store, row(message_ts="2.2", channel="C2"))
    held = await get(store)
    assert (held.channel, held.message_ts, held.state) == ("C1", "1.1", DropState.NOTICED)
    known = (held.name, held.size, held.mimetype, held.kind, held.format, held.duration_ms, held.header)
    assert known == ("", 0, "", FileKind.OTHER, "", None, None), "until somebody looked at it"
    assert await unit(store).dropped.get("F2") is None


async def test_message_of_a_file_may_be_set_later(store: Store) -> None:
    assert await notice(store, row(message_ts="", thread_ts="", channel="C9"))
    assert not await notice(store, row(message_ts="", thread_ts=""))
    await claim(store)
    assert await notice(store, row(due_at=later(5)))
    held = await get(store)
    assert (held.channel, held.message_ts, held.thread_ts, held.attempts) == ("C1", "1.1", "1.0", 0)
    assert not await notice(store, row(message_ts="3.3"))


@pytest.mark.parametrize("placed", [True, False])
async def test_ignored_file_is_reconsidered_only_with_a_new_message(store: Store, placed: bool) -> None:
    await notice(store, row() if placed else row(message_ts="", thread_ts=""))
    assert await unit(store).dropped.quiet("F1")
    assert await notice(store, row()) is not placed
    assert (await get(store)).state is (DropState.QUIET if placed else DropState.NOTICED)


async def test_dropped_file_is_claimed_by_one_worker(store: Store) -> None:
    await notice(store, row("F1", due_at=later(1)))
    await notice(store, row("F2"))
    await notice(store, row("F3", due_at=later(60)))
    assert [one.id for one in await claim(store, 2)] == ["F2", "F1"]
    assert await claim(store, 2, owner="b") == []
    [again, other] = await claim(store, 40, owner="b")  # the lease ran out
    assert (again.id, again.attempts, other.attempts) == ("F2", 2, 2)
    assert [one.id for one in await claim(store, 100, limit=1)] == ["F2"]
