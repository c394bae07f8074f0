"""Rows that cannot be read: the bot starts, everybody else's lists work, and each such row is told once and left alone.

A healthy row of each table is copied once for each of its columns and each kind of damage; the copy gets the damage.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import BigInteger, Boolean, Column, Integer, LargeBinary, Table

from bot.domain.emails.lists import RUN, RunState
from bot.domain.home import Home, Laid
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallState, Order, lane_of
from bot.domain.localization.request import Request
from bot.domain.payments.instruction import CallbackKind, State
from bot.domain.references import ulid
from bot.presentation.notices import TRY_AGAIN
from bot.workflows.admin.home import look as home_of
from bot.workflows.admin.overview import overview, under_way
from storage.repositories.leased import KEYS
from storage.rows import DropRow, InboxState, Job, StoreEvent
from storage.tables.columns import metadata
from storage.transaction import Tx
from storage.types import Json, Moment, Named
from tests.support.deliveries import book, open_rig
from tests.support.rig import ADA, ALERTS, LIN, MARIA, OLGA, Rig
from tests.support.rows import change_rows
from tests.support.shown import lacking
from tests.workflows.looking import read, there

pytestmark = pytest.mark.rig(opened_by=open_rig)

TABLES = (
    "instruction",
    "board",
    "outbox",
    "inbox",
    "tracked",
    "job",
    "dropped_file",
    "booking",
    "store",
    "store_event",
)
"""Tables whose rows are read together for several people, or by a worker."""
ALONE = {
    "vote": "read with its request: test_unreadable_vote_holds_its_request",
    "attempt": "read with its request: test_unreadable_attempt_holds_its_request",
    "flag": "read by its name: test_unreadable_freeze_flag_sends_nothing",
    "email_run": "read with its list",
    "email_address": "read with its list",
    "email_block": "read with its list",
    "bulk_item": "read with its request, never in part",
    "bulk_flight": "known by its request",
    "lookup": "informs people: left out",
    "result_block": "files of a batch, in pieces, read with it",
    "reservation": "added up by the database",
    "callback_token": "found by its hash",
    "store_hook": "found by its hash",
    "seen_request": "found by its hash",
    "send_slot": "counted by the database",
    "unread_answer": "notes, read by operators",
    "audit": "checked by its seals",
    "audit_head": "checked by its seals",
    "audit_key": "checked by its seals",
}
MENDED = {
    "lease_owner blob": "the lease of another process is ended",
    "lease_owner bytes": "the lease of another process is ended",
    "lease_until real": "long over",
    "tries text": "counted",
    "attempts text": "counted",
    "polls text": "counted",
    "version text": "counted",
    "read_at text": "set by the claim",
    "read_at far": "set by the claim",
    "read_at real": "set by the claim",
}
"""Damages that the ordinary work mends, before the row is read."""
ONLY = {
    "board": {"due_at text", "due_at far"},  # a start hastens cards
    "instruction": {"lease_until text", "lease_until far", "lease_until real"},  # a start ends the leases of the dead
    "job": {"lease_owner blob", "lease_owner bytes"},
    "booking": MENDED.keys() - {"polls text", "version text"},
}
"""The same of a table where they are others."""
DUE = {"due_at": 0, "lease_owner": "", "lease_until": None, "stopped": "", "closed_at": None, "stopped_at": None}
OPEN = {"outbox": {"state": "new"}, "inbox": {"state": "received"}, "store_event": {"state": "received"}}


def test_every_table_is_named() -> None:
    assert {*TABLES, *ALONE} == set(metadata.tables)


@dataclass(frozen=True)
class Damage:
    column: str
    how: str
    sql: str


def damages(table: Table) -> Iterator[Damage]:
    for column in table.columns:
        for how, sql in _of(column):
            yield Damage(column.name, how, sql)


def _of(column: Column[Any]) -> list[tuple[str, str]]:
    match column.type:
        case Boolean() | LargeBinary():
            return []  # whatever is no 0 is true
        case Moment():
            return [("text", "'soon'"), ("far", "1000000000000000000"), ("real", "0.5")]
        case Json():
            return [("cut", "'{\"a\": '"), ("other", "'\"x\"'"), ("blob", "x'ff00'")]
        case Named():
            return [("newer", "'from_tomorrow'"), ("blob", "x'ff00'")]
        case BigInteger() | Integer():
            return [("text", "'many'"), ("real", "2.5"), ("huge", "123456789012345678901234567890")]
        case _:
            return [("blob", "x'ff00'"), ("bytes", "CAST(x'66ff' AS TEXT)")]


def file_of(rig: Rig) -> Path:
    return Path(rig.settings.database_url.partition("///")[2])


def damage(path: Path, table: Table, *, now: datetime) -> list[Damage]:
    """Copy the newest row of a table once for each damage; returns those that could be stored."""
    done = []
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        names = [column.name for column in table.columns if not (table.name == "outbox" and column.name == "seq")]
        [whole] = db.execute(f"SELECT {', '.join(names)} FROM {table.name} ORDER BY rowid DESC LIMIT 1")  # noqa: S608
        for number, one in enumerate([one for one in damages(table) if one.column in names]):
            copy = dict(zip(names, whole, strict=True)) | _opened(table, now)
            values = [_copied(table.columns[name], copy[name], number) for name in names]
            places = [one.sql if name == one.column else "?" for name in names]
            given = [value for name, value in zip(names, values, strict=True) if name != one.column]
            db.execute(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES ({', '.join(places)})", given)  # noqa: S608
            done.append(one)
    return done


def _opened(table: Table, now: datetime) -> dict[str, Any]:
    due = int((now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))
    values = {name: due if name == "due_at" else value for name, value in DUE.items() if name in table.columns}
    return values | OPEN.get(table.name, {})


def _copied(column: Column[Any], value: Any, number: int) -> Any:
    """The value in a copy: another one where it must be unique."""
    alone = column.unique or column.primary_key or column.name in ("subject", "token_hash", "remote_id", "key")
    return f"{value}:{number}" if alone and isinstance(value, str) and column.name != "kind" else value


async def fill(rig: Rig) -> None:
    """A healthy row in each table, due where rows become due."""
    await book(rig)
    await rig.pay('send ana@example.com 1500.00 "big"')
    await rig.press("approve")
    await rig.submit(ADA, {"amount": "1500.00"})
    now = rig.clock.now()
    order = Order(request=Request(operation=CallOperation.PARAPHRASE, text="fine").complete())
    [request] = await read(rig, lambda tx: tx.instructions.awaiting((State.AWAITING,)))

    def work(tx: Tx) -> None:
        job: dict[str, Any] = {
            "requester": MARIA,
            "channel": "C0FINANCE",
            "thread_ts": None,
            "created_at": now,
            "due_at": None,
        }
        told = {"file": "F1", "name": "a.csv", "column": 0, "column_name": "email", "concurrency": 5}
        tx.jobs.add(Job(id="J1", kind=RUN, state=RunState.PAUSED, payload=told, detail={}, source_key="j1", **job))
        lane = lane_of(order.request, 3_000)
        tx.jobs.add(
            Job(id="J2", kind=lane, state=CallState.RUNNING, payload=order.payload(), detail={}, source_key="j2", **job)
        )
        tx.dropped.notice(
            DropRow(id="F1", channel="C1", message_ts="1.1", thread_ts="", user=MARIA, created_at=now, due_at=now)
        )
        tx.tracked.follow("orphan", "7", due_at=now + timedelta(days=1), now=now)
        tx.tokens.put(token_hash="t", instruction_id=request.id, kind=CallbackKind.CANCEL)
        tx.inbox.receive(new_id=lambda: ulid(now), token_hash="t", body_hash="b", now=now, pause=timedelta(0))
        tx.store_events.receive(
            StoreEvent(
                id=ulid(now),
                token_hash="t",
                body_hash="b",
                store="Centro",
                kind="x",
                body="",
                received_at=now,
                state=InboxState.RECEIVED,
                attempts=0,
                due_at=now + timedelta(days=1),
            ),
            most=10,
        )

    await rig.switchboard.context.store.write(work)


def texts(rig: Rig) -> list[str]:
    return [m.text for m in rig.workspace.messages(ALERTS) if "row can't be read" in m.text]


async def others_go_on(rig: Rig) -> None:
    ctx = rig.switchboard.context
    seen = await home_of(ctx, LIN, Laid())
    assert isinstance(seen, Home)
    assert {one.instruction.cents for one in seen.waiting.rows} == {150_000}
    running = {one.name for one in (await under_way(ctx)).rows}
    assert "a.csv" in running
    assert any(name.startswith("B-") for name in running)
    await overview(ctx)
    for line in ("approvals", "list"):
        await rig.workspace.slash(LIN, "C0FINANCE", "/pay", line)
    await rig.workspace.slash(OLGA, "C0FINANCE", "/switchboard", "status")
    await rig.workspace.slash(OLGA, "C0FINANCE", "/switchboard", "jobs")
    await rig.settle()
    assert not [m.text for user in (LIN, OLGA) for m in rig.workspace.ephemerals(user) if "internal error" in m.text]
    rig.add_payees("kim@example.com")
    await rig.pay('send kim@example.com 5.00 "small"')
    await rig.press("approve")
    assert rig.paid[-1:] == [("kim@example.com", 500)]


@pytest.mark.parametrize("name", TABLES)
async def test_damaged_rows_do_not_block_others(rig: Rig, name: str) -> None:
    table = metadata.tables[name]
    await fill(rig)
    await rig.switchboard.stop()
    done = damage(file_of(rig), table, now=rig.clock.now())
    assert len(done) > 10
    await rig.start()
    await rig.settle()
    await others_go_on(rig)
    untold = await _untold(rig, done)
    possible = {f"{one.column} {one.how}" for one in done}
    assert untold == ONLY.get(name, MENDED.keys()) & possible
    told = len(texts(rig))
    assert told == len(done) - len(untold)
    await rig.pass_time(3_600, steps=4)
    assert len(texts(rig)) == told  # once each
    await rig.start_again()
    await rig.settle()
    assert len(texts(rig)) == told  # after a restart, too


async def _untold(rig: Rig, done: list[Damage]) -> set[str]:
    rows = await read(rig, lambda tx: list(tx.audit.stored()))
    entries = [entry for row in rows if (entry := row.entry()) is not None and entry.action == "unreadable"]
    named = {int(found[1]) for entry in entries if (found := re.search(r":(\d+)'", str(entry.detail["key"])))}
    keys = {name for names in KEYS.values() for name in names}
    return {
        f"{one.column} {one.how}" for number, one in enumerate(done) if number not in named and one.column not in keys
    }


async def test_repaired_row_continues_when_an_admin_presses_try_again(rig: Rig) -> None:
    await fill(rig)
    await rig.switchboard.stop()
    with closing(sqlite3.connect(file_of(rig))) as db, db:
        [recipient] = db.execute("SELECT recipient FROM instruction WHERE state = 'awaiting'").fetchone()
        db.execute("UPDATE instruction SET recipient = '{' WHERE state = 'awaiting'")
    await rig.start()
    await rig.settle()
    [alert] = [m for m in rig.workspace.messages(ALERTS) if "row can't be read" in m.text]
    assert not lacking(alert.text, "*Action needed: a database row can't be read*", "column `recipient`")
    for _ in range(2):  # still damaged: told anew
        await rig.click(alert, TRY_AGAIN, user=OLGA)
    assert len(texts(rig)) == 2
    await rig.workspace.slash(LIN, "C0FINANCE", "/pay", f"show {_reference(alert.text)}")
    assert "can't be read, so nothing was done" in rig.workspace.ephemerals(LIN)[-1].text
    with closing(sqlite3.connect(file_of(rig))) as db, db:
        db.execute("UPDATE instruction SET recipient = ? WHERE state = 'awaiting'", [recipient])
    await rig.click(rig.workspace.messages(ALERTS)[-1], TRY_AGAIN, user=OLGA)
    assert len(texts(rig)) == 2
    await rig.press("approve", user=LIN)
    await rig.submit(LIN, {"amount": "1500.00"})
    assert rig.paid == [("ana@example.com", 150_000)]


def _reference(text: str) -> str:
    found = there(re.search(r"P-\w{6}", text))
    return found[0]


@pytest.mark.parametrize(
    "change_of_the_vote",
    ["choice = 'perhaps'", "choice = x'ff'", "at = 'soon'", "at = 1000000000000000000", "person = x'ff'"],
)
async def test_unreadable_vote_holds_its_request(rig: Rig, change_of_the_vote: str) -> None:
    await fill(rig)
    rig.add_payees("kim@example.com")
    await rig.pay('send kim@example.com 1700.00 "other"')
    await change(rig, f"UPDATE vote SET {change_of_the_vote}")  # noqa: S608
    await rig.settle()
    ctx = rig.switchboard.context
    seen = await home_of(ctx, LIN, Laid())
    assert isinstance(seen, Home)
    assert [one.instruction.cents for one in seen.waiting.rows] == [170_000]
    await rig.settle()
    assert len(texts(rig)) == 1
    await rig.workspace.click(LIN, "C0APPROVE", rig.cards()[0].ts, "payout.approve")
    if rig.workspace.modal(LIN) is not None:
        await rig.submit(LIN, {"amount": "1500.00"})
    assert rig.paid == []


async def change(rig: Rig, *statements: str) -> None:
    await rig.switchboard.stop()
    change_rows(rig, *statements)
    await rig.start()


@pytest.mark.parametrize(
    ("column", "sql"), [("kind", "'other'"), ("claimed_at", "'soon'"), ("n", "'one'"), ("boot_at", "'x'")]
)
async def test_unreadable_attempt_holds_its_request(rig: Rig, column: str, sql: str) -> None:
    await rig.pay()
    await rig.press("approve")
    rig.add_payees("kim@example.com")
    await rig.pay('send kim@example.com 17.00 "other"')
    await rig.press("approve")
    assert len(rig.paid) == 2
    first = "(SELECT id FROM instruction ORDER BY id LIMIT 1)"
    await change(
        rig,
        "UPDATE instruction SET state = 'sending', lease_owner = 'dead', lease_until = 1",
        "UPDATE attempt SET outcome = 'open' WHERE kind = 'commit'",
        f"UPDATE attempt SET {column} = {sql} WHERE kind = 'commit' AND instruction_id = {first}",  # noqa: S608
    )
    await rig.settle()
    assert len(texts(rig)) == 1
    states = await read(rig, lambda tx: tx.instructions.counts())
    assert states == {("payout", "sending"): 1, ("payout", "commit_unknown"): 1}  # the other one is read
    await rig.pass_time(3_600, steps=4)
    assert len(rig.paid) == 2
    assert len(texts(rig)) == 1


@pytest.mark.parametrize("value", ["{", '"x"', '{"by": 1}', "[]"])
async def test_unreadable_freeze_flag_sends_nothing(rig: Rig, value: str) -> None:
    await rig.pay()
    await rig.pay("freeze careful", user=OLGA)
    await change(rig, f"UPDATE flag SET value = '{value}' WHERE key = 'frozen'")  # noqa: S608
    await rig.settle()
    await rig.press("approve")
    await rig.pass_time(120)
    assert rig.paid == []
    await rig.pay("unfreeze", user=ADA)
    await rig.submit(ADA, {})
    assert len(rig.paid) == 1
