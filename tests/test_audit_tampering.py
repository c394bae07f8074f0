"""Any change of the stored rows, of any bit or of their order, is found at the first row concerned."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain.audit import GENESIS, ChainDamage, ChainRow, Keys, Stored, check, link, stored
from storage.reading import open_for_reading
from storage.transaction import Tx
from tests.support.audited import COLUMNS, KEY, ROWS, audit, entry, rows_of, tamper, write

COPY = f"INSERT INTO audit (seq, {COLUMNS}) SELECT ?, {COLUMNS} FROM audit WHERE seq = ?"  # noqa: S608


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without triggers, to be copied for each example."""
    path = tmp_path_factory.mktemp("template") / "s.db"
    url = f"sqlite+aiosqlite:///{path}"
    asyncio.run(write(url, [entry(number) for number in range(1, ROWS + 1)]))
    tamper(url)
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA journal_mode = delete")
    return path


def found(path: Path) -> tuple[int | None, ChainDamage | None]:
    def look(tx: Tx) -> tuple[int | None, ChainDamage | None]:
        verdict = check(keys=Keys(KEY), rows=tx.audit.stored(), end=tx.audit.head())
        return verdict.bad_seq, verdict.damage

    with open_for_reading(f"sqlite+aiosqlite:///{path}", audit_key=KEY) as reading:
        return reading.read(look)


ANY_ROW = st.integers(1, ROWS)
EACH_EXAMPLE = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@EACH_EXAMPLE
@given(ANY_ROW, st.sampled_from(Stored._fields[1:]), st.integers(0, 500), st.integers(0, 7))
def test_any_flipped_bit_is_found(template: Path, tmp_path: Path, row: int, field: str, at: int, bit: int) -> None:
    path = Path(shutil.copy(template, tmp_path / "copy.db"))
    value = getattr(rows_of(f"sqlite+aiosqlite:///{path}")[row - 1], field)
    with closing(sqlite3.connect(path)) as raw, raw:
        if isinstance(value, int):
            raw.execute(f'UPDATE audit SET "{field}" = ? WHERE seq = ?', (value ^ (1 << (at % 62)), row))  # noqa: S608
        else:
            data = bytearray(value.encode() or b"\x00")
            data[at % len(data)] ^= 1 << bit
            raw.execute(f'UPDATE audit SET "{field}" = CAST(? AS TEXT) WHERE seq = ?', (bytes(data), row))  # noqa: S608
    assert found(path) == (row, ChainDamage.CHANGED)


@EACH_EXAMPLE
@given(ANY_ROW, ANY_ROW, st.sampled_from(["remove", "close the gap", "cut", "swap", "copy"]))
def test_any_change_of_rows_is_found(template: Path, tmp_path: Path, first: int, second: int, deed: str) -> None:
    path = Path(shutil.copy(template, tmp_path / "copy.db"))
    with closing(sqlite3.connect(path)) as raw, raw:
        expected = _do(raw, deed, first, second)
    assert found(path) == expected


def _do(raw: sqlite3.Connection, deed: str, first: int, second: int) -> tuple[int | None, ChainDamage | None]:
    low, high = sorted((first, second))
    match deed:
        case "remove" | "close the gap":
            raw.execute("DELETE FROM audit WHERE seq BETWEEN ? AND ?", (low, high))
            if deed == "close the gap":
                for seq in range(high + 1, ROWS + 1):
                    raw.execute("UPDATE audit SET seq = ? WHERE seq = ?", (seq - (high - low + 1), seq))
            return low, ChainDamage.CUT_OFF if high == ROWS else ChainDamage.REMOVED
        case "cut":
            raw.execute("DELETE FROM audit WHERE seq >= ?", (low,))
            return low, ChainDamage.CUT_OFF
        case "swap":
            if low == high:
                return None, None
            for seq, to in ((low, -1), (high, low), (-1, high)):
                raw.execute("UPDATE audit SET seq = ? WHERE seq = ?", (to, seq))
            return low, ChainDamage.REORDERED
        case _:
            for seq in range(ROWS, high, -1):
                raw.execute("UPDATE audit SET seq = ? WHERE seq = ?", (seq + 1, seq))
            raw.execute(COPY, (high + 1, low))
            # Before its proper row it looks like a moved one; at the end no row is expected.
            return high + 1, ChainDamage.INSERTED if high == ROWS else ChainDamage.REORDERED


def test_long_chain_is_streamed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    url = f"sqlite+aiosqlite:///{path}"
    asyncio.run(write(url, []))
    with closing(sqlite3.connect(path)) as raw, raw:
        head = ""
        for row in long_chain(2_500):
            raw.execute("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            head = row.hash
        raw.execute("INSERT INTO audit_head VALUES (1, 2500, ?)", (head,))
    assert audit("verify", url=url).out.startswith("The audit holds: 2500 rows.\n")
    assert audit("export", "--format", "jsonl", url=url).out.count("\n") == 2500
    tamper(url, "UPDATE audit SET actor = 'U0EVE' WHERE seq = 2499")
    assert audit("verify", url=url).out.splitlines()[0].endswith("The first bad row is row 2499: changed.")


def long_chain(length: int) -> Iterator[Stored]:
    previous = GENESIS
    for seq in range(1, length + 1):
        content = entry(seq)
        made = link(key=KEY, previous=previous, seq=seq, entry=content)
        yield stored(ChainRow(seq=seq, entry=content, previous=previous, hash=made))
        previous = made
