"""``switchboard audit``: the first bad row is named, on both databases; rows leave unchanged, and without formulas."""

import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.domain.anchors import Anchor
from bot.domain.audit import Keys, Stored, check
from bot.domain.references import derived_key
from storage import Store, migrate
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import instruction
from tests.support.audited import COLUMNS, KEY, ROWS, SECRET, audit, entry, rows_of, tamper, write
from tests.support.fixtures import Patch
from tests.support.shown import shown

EVERY = timedelta(minutes=15)
BAD = "The audit does not hold. The first bad row is row {}: {}."


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: Patch) -> None:
    """Keep out the ``.env`` of the working directory, and put the anchors of PostgreSQL into a folder of their own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
async def url(database_url: str) -> str:
    """A database with eight rows, not open in any process."""
    await write(database_url, [entry(number) for number in range(1, ROWS + 1)])
    return database_url


async def test_verify_reports_row_count_and_head(url: str) -> None:
    store = await Store.open(url, audit_key=KEY)  # the bot runs
    head = await store.read(lambda tx: tx.audit.head())
    assert head.hash in audit("verify", url=url).out
    assert said(0, url) == snapshot("""\
The audit holds: 8 rows.
Head: ······
There are no anchors in ~/anchors, so rows cut off at the end cannot be noticed.
""")
    await store.write(lambda tx: tx.audit.append(entry(9)))
    assert said(0, url).startswith("The audit holds: 9 rows.")
    await store.close()


async def test_verify_compares_requests_with_the_audit(database_url: str) -> None:
    await migrate(database_url)
    store = await Store.open(database_url, audit_key=KEY)
    one = instruction(created_at=datetime.now(UTC))
    await store.write(lambda tx: tx.instructions.insert(one, actor=one.requester))
    await store.close()
    assert "What was asked, decided and sent agrees with it: 1 request." in said(0, database_url)
    tamper(database_url, "UPDATE instruction SET state = 'approved', requirement = '{\"quorum\":1}'")
    _, told = said(1, database_url).split("The database disagrees with the audit:\n")
    assert told.splitlines()[0].replace(one.reference, "P-······") == snapshot(
        "P-······: its row was changed in the database; its state in the audit: preparing."
    )


SWAP = [
    "UPDATE audit SET seq = -3 WHERE seq = 3",
    "UPDATE audit SET seq = 3 WHERE seq = 6",
    "UPDATE audit SET seq = 6 WHERE seq = -3",
]
COPY = f"INSERT INTO audit (seq, {COLUMNS}) SELECT {{}}, {COLUMNS} FROM audit WHERE seq = 8"  # noqa: S608
CUT = "DELETE FROM audit WHERE seq > 5"
HEAD_TOO = "UPDATE audit_head SET seq = 5, hash = (SELECT hash FROM audit WHERE seq = 5)"


@pytest.mark.parametrize(
    ("statements", "row", "damage"),
    [
        (['UPDATE audit SET "at" = "at" + 1 WHERE seq = 1'], 1, "changed"),
        (["UPDATE audit SET detail = detail || ' ' WHERE seq = 8"], 8, "changed"),
        (["UPDATE audit SET hash = previous WHERE seq = 5"], 5, "changed"),
        (["DELETE FROM audit WHERE seq = 4"], 4, "removed"),
        (["DELETE FROM audit WHERE seq <= 2"], 1, "removed"),
        (["DELETE FROM audit WHERE seq = 4", "UPDATE audit SET seq = seq - 1 WHERE seq > 4"], 4, "removed"),
        ([COPY.format(9)], 9, "inserted"),
        ([COPY.format(0)], 0, "inserted"),
        (SWAP, 3, "reordered"),
        (["UPDATE audit SET seq = 99 WHERE seq = 2"], 2, "reordered"),
        ([CUT], 6, "cut off"),
        (["DELETE FROM audit"], 1, "cut off"),
        (["UPDATE audit_head SET hash = 'x'"], 8, "changed"),
    ],
)
async def test_tampered_rows_are_named(url: str, statements: list[str], row: int, damage: str) -> None:
    tamper(url, *statements)
    answer = audit("verify", url=url)
    assert answer.code == 1
    assert answer.out.splitlines()[0] == BAD.format(row, damage)
    held = {0: "There is no good row before it.", 1: "There is no good row before it.", 2: "Row 1 holds."}
    assert held.get(row, "Rows 1 to ") in answer.out


async def test_bad_row_is_shown_without_terminal_codes(url: str) -> None:
    tamper(url, "UPDATE audit SET actor = 'x\x1b[2J' WHERE seq = 4")
    assert said(1, url).splitlines()[1:4] == snapshot(
        [
            "Its content is not what was written.",
            "In its place stands: (time) UTC  P-······  x\\x1b[2J  observed, awaiting to approved",
            "Rows 1 to 3 hold.",
        ]
    )


async def test_wrong_key_fails_at_the_first_row_with_an_explanation(url: str) -> None:
    told = said(1, url, SECRET_KEY="another-secret-key-than-the-one").splitlines()
    assert told[0] == BAD.format(1, "changed")
    assert told[4:6] == snapshot(
        [
            "Is SECRET_KEY the one the bot runs with? With another one, every row looks changed.",
            "SECRET_KEY is not the one that the database says it was written with.",
        ]
    )


# anchors


async def anchored(url: str, *numbers: int, secret: str = SECRET) -> AnchorFile:
    """The file of anchors as the bot writes it, at these rows."""
    file = AnchorFile(anchors_path(url), key=derived_key(secret, "anchor"))
    hashes = {row.seq: row.hash for row in rows_of(url)}
    for number in numbers:
        file.append(Anchor(at=datetime.now(UTC), seq=number, head=hashes[number]))
    return file


async def test_truncated_tail_and_head_are_found_by_anchors(url: str) -> None:
    file = await anchored(url, 2, 7)
    assert said(0, url).splitlines()[-1] == snapshot("Anchors: 2 in ~/anchors, the last at row 7, (time) UTC.")
    tamper(url, CUT, HEAD_TOO)
    told = said(1, url).splitlines()
    assert told[:2] == [BAD.format(6, "cut off"), "Row 7 was there on (time) UTC, says an anchor."]
    assert audit("verify", "--without-anchors", url=url).code == 0
    copy = file.path.rename(file.path.with_name("a copy kept elsewhere"))
    assert said(1, url, "--anchors", str(copy)).startswith(BAD.format(6, "cut off"))
    assert audit("verify", "--anchors", "nowhere", url=url).code == 1


async def test_replaced_database_is_found(url: str) -> None:
    await anchored(url, 3, 6)
    forged = [one for one in (row.entry() for row in rows_of(url)) if one is not None]
    forged[4] = entry(5, actor="U0EVE")
    tamper(url, "DELETE FROM audit", "DELETE FROM audit_head")
    await write(url, forged)  # by somebody with the key
    told = said(1, url).splitlines()
    assert told[:2] == [
        BAD.format(6, "replaced"),
        "It is not the row that stood here on (time) UTC, says an anchor.",
    ]


async def test_unsealed_anchors_are_ignored(url: str) -> None:
    file = await anchored(url, 2)
    await anchored(url, 5, secret="another")
    with file.path.open("a") as out:
        out.write('{"at": "2026-11-2')
    told = said(1, url).splitlines()
    assert told[0] == "The audit holds: 8 rows."
    assert told[-2:] == snapshot(
        [
            "The anchors were tampered with: line 2 of ~/anchors was not written by the bot.",
            "Cut off by a power failure: line 3 of ~/anchors.",
        ]
    )


@pytest.mark.parametrize("garbage", ["garbage", '{"at": "2026-11-2', "\\x00\\x00", "[]"])
async def test_garbled_anchor_line_is_tampering(url: str, garbage: str) -> None:
    file = await anchored(url, 2)
    with file.path.open("a") as out:
        out.write(f"{garbage}\n")
    assert said(1, url).splitlines()[-1].startswith("The anchors were tampered with: line 2 of ~/anchors is no anchor")


async def test_anchors_that_ought_to_be_there_are_missed(sqlite_url: str) -> None:
    await write(sqlite_url, [entry(1, at=datetime.now(UTC))])
    young = said(0, sqlite_url)
    tamper(sqlite_url, "DELETE FROM audit", "DELETE FROM audit_head")
    await write(sqlite_url, [entry(1, at=datetime.now(UTC) - 3 * EVERY)])
    assert said(1, sqlite_url).removeprefix(young).startswith("The bot writes them within minutes")
    assert audit("verify", "--without-anchors", url=sqlite_url).code == 0


def said(code: int, url: str, *more: str, **environment: str) -> str:
    """What the operator reads, without times; ``code`` is that of the exit."""
    answer = audit("verify", *more, url=url, **environment)
    assert (answer.code, answer.err) == (code, ""), answer
    out = shown(answer.out.replace(str(anchors_path(url)), "~/anchors"))
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?", "(time)", out)


def test_audit_command_names_its_missing_settings(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/none.db"
    missing = audit("verify", url=url, SECRET_KEY="")
    assert (missing.code, missing.out, missing.err.splitlines()[1]) == (1, "", "SECRET_KEY is missing")
    for verb in ("verify", "export"):
        nothing = audit(verb, url=url)
        assert (nothing.code, nothing.out) == (1, "")
        assert nothing.err.splitlines()[1] == f"There is no database: {tmp_path}/none.db"
    assert list(tmp_path.iterdir()) == []


# export


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", 'a"b,c', "Zoë \U0001f600", "'", " =1"]


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
async def test_export_is_private_and_atomic(url: str, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"out.{kind}"
    answer = audit("export", "--format", kind, "--output", str(target), url=url)
    assert (answer.code, answer.out) == (0, f"Wrote 8 rows to {target}.\n")
    with target.open(newline="") as file:
        assert file.read() == audit("export", "--format", kind, url=url).out
    assert target.stat().st_mode & 0o777 == 0o600
    assert not target.with_name(f"{target.name}.part").exists()
    answer = audit("export", "--output", str(tmp_path / "no" / "where"), url=url)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.splitlines()[1] == f"{tmp_path}/no/where cannot be written: No such file or directory"


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
