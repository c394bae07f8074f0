"""Files that people dropped: known once by their id, looked at by one, settled once."""

from typing import Any

import pytest

from bot.domain.files.sniffing import FileKind
from storage import Store
from storage.rows import DropRow, DropState
from tests.storage.dropped import found, row
from tests.storage.factories import NOW, claims, later, unit


async def notice(store: Store, seen: DropRow) -> Any:
    return await unit(store).dropped.notice(seen)


async def get(store: Store, file_id: str = "F1") -> Any:
    held = await unit(store).dropped.get(file_id)
    assert held is not None
    return held


async def claim(store: Store, seconds: float = 0, owner: str = "a", limit: int = 99) -> Any:
    return await claims(store, "dropped", seconds, owner, limit=limit)


async def test_a_file_is_noticed_once(store: Store) -> None:
    assert await notice(store, row())
    assert not await notice(store, row(message_ts="2.2", channel="C2"))
    held = await get(store)
    assert (held.channel, held.message_ts, held.state) == ("C1", "1.1", DropState.NOTICED)
    known = (held.name, held.size, held.mimetype, held.kind, held.format, held.duration_ms, held.header)
    assert known == ("", 0, "", FileKind.OTHER, "", None, None), "until somebody looked at it"
    assert await unit(store).dropped.get("F2") is None


async def test_the_message_may_be_told_later(store: Store) -> None:
    assert await notice(store, row(message_ts="", thread_ts="", channel="C9"))
    assert not await notice(store, row(message_ts="", thread_ts=""))
    await claim(store)
    assert await notice(store, row(due_at=later(5)))
    held = await get(store)
    assert (held.channel, held.message_ts, held.thread_ts, held.attempts) == ("C1", "1.1", "1.0", 0)
    assert not await notice(store, row(message_ts="3.3"))


@pytest.mark.parametrize("placed", [True, False])
async def test_what_was_left_alone_is_looked_at_again_only_when_its_message_is_news(store: Store, placed: bool) -> None:
    await notice(store, row() if placed else row(message_ts="", thread_ts=""))
    assert await unit(store).dropped.quiet("F1")
    assert await notice(store, row()) is not placed
    assert (await get(store)).state is (DropState.QUIET if placed else DropState.NOTICED)


async def test_one_looks_at_it_at_a_time(store: Store) -> None:
    await notice(store, row("F1", due_at=later(1)))
    await notice(store, row("F2"))
    await notice(store, row("F3", due_at=later(60)))
    assert [one.id for one in await claim(store, 2)] == ["F2", "F1"]
    assert await claim(store, 2, owner="b") == []
    [again, other] = await claim(store, 40, owner="b")  # the lease ran out
    assert (again.id, again.attempts, other.attempts) == ("F2", 2, 2)
    assert [one.id for one in await claim(store, 100, limit=1)] == ["F2"]


async def test_it_is_settled_once(store: Store) -> None:
    await notice(store, row())
    await claim(store)
    assert await unit(store).dropped.offered(found())
    assert not await unit(store).dropped.offered(found(name="other"))
    assert not await unit(store).dropped.quiet("F1")
    assert not await unit(store).dropped.again("F1", due_at=later(1))
    held = await get(store)
    assert (held.name, held.size, held.kind, held.format, held.duration_ms) == (
        "a��.wav",
        5_000_000_000,
        FileKind.AUDIO,
        "wav",
        1_500,
    )
    assert (held.state, held.due_at, held.lease_owner, held.lease_until) == (DropState.OFFERED, None, "", None)
    assert await claim(store, 1_000) == []


@pytest.mark.parametrize("header", [None, (), ("E-Mail", "Größe\x00", "\ud800", "")])
async def test_the_names_in_the_first_row_are_kept(store: Store, header: tuple[str, ...] | None) -> None:
    await notice(store, row())
    await unit(store).dropped.offered(found(header=header))
    held = (await get(store)).header
    assert (None if held is None else tuple(held)) == header


async def test_later_is_later(store: Store) -> None:
    await notice(store, row())
    await claim(store)
    assert await unit(store).dropped.again("F1", due_at=later(10))
    assert await claim(store, 9) == []
    [held] = await claim(store, 10)
    assert held.attempts == 2


async def test_only_what_was_offered_can_be_gone_and_once(store: Store) -> None:
    await notice(store, row())
    assert not await unit(store).dropped.gone("F1")
    assert not await unit(store).dropped.gone("F2")
    await unit(store).dropped.offered(found())
    assert await unit(store).dropped.gone("F1")
    assert not await unit(store).dropped.gone("F1")
    assert not await unit(store).dropped.offered(found())


async def test_what_a_dead_process_held_is_free(store: Store) -> None:
    await notice(store, row())
    await claim(store, owner="dead")
    assert await unit(store).dropped.recover("dead") == 0
    assert await unit(store).dropped.recover("alive") == 1
    assert [one.id for one in await claim(store, owner="alive")] == ["F1"]


async def test_what_nothing_was_posted_about_is_forgotten_when_it_was_noticed_before_then(store: Store) -> None:
    await notice(store, row(created_at=NOW))
    await unit(store).dropped.quiet("F1")
    assert not await unit(store).dropped.has_old(before=NOW)
    assert await unit(store).dropped.forget_old(before=NOW, limit=9) == 0
    assert await unit(store).dropped.has_old(before=later(1))
    assert await unit(store).dropped.forget_old(before=later(1), limit=9) == 1


async def test_how_long_the_oldest_has_waited(store: Store) -> None:
    assert await store.read(lambda tx: tx.queues.waiting(NOW)["files"].oldest) is None
    await notice(store, row("F1", created_at=later(5)))
    await notice(store, row("F2"))
    assert await store.read(lambda tx: tx.queues.waiting(NOW)["files"].oldest) == NOW
    await unit(store).dropped.quiet("F2")
    assert await store.read(lambda tx: tx.queues.waiting(NOW)["files"].oldest) == later(5)
