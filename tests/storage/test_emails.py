"""Lists of addresses on both databases: taken in order, stored once, picked up again."""

from storage import Store, Tx
from storage.rows import EmailRun
from tests.storage.factories import unit
from tests.storage.lists import begun
from tests.support.rows import counted


def run(tx: Tx, job_id: str = "J1") -> EmailRun:
    found = tx.emails.get(job_id)
    assert found is not None
    return found


async def test_email_answer_is_stored_and_counted_once(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 3))
    await unit(store).emails.take("J1", 3)
    await unit(store).emails.record("J1", [(0, "answered", "a"), (2, "no answer", "c")])
    await unit(store).emails.record("J1", [(0, "refused", "x"), (1, "answered", "b")])
    await unit(store).emails.record("J1", [])
    assert await store.read(lambda tx: dict(tx.emails.answers("J1"))) == {0: "a", 1: "b", 2: "c"}
    assert (await store.read(run)).outcomes == {"answered": 2, "no answer": 1}
    assert await store.read(lambda tx: counted(tx, "J1")) == (3, 3)


async def test_restarted_reading_discards_earlier_rows(store: Store) -> None:
    await store.write(lambda tx: begun(tx, 3))
    await unit(store).emails.add_block("J1", part="rows", n=0, content=b"\x00\xffold")
    await store.write(lambda tx: begun(tx, 2))
    assert await store.read(lambda tx: list(tx.emails.blocks("J1", part="rows"))) == []
    assert (await store.read(run)).total == 2
