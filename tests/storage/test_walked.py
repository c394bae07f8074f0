"""F94: from a request's first row to the end of the chain nothing is missing; a process verifies each row once."""

import asyncio

import pytest

from bot.domain.audit import Entry, Stored, link
from storage import Store, Tx
from storage.walked import Walked
from tests.storage.factories import KEY, NOW, tamper

COPY = 'seq, "at", instruction_id, actor, action, "before", "after", detail, previous, hash'


def entry(request: str) -> Entry:
    return Entry(at=NOW, instruction_id=request, actor="U1", action="approve", before="a", after="b", detail={})


async def filled(store: Store, count: int = 12) -> None:

    def work(tx: Tx) -> None:
        for number in range(1, count + 1):
            tx.audit.append(entry(f"i{(number - 1) % 3 + 1}"))

    await store.write(work)


async def gap(store: Store, request: str = "i1", *, keep: bool = True) -> int | None:
    run = store.read if keep else store.write
    return await run(lambda tx: tx.audit.gap(tx.audit.about(request), keep=keep))


@pytest.mark.parametrize("keep", [True, False])
async def test_complete_chain_has_no_gap(store: Store, keep: bool) -> None:
    for requests in (("i1", "i2", "i3"), ("i3", "i2", "i1")):
        await filled(store)
        assert [await gap(store, request, keep=keep) for request in requests] == [None] * 3


DEEDS = [
    ("DELETE FROM audit WHERE seq = 7", 7),
    ("DELETE FROM audit WHERE seq = 8", 8),
    ("DELETE FROM audit WHERE seq = 12", 12),
    ("UPDATE audit SET actor = 'U9' WHERE seq = 9", 9),
    ("UPDATE audit SET previous = hash WHERE seq = 6", 6),
    ("UPDATE audit SET instruction_id = 'i2' WHERE seq = 10", 10),
    ("UPDATE audit_head SET seq = 13", 13),
    ("UPDATE audit_head SET hash = 'x'", 13),
]


@pytest.mark.parametrize("seen_before", [False, True])
@pytest.mark.parametrize(("deed", "at"), DEEDS)
async def test_missing_row_is_found_by_the_first_verification(
    store: Store, deed: str, at: int, seen_before: bool
) -> None:
    await filled(store, 3)
    if seen_before:
        assert await gap(store) is None
    await filled(store, 9)
    await tamper(store, deed)
    assert [await gap(store, keep=keep) for keep in (False, True)] == [at, at]


async def test_row_removed_after_verification_is_missed(store: Store) -> None:
    await filled(store)
    assert await gap(store) is None
    await tamper(store, "DELETE FROM audit WHERE seq = 10")
    assert [await gap(store, keep=keep) for keep in (True, False)] == [10, 10]
    assert await gap(store, "i2") is None, "its own rows are all there"


async def test_row_copied_to_another_number_is_refused(store: Store) -> None:
    await filled(store)
    columns = COPY.removeprefix("seq, ")
    await tamper(store, f"INSERT INTO audit ({COPY}) SELECT 13, {columns} FROM audit WHERE seq = 4")  # noqa: S608
    assert await gap(store) == 13
    held = await store.read(lambda tx: [row.is_intact for row in tx.audit.verified(tx.audit.about("i1"))])
    assert held == [True, True, True, True, False]


async def test_row_of_another_history_breaks_the_chain(store: Store) -> None:
    """Written with the key after another row: a database that was put back and went on otherwise has such rows."""
    await filled(store)
    other = link(key=KEY, previous="f" * 64, seq=9, entry=entry("i3"))
    change = "UPDATE audit SET previous = '{}', hash = '{}' WHERE seq = 9"
    await tamper(store, change.format("f" * 64, other))
    held = await store.read(lambda tx: [row.is_intact for row in tx.audit.verified(tx.audit.about("i3"))])
    assert all(held)
    assert [await gap(store, keep=keep) for keep in (True, False)] == [9, 9]


async def test_claim_detects_a_chain_truncated_since(store: Store) -> None:
    await filled(store)
    assert await gap(store) is None
    await tamper(
        store,
        "DELETE FROM audit WHERE seq > 9",
        "UPDATE audit_head SET seq = 9, hash = (SELECT hash FROM audit WHERE seq = 9)",
    )
    assert await gap(store, keep=False) == 10


async def test_failed_unit_leaves_no_cached_verification(store: Store) -> None:
    await filled(store)
    assert await gap(store) is None

    def fails(tx: Tx) -> None:
        tx.audit.append(entry("i1"))
        assert tx.audit.gap(tx.audit.about("i1"), keep=False) is None
        raise LookupError

    with pytest.raises(LookupError):
        await store.write(fails)
    await filled(store, 1)
    assert [await gap(store, keep=keep) for keep in (False, True)] == [None, None]


async def test_each_row_is_verified_once(store: Store) -> None:
    await filled(store)
    seen: list[int] = []
    walked = Walked()

    def look(tx: Tx, request: str, *, keep: bool) -> int | None:
        def is_intact(row: Stored) -> bool:
            seen.append(row.seq)
            return tx.audit.is_intact(row)

        head = tx.audit.head()
        own = tx.audit.about(request)
        return walked.gap(own, rows=tx.audit.stored, end=(head.seq, head.hash), is_intact=is_intact, keep=keep)

    async def looked(request: str, *, keep: bool = True) -> list[int]:
        seen.clear()
        assert await store.read(lambda tx: look(tx, request, keep=keep)) is None
        return list(seen)

    assert await looked("i2") == list(range(2, 13))
    assert await looked("i3") == []
    assert await looked("i1") == [1]
    assert await looked("i1", keep=False) == []
    await filled(store, 3)
    assert await looked("i1", keep=False) == [13, 14, 15]
    assert await looked("i1") == [13, 14, 15]


async def test_readers_that_see_different_moments_do_not_contradict_each_other(store: Store) -> None:
    await filled(store, 300)
    asked = [gap(store, f"i{n % 3 + 1}") for n in range(40)]
    written = [filled(store, 3) for _ in range(10)]
    found = await asyncio.gather(*asked, *written)
    assert set(found) == {None}
