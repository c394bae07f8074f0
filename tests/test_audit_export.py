"""``switchboard audit export``: rows are exported unchanged, and cells cannot run as formulas."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.domain.audit import Keys, Stored, check
from tests.support.audited import KEY, ROWS, audit, entry, rows_of, tamper, write

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", 'a"b,c', "Zoë \U0001f600", "'", " =1"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep out the ``.env`` of the working directory, and put the anchors of PostgreSQL into a folder of their own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
async def url(database_url: str) -> str:
    """A database with eight rows, not open in any process."""
    await write(database_url, [entry(number) for number in range(1, ROWS + 1)])
    return database_url


async def test_json_lines_hold_everything_and_can_be_verified_again(url: str) -> None:
    answer = audit("export", "--format", "jsonl", url=url)
    assert (answer.code, answer.err) == (0, "")
    again = []
    for line in answer.out.splitlines():
        found = json.loads(line)
        at = datetime.fromisoformat(found["at"]) - datetime(1970, 1, 1, tzinfo=UTC)
        detail = json.dumps(found["detail"], sort_keys=True, separators=(",", ":"))
        found |= {"at": at // timedelta(microseconds=1), "detail": detail, "instruction_id": found.pop("instruction")}
        again.append(Stored(**found))
    assert again == rows_of(url)
    assert check(keys=Keys(KEY), rows=again).bad_seq is None


async def test_csv_holds_everything_and_no_formula(database_url: str) -> None:
    await write(
        database_url, [entry(number, actor=text, detail={"a": text}) for number, text in enumerate(FORMULAS, start=1)]
    )
    answer = audit("export", url=database_url)
    assert answer.code == 0
    rows = list(csv.DictReader(io.StringIO(answer.out, newline="")))
    assert len(rows) == len(FORMULAS)
    for row, stored, text in zip(rows, rows_of(database_url), FORMULAS, strict=True):
        dangerous = text[0] in "=+-@\t\r\n"
        assert row["actor"] == (f"'{text}" if dangerous else text)
        assert json.loads(row["detail"]) == {"a": text}
        assert (int(row["seq"]), row["instruction"], row["hash"]) == (stored.seq, stored.instruction_id, stored.hash)
        assert datetime.fromisoformat(row["at"]).tzinfo is not None
    assert all(line.startswith('"') for line in answer.out.split("\r\n") if line and not line.startswith("\n"))


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
async def test_a_file_is_the_owners_alone_and_whole_or_not_there(url: str, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"out.{kind}"
    answer = audit("export", "--format", kind, "--output", str(target), url=url)
    assert (answer.code, answer.out) == (0, f"Wrote 8 rows to {target}.\n")
    with target.open(newline="") as file:
        assert file.read() == audit("export", "--format", kind, url=url).out
    assert target.stat().st_mode & 0o777 == 0o600
    assert not target.with_name(f"{target.name}.part").exists()
    answer = audit("export", "--output", str(tmp_path / "no" / "where"), url=url)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.replace(str(tmp_path), "~") == snapshot("""\
switchboard cannot go on:
~/no/where cannot be written: No such file or directory
""")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
async def test_rows_that_were_tampered_with_leave_too(sqlite_url: str, kind: str) -> None:
    await write(sqlite_url, [entry(number) for number in range(1, ROWS + 1)])
    tamper(
        sqlite_url,
        "UPDATE audit SET detail = 'no json' WHERE seq = 2",
        "UPDATE audit SET actor = CAST(x'ff3d' AS TEXT), action = x'00' WHERE seq = 3",
        'UPDATE audit SET "at" = 9223372036854775807 WHERE seq = 4',
    )
    answer = audit("export", "--format", kind, url=sqlite_url)
    assert answer.code == 0
    assert len(answer.out.splitlines()) == ROWS + (kind == "csv")
    assert "no json" in answer.out


@pytest.mark.parametrize("page", [3, 4, 8, 9])
async def test_every_row_leaves_whatever_the_size_of_a_page(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    await write(sqlite_url, [entry(number) for number in range(1, ROWS + 1)])
    monkeypatch.setattr("bot.cli.audit._PAGE", page)
    lines = audit("export", "--format", "jsonl", url=sqlite_url).out.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3, 4, 5, 6, 7, 8]
