"""Which key a database was written with: another one is refused, and a change of the key loses nothing."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bot.domain.anchors import Anchor, line
from bot.domain.audit import ChainDamage, Entry, Stored, Verdict, check, key_id, link
from bot.domain.bookings.record import StoreState
from bot.domain.payments.instruction import CallbackKind, State
from bot.domain.references import callback_token, derived_key, token_hash
from storage import StorageError, Store, Tx, migrate
from storage.anchors import AnchorFile, anchors_path
from storage.errors import OtherKey
from storage.maintenance import Rotated, rotate
from storage.rows import STORE_KEY, StoreRow
from storage.sealing import Sealer, SealError
from tests.storage.factories import NOW, attempt, instruction, opened, tamper, unit, vote
from tests.workflows.looking import there

OLD, NEW, NEWEST = "the-old-key", "the-new-key", "the-newest-key"


def _entry(number: int) -> Entry:
    at = NOW + timedelta(seconds=number)
    return Entry(at=at, instruction_id="i1", actor=f"U{number}", action="observed", before="", after="", detail={})


@asynccontextmanager
async def _opened(url: str, secret: str) -> AsyncIterator[Store]:
    async with opened(url, audit_key=derived_key(secret, "audit")) as store:
        yield store


async def _refused(url: str, secret: str) -> None:
    with pytest.raises(OtherKey):
        await Store.open(url, audit_key=derived_key(secret, "audit"))


async def _write(url: str, secret: str, *numbers: int) -> None:
    async with _opened(url, secret) as store:
        await store.write(lambda tx: [tx.audit.append(_entry(number)) for number in numbers])


async def _look(url: str, secret: str) -> tuple[Verdict, list[Stored]]:
    def work(tx: Tx) -> tuple[Verdict, list[Stored]]:
        return check(keys=tx.audit.keys(), rows=tx.audit.stored(), end=tx.audit.head()), list(tx.audit.stored())

    async with _opened(url, secret) as store:
        return await store.read(work)


async def _raw(url: str, secret: str, *statements: str) -> None:
    async with _opened(url, secret) as store:
        await tamper(store, *statements)


async def _rotate(url: str, old: str, new: str) -> Rotated | None:
    return await rotate(url, anchors=anchors_path(url), old=old, new=new, now=NOW)


async def _rotated(url: str, old: str, new: str) -> Rotated:
    rotated = await _rotate(url, old, new)
    assert rotated is not None
    newest = Anchor(at=NOW, seq=rotated.head.seq, head=rotated.head.hash)
    AnchorFile(anchors_path(url), key=derived_key(new, "anchor")).append(newest)
    return rotated


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))


async def test_wrong_key_is_refused_and_writes_nothing(database_url: str) -> None:
    await _write(database_url, OLD, 1, 2)
    await _refused(database_url, NEW)
    with pytest.raises(OtherKey):
        await migrate(database_url, audit_key=derived_key(NEW, "audit"))
    verdict, rows = await _look(database_url, OLD)
    assert (verdict.bad_seq, len(rows)) == (None, 2)


async def test_first_row_needs_the_current_key(database_url: str) -> None:
    async with _opened(database_url, OLD) as running:
        theirs = {"theirs": key_id(derived_key(NEW, "audit"))}
        change = text("UPDATE audit_key SET key_id = :theirs")
        await running.write(lambda tx: tx.audit._connection.execute(change, theirs).rowcount)
        with pytest.raises(OtherKey):
            await unit(running).audit.append(_entry(1))
    verdict, rows = await _look(database_url, NEW)
    assert (verdict.bad_seq, rows) == (None, [])


async def test_older_database_accepts_only_the_key_of_its_last_row(database_url: str) -> None:
    await _write(database_url, OLD, 1, 2)
    await _raw(database_url, OLD, "DELETE FROM audit_key")
    await _refused(database_url, NEW)
    await _write(database_url, OLD, 3)
    async with _opened(database_url, OLD) as store:
        assert await unit(store).audit.key_in_force() is not None


async def test_process_with_the_old_key_cannot_write(database_url: str) -> None:
    await _write(database_url, OLD, 1)
    async with _opened(database_url, OLD) as running:

        def change(tx: Tx) -> None:
            to = derived_key(NEW, "audit")
            tx.audit.rotate_key(_entry(2), to=to, anchor_key=b"a" * 32)

        await running.write(change)
        with pytest.raises(OtherKey):
            await unit(running).audit.append(_entry(3))
    verdict, rows = await _look(database_url, NEW)
    assert (verdict.bad_seq, len(rows)) == (None, 3)


async def test_audit_verifies_across_key_changes(database_url: str) -> None:
    await _write(database_url, OLD, 1, 2, 3)
    await _rotated(database_url, OLD, NEW)
    await _write(database_url, NEW, 4)
    await _rotated(database_url, NEW, NEWEST)
    await _write(database_url, NEWEST, 5)
    verdict, rows = await _look(database_url, NEWEST)
    actions = [row.action for row in rows]
    assert verdict.bad_seq is None, verdict
    changed = ["key_closed", "key_opened"]
    assert actions == ["observed"] * 3 + changed + ["observed"] + changed + ["observed"]
    async with _opened(database_url, NEWEST) as store:
        assert await store.read(lambda tx: all(tx.audit.is_intact(row) for row in rows))
    for secret in (OLD, NEW):
        assert secret.encode().hex() not in str(rows)
        assert derived_key(secret, "audit").hex() not in str(rows)
        await _refused(database_url, secret)


@pytest.mark.parametrize(
    ("tampering", "row", "damage"),
    [
        ("UPDATE audit SET actor = 'U9' WHERE seq = 2", 2, ChainDamage.CHANGED),
        ("DELETE FROM audit WHERE seq = 2", 2, ChainDamage.REMOVED),
        ("UPDATE audit SET detail = '{}' WHERE seq = 5", 1, ChainDamage.CHANGED),
        ("UPDATE audit SET actor = 'U9' WHERE seq = 6", 6, ChainDamage.CHANGED),
    ],
)
async def test_tampering_on_both_sides_is_found(
    database_url: str, tampering: str, row: int, damage: ChainDamage
) -> None:
    await _write(database_url, OLD, 1, 2, 3)
    await _rotated(database_url, OLD, NEW)
    await _write(database_url, NEW, 4)
    await _raw(database_url, NEW, tampering)
    verdict, _ = await _look(database_url, NEW)
    assert (verdict.bad_seq, verdict.damage) == (row, damage)


async def test_old_key_cannot_rewrite_the_audit(sqlite_url: str) -> None:
    await _write(sqlite_url, OLD, 1, 2, 3)
    await _rotated(sqlite_url, OLD, NEW)
    _, rows = await _look(sqlite_url, NEW)
    old, previous = derived_key(OLD, "audit"), rows[1].previous
    change, statements = "UPDATE audit SET actor = '{}', previous = '{}', hash = '{}' WHERE seq = {}", []
    for row in rows[1:4]:
        entry = row.entry()
        assert entry is not None
        seal = link(key=old, previous=previous, seq=row.seq, entry=replace(entry, actor="U9"))
        statements.append(change.format("U9", previous, seal, row.seq))
        previous = seal
    await _raw(sqlite_url, NEW, *statements, change.format("system", previous, rows[4].hash, 5))
    verdict, _ = await _look(sqlite_url, NEW)
    assert verdict.bad_seq == 5


async def test_old_anchors_stay_valid_after_a_key_change(sqlite_url: str) -> None:
    await _write(sqlite_url, OLD, 1, 2, 3)
    _, rows = await _look(sqlite_url, OLD)
    before = AnchorFile(anchors_path(sqlite_url), key=derived_key(OLD, "anchor"))
    before.append(Anchor(at=NOW, seq=2, head=rows[1].hash))
    await _rotated(sqlite_url, OLD, NEW)
    before.append(Anchor(at=NOW, seq=9, head="f" * 64))
    async with _opened(sqlite_url, NEW) as store:
        closed = await unit(store).audit.closed_keys()
    earlier = [(one.until, one.anchors) for one in closed]
    found = AnchorFile(anchors_path(sqlite_url), key=derived_key(NEW, "anchor"), earlier=earlier).read()
    assert ([one.seq for one in found.held], found.forged) == ([2, 5], (3,))


async def test_key_change_reseals_values_and_keeps_addresses(database_url: str) -> None:
    await _write(database_url, OLD, 1)
    open_, over = instruction(), instruction(state=State.COMPLETED)
    sealer = Sealer(key=derived_key(OLD, "stores"))
    key = sealer.seal("store-key", row="s1", column=STORE_KEY)
    values: dict[str, Any] = {"name": "Centro", "folded": "centro", "state": StoreState.READY, "record": {}}
    values |= {"remote_id": "r1", "created_at": NOW, "created_by": "U1", "seen_at": None, "due_at": None}
    sealed = StoreRow(id="s1", sealed_key=key, **values)

    def ours(secret: str, of: str) -> str:
        key = derived_key(secret, "callbacks")
        return token_hash(callback_token(key=key, instruction_id=of, kind=CallbackKind.CONFIRMATION))

    async with _opened(database_url, OLD) as store:

        def fill(tx: Tx) -> None:
            tx.stores.add(sealed)
            for one in (open_, over):
                tx.instructions.insert(one, actor="U1")
                tx.tokens.put(token_hash=ours(OLD, one.id), instruction_id=one.id, kind=CallbackKind.CONFIRMATION)

        await store.write(fill)
    rotated = await _rotated(database_url, OLD, NEW)
    assert (rotated.stores, rotated.unopened, rotated.addresses) == (("Centro",), (), 1)
    async with _opened(database_url, NEW) as store:
        row = await unit(store).stores.get("centro")
        assert Sealer(key=derived_key(NEW, "stores")).open(row.sealed_key, row="s1", column=STORE_KEY) == "store-key"
        with pytest.raises(SealError):
            sealer.open(row.sealed_key, row="s1", column=STORE_KEY)

        def found(tx: Tx) -> list[bool]:
            wanted = [ours(OLD, open_.id), ours(NEW, open_.id), ours(OLD, over.id), ours(NEW, over.id)]
            return [tx.tokens.find(one, NOW) is not None for one in wanted]

        assert await store.read(found) == [True, True, True, False]


async def test_rows_are_sealed_again_unless_they_were_forged(database_url: str) -> None:
    await _write(database_url, OLD, 1)
    asked, forged = instruction(), instruction()

    def fill(tx: Tx) -> None:
        for one in (asked, forged):
            tx.instructions.insert(one, actor="U1")
            tx.votes.cast(vote(one))
            tx.attempts.open(attempt(one))

    def whole(tx: Tx) -> list[tuple[bool, int, int]]:
        return [
            (
                tx.instructions.is_sealed(there(tx.instructions.get(one.id))),
                len(tx.votes.unsealed(tx.votes.of(one.id, 1))),
                len(tx.attempts.unsealed(tx.attempts.of(one.id))),
            )
            for one in (asked, forged)
        ]

    async with _opened(database_url, OLD) as store:
        await store.write(fill)
        for change in ("instruction SET round = 2", "vote SET typed = NOT typed", "attempt SET boot_at = 0"):
            key = "id" if change.startswith("instruction") else "instruction_id"
            await tamper(store, f"UPDATE {change} WHERE {key} = '{forged.id}'")
    await _rotated(database_url, OLD, NEW)
    async with _opened(database_url, NEW) as store:
        assert await store.read(whole) == [(True, 0, 0), (False, 1, 1)]


async def test_wrong_old_key_or_audit_stops_the_key_change(database_url: str) -> None:
    await _write(database_url, OLD, 1, 2)
    with pytest.raises(OtherKey):
        await _rotate(database_url, NEWEST, NEW)
    assert await _rotate(database_url, NEW, OLD) is None
    await _raw(database_url, OLD, "UPDATE audit SET actor = 'U9' WHERE seq = 1")
    with pytest.raises(StorageError, match="does not hold"):
        await _rotate(database_url, OLD, NEW)
    _, rows = await _look(database_url, OLD)
    assert len(rows) == 2


async def test_database_failure_keeps_the_old_key(database_url: str) -> None:
    await _write(database_url, OLD, 1)
    await _raw(database_url, OLD, "DROP TABLE callback_token")
    with pytest.raises(StorageError, match="callback_token"):
        await _rotate(database_url, OLD, NEW)
    verdict, rows = await _look(database_url, OLD)
    assert (verdict.damage, [row.actor for row in rows]) == (None, ["U1"])


async def test_changed_anchors_stop_the_key_change(database_url: str, tmp_path: Path) -> None:
    await _write(database_url, OLD, 1, 2)
    anchors = tmp_path / "anchors"
    for changed in ("garbage\n", line(Anchor(at=NOW, seq=1, head="x"), key=b"k" * 32)):
        anchors.write_text(changed)
        with pytest.raises(StorageError, match="does not hold"):
            await rotate(database_url, anchors=anchors, old=OLD, new=NEW, now=NOW)
    anchors.write_text("half of a li")
    assert await rotate(database_url, anchors=anchors, old=OLD, new=NEW, now=NOW) is not None


async def test_running_process_keeps_its_key(sqlite_url: str) -> None:
    async with _opened(sqlite_url, OLD):
        with pytest.raises(StorageError, match="Another process"):
            await _rotate(sqlite_url, OLD, NEW)
