"""Lists of addresses on both databases: taken in order, stored once, picked up again."""

from datetime import timedelta

import pytest

from storage import Store, Tx
from storage.rows import EmailRun
from tests.storage.factories import unit
from tests.storage.lists import NOW, begun
from tests.support.rows import counted


def run(tx: Tx, job_id: str = "J1") -> EmailRun:
    found = tx.emails.get(job_id)
    assert found is not None
    return found


async def test_addresses_are_taken_in_order_and_once(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 5))
    assert await unit(store).emails.take("J1", 2) == [(0, "p0@example.com"), (1, "p1@example.com")]
    assert [n for n, _ in await unit(store).emails.take("J1", 10)] == [2, 3, 4]
    assert await unit(store).emails.take("J1", 10) == []
    assert await unit(store).emails.take("J1", -1) == []
    assert (await store.read(run)).taken == 5


async def test_an_answer_is_stored_once_and_counted_once(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 3))
    await unit(store).emails.take("J1", 3)
    await unit(store).emails.record("J1", [(0, "answered", "a"), (2, "no answer", "c")])
    await unit(store).emails.record("J1", [(0, "refused", "x"), (1, "answered", "b")])
    await unit(store).emails.record("J1", [])
    assert await store.read(lambda tx: dict(tx.emails.answers("J1"))) == {0: "a", 1: "b", 2: "c"}
    assert (await store.read(run)).outcomes == {"answered": 2, "no answer": 1}
    assert await store.read(lambda tx: counted(tx, "J1")) == (3, 3)


async def test_what_was_under_way_is_picked_up_and_counted_what_was_parked_is_not(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 6))
    await unit(store).emails.take("J1", 4)
    await unit(store).emails.record("J1", [(1, "answered", "a")])
    assert [n for n, _ in await unit(store).emails.pick_up("J1")] == [0, 2, 3]
    assert (await store.read(run)).repeated == 3
    await unit(store).emails.note("J1", parked=3)
    assert [n for n, _ in await unit(store).emails.pick_up("J1")] == [0, 2, 3]
    found = await store.read(run)
    assert (found.repeated, found.parked) == (3, 0)


async def test_beginning_again_throws_away_what_was_read_before(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 3))
    await unit(store).emails.add_block("J1", part="rows", n=0, content=b"\x00\xffold")
    await store.write(lambda tx: begun(tx, 2))
    assert await store.read(lambda tx: list(tx.emails.blocks("J1", part="rows"))) == []
    assert (await store.read(run)).total == 2


async def test_blocks_come_back_in_order_and_lists_do_not_mix(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 1))
    await store.write(lambda tx: begun(tx, 2, job_id="J2"))
    for n in (2, 0, 1):
        await unit(store).emails.add_block("J1", part="result", n=n, content=bytes([n, 0, 255]))
    assert await store.read(lambda tx: b"".join(tx.emails.blocks("J1", part="result"))) == bytes(
        [0, 0, 255, 1, 0, 255, 2, 0, 255]
    )
    assert await store.read(lambda tx: list(tx.emails.blocks("J2", part="result"))) == []
    await unit(store).emails.drop_blocks("J1", part="result")
    assert await store.read(lambda tx: list(tx.emails.blocks("J1", part="result"))) == []
    assert await store.write(lambda tx: len(tx.emails.take("J2", 9))) == 2


@pytest.mark.parametrize(
    "address", ["a\x00b@example.com", "\ud800@example.com", "用户@例子.广告", "'\"; drop@example.com"]
)
async def test_addresses_of_any_kind_are_stored(store: Store, address: str) -> None:
    await store.write(lambda tx: begun(tx, 0))
    await unit(store).emails.add_addresses("J1", [(0, address)])
    await unit(store).emails.note("J1", rows=1, skipped=0, total=1)
    ((_, found),) = await unit(store).emails.take("J1", 1)
    assert found == address.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")


async def test_what_is_kept_of_a_list_goes_when_it_was_closed_before_then(store: Store) -> None:
    def close(tx: Tx) -> None:
        begun(tx, 2)
        job = tx.jobs.get("J1")
        assert job is not None
        tx.jobs.touch(job, closed_at=NOW, due_at=None)

    await store.write(close)
    assert not await unit(store).emails.has_old(before=NOW)
    assert await unit(store).emails.forget(before=NOW, limit=9) == 0
    later = NOW + timedelta(microseconds=1)
    assert await unit(store).emails.has_old(before=later)
    assert await unit(store).emails.forget(before=later, limit=9) == 2
