"""What somebody does who may write to the database and does not have the key: drawn from the schema."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Connection, Float, Integer, Text, create_engine, select
from sqlalchemy.pool import StaticPool

from bot.domain.approvals import No
from bot.domain.payments.instruction import PAYLOADS, Kind, digest_of
from bot.domain.payments.operation import OperationStatus
from bot.domain.reasons import OfRequest, Reason, Verbatim
from storage.errors import RowUnreadable
from storage.tables.columns import metadata
from storage.transaction import Tx
from storage.types import Json, Moment, Named, Reasoned, Words, canonical_json
from tests.support.rig import LIN, MARIA, TOM
from tests.writer.columns import ATTACKED

_YEAR = timedelta(days=365) // timedelta(microseconds=1)
_THEIRS = "thief@example.com"
_REASONS = (
    Reason(Verbatim.GIVEN, text=_THEIRS),
    Reason(OfRequest.ANOTHER_IS_SENT),
    Reason(OfRequest.HELD, no=No.GONE.value, sent_before=False),
    Reason(OfRequest.RESTORED),
)


class Mode(StrEnum):
    PLAIN = "plain"
    PUSHED = "pushed"
    """The request is put into the state in which it is sent, due now."""
    CLEANED = "cleaned"
    """The same, and whatever was sent before leaves no trace but the audit's."""
    VOTED = "voted"
    """The same, with two votes that nobody gave."""


@dataclass(frozen=True, slots=True)
class Attack:
    """One column of the rows of one request, or what is done to whole rows (``column`` then says what).

    ``nth``: which of the values for this column; behind the last of them, what stands in another request's row.
    """

    table: str
    column: str
    nth: int
    mode: Mode

    def __str__(self) -> str:
        return f"{self.table}.{self.column}#{self.nth} {self.mode}"


WHOLE = ("delete", "repeat")
"""What is done to whole rows."""
CUT = "delete last"
"""What is done to the audit rows of a request besides: so many of the last ones are deleted."""
_MOST_CUT = 4
SHARED = frozenset({"audit", "audit_head", "audit_key", "flag"})
"""Tables whose rows concern other requests too: each such attack has a database of its own."""


def attacks(*, modes: tuple[Mode, ...] = tuple(Mode)) -> Iterator[Attack]:
    for name, columns in ATTACKED.items():
        for column in (*columns.split(), *WHOLE):
            values = 1 if column in WHOLE else _count(name, column) + 1
            for nth in range(values):
                for mode in modes:
                    yield Attack(name, column, nth, mode)
    for nth in range(_MOST_CUT):
        for mode in modes:
            yield Attack("audit", CUT, nth, mode)


def _count(table: str, column: str) -> int:
    return len(list(_values(metadata.tables[table].c[column], None)))


@contextmanager
def writing(file: Path) -> Iterator[sqlite3.Connection]:
    """The database without its triggers, which whoever owns it can drop."""
    with closing(sqlite3.connect(file, isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        for (name,) in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            raw.execute(f"DROP TRIGGER {name}")
        yield raw


def commit(raw: sqlite3.Connection, attack: Attack, request: str, now: int) -> bool:
    """Do it; False where the database refuses it, there is no such row, or nobody could read it any more.

    A row that cannot be read is sent by nobody. Here it would only keep the others from being attacked.
    """
    engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
    with engine.connect() as connection:
        raw.execute("BEGIN")
        try:
            _push(raw, attack.mode, request, now)
            done = _change(raw, attack, request) > 0 or attack.mode is not Mode.PLAIN
            if attack.table not in SHARED:
                _read(connection, attack.table, request)
        except (RowUnreadable, sqlite3.IntegrityError, ValueError, TypeError, AttributeError, OverflowError):
            raw.execute("ROLLBACK")
            return False
        raw.execute("COMMIT")
    return done


def _read(connection: Connection, table: str, request: str) -> None:
    raw = connection.connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    raw.row_factory = None
    connection.execute(select(metadata.tables[table])).all()
    Tx(connection, audit_key=b"").instructions.get(request)


def _push(raw: sqlite3.Connection, mode: Mode, request: str, now: int) -> None:
    if mode is Mode.PLAIN:
        return
    approved = "SELECT max(at) FROM audit WHERE instruction_id = ? AND action = 'approve'"
    (at,) = raw.execute(approved, (request,)).fetchone()
    raw.execute(
        "UPDATE instruction SET state = 'approved', due_at = ?, exec_deadline = ?, lease_owner = '', "
        "lease_until = NULL, stopped = '', tries = 0, closed_at = NULL, version = version + 1 WHERE id = ?",
        (now, (at or now) + 3_600_000_000, request),
    )
    if mode is not Mode.PUSHED:
        _clean(raw, request)
    if mode is Mode.VOTED:
        _vote(raw, request, now)


def _vote(raw: sqlite3.Connection, request: str, now: int) -> None:
    (number,) = raw.execute("SELECT round FROM instruction WHERE id = ?", (request,)).fetchone()
    for person in (LIN, TOM):
        raw.execute(
            "INSERT OR REPLACE INTO vote (instruction_id, round, person, choice, at, typed) "
            "VALUES (?, ?, ?, 'approve', ?, 1)",
            (request, number, person, now),
        )


def _clean(raw: sqlite3.Connection, request: str) -> None:
    raw.execute(
        "UPDATE instruction SET commits = 0, sent_at = (SELECT max(at) FROM audit WHERE instruction_id = ? AND "
        "action = 'create'), unknown_since = NULL, suspect = NULL, remote_id = CASE kind WHEN 'payout' THEN remote_id "
        "END WHERE id = ?",
        (request, request),
    )
    raw.execute("UPDATE bulk_flight SET flying = NULL WHERE instruction_id = ?", (request,))
    raw.execute("DELETE FROM attempt WHERE instruction_id = ? AND kind = 'commit'", (request,))
    raw.execute("DELETE FROM reservation WHERE instruction_id = ?", (request,))


_ALL = ":request = :request"


def _of(table: str) -> str:
    columns = metadata.tables[table].c
    if table == "instruction":
        return "id = :request"
    return "instruction_id = :request" if "instruction_id" in columns else _ALL


def _change(raw: sqlite3.Connection, attack: Attack, request: str) -> int:
    table, column = attack.table, attack.column
    mine = {"request": request}
    if column == "delete":
        return raw.execute(f"DELETE FROM {table} WHERE {_of(table)}", mine).rowcount  # noqa: S608 - names of ours
    if column == CUT:
        last = "SELECT seq FROM audit WHERE instruction_id = :request ORDER BY seq DESC LIMIT :most"
        return raw.execute(f"DELETE FROM audit WHERE seq IN ({last})", {**mine, "most": attack.nth + 1}).rowcount  # noqa: S608
    keys = [key.name for key in metadata.tables[table].primary_key.columns]
    raw.row_factory = sqlite3.Row
    rows = raw.execute(f"SELECT * FROM {table} WHERE {_of(table)} ORDER BY {', '.join(keys)}", mine).fetchall()  # noqa: S608
    if column == "repeat":
        return sum(_repeated(raw, table, keys, dict(row)) for row in rows)
    is_of_another = attack.nth == _count(table, column)
    others = _of_another(raw, table, keys, request) if is_of_another else rows
    done = 0
    for n, row in enumerate(rows if others else []):
        other = others[min(n, len(others) - 1)][column]
        value = other if is_of_another else list(_values(metadata.tables[table].c[column], row[column]))[attack.nth]
        changes = {column: value}
        if (table, column) == ("instruction", "payload"):
            of = Kind(row["kind"])
            payload = PAYLOADS[of].model_validate_json(value)
            changes["digest"] = digest_of(kind=of, code=row["code"], payload=payload)
        sets = ", ".join(f'"{name}" = :new_{name}' for name in changes)
        which = " AND ".join(f'"{name}" = :old_{name}' for name in keys)
        given = {f"new_{name}": value for name, value in changes.items()}
        given |= {f"old_{name}": row[name] for name in keys}
        done += raw.execute(f"UPDATE {table} SET {sets} WHERE {which}", given).rowcount  # noqa: S608
    return done


def _of_another(raw: sqlite3.Connection, table: str, keys: list[str], request: str) -> list[sqlite3.Row]:
    if _of(table) == _ALL:
        return []
    owner = "id" if table == "instruction" else "instruction_id"
    order = ", ".join(keys)
    last = f"SELECT max({owner}) FROM {table} WHERE {owner} <> ?"  # noqa: S608 - names of ours
    return raw.execute(f"SELECT * FROM {table} WHERE {owner} = ({last}) ORDER BY {order}", (request,)).fetchall()  # noqa: S608


def _repeated(raw: sqlite3.Connection, table: str, keys: list[str], row: dict[str, Any]) -> int:
    new = dict(row)
    for name in {*keys, "reference", "code", "source_key", "key", "id", "person", "flying"} & row.keys():
        if name == "instruction_id":
            continue
        value = row[name]
        new[name] = 1_000_000 + value if isinstance(value, int) else TOM if name == "person" else f"{value}X"
    names = ", ".join(f'"{name}"' for name in new)
    marks = ", ".join(f":{name}" for name in new)
    return raw.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", new).rowcount  # noqa: S608


def _values(column: Column[Any], before: Any) -> Iterator[Any]:
    kind = column.type
    match kind:
        case Json():
            yield from _json(before)
        case Moment():
            yield from ((before or 0) - _YEAR, (before or 0) + _YEAR)
        case Named():
            yield from (member.value for member in kind.kind)
        case Boolean():
            yield 0 if before else 1
        case BigInteger() | Integer() | Float():
            yield from (0, 1, (before or 0) + 1, (before or 0) * 10)
        case Words() | Text():
            yield from ("", _THEIRS, MARIA, OperationStatus.PENDING.value, "1" * 64)
        case Reasoned():
            yield from ("", *(canonical_json(reason.stored()) for reason in _REASONS))
        case _:
            raise TypeError(column)
    if column.nullable:
        yield None


def _json(before: Any) -> Iterator[str]:
    held = json.loads(before) if before else {}
    if not isinstance(held, dict):
        yield from (canonical_json([]), canonical_json({}), canonical_json([*held, "x"]))
        return
    yield canonical_json({name: _greedy(name, value) for name, value in held.items()})
    yield canonical_json({name: _modest(value) for name, value in held.items()})
    yield canonical_json({})


def _greedy(name: str, value: Any) -> Any:
    """More money, to somebody else; less asked of those who approve."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return 1 if name == "quorum" else value * 10
    if isinstance(value, str):
        return _THEIRS if "@" in value else f"{value} and more"
    return value


def _modest(value: Any) -> Any:
    return 1 if isinstance(value, int | float) and not isinstance(value, bool) else value
