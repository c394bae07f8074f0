"""``switchboard audit verify``: it names the first bad row, beside the running bot and on both databases."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.domain.anchors import EVERY, Anchor
from bot.domain.references import derived_key
from storage import Store, migrate
from storage.anchors import AnchorFile, anchors_path
from tests.process.audited import COLUMNS, KEY, ROWS, SECRET, audit, entry, rows_of, tamper, write
from tests.process.scene import Scene


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep out the ``.env`` of the working directory, and put the anchors of PostgreSQL into a folder of their own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
async def url(database_url: str) -> str:
    """A database with eight rows, not open in any process."""
    await write(database_url, [entry(number) for number in range(1, ROWS + 1)])
    return database_url


async def test_it_holds_and_says_how_many_rows_and_where_they_end(url: str) -> None:
    store = await Store.open(url, audit_key=KEY)  # the bot runs
    head = await store.read(lambda tx: tx.audit.head())
    answer = audit("verify", url=url)
    assert (answer.code, answer.err) == (0, "")
    assert "holds: 8 rows" in answer.out
    assert head.hash in answer.out
    await store.write(lambda tx: tx.audit.append(entry(9)))
    assert "holds: 9 rows" in audit("verify", url=url).out
    await store.close()


async def test_an_empty_audit_holds(database_url: str) -> None:
    await migrate(database_url)
    answer = audit("verify", url=database_url)
    assert (answer.code, answer.err) == (0, "")
    assert "holds: 0 rows" in answer.out


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
        (["UPDATE audit SET actor = 'U0EVE' WHERE seq = 4"], 4, "changed"),
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
async def test_what_was_tampered_with_is_named(url: str, statements: list[str], row: int, damage: str) -> None:
    tamper(url, *statements)
    answer = audit("verify", url=url)
    assert answer.code == 1
    assert f"The first bad row is row {row}: {damage}." in answer.out
    held = "Rows 1 to" if row > 1 else "No row before it"
    assert held in answer.out


async def test_a_bad_row_is_shown_and_cannot_command_the_terminal(url: str) -> None:
    tamper(url, "UPDATE audit SET actor = 'x\x1b[2J' WHERE seq = 4")
    answer = audit("verify", url=url)
    assert "P-4F7K2M  x\\x1b[2J  observed, awaiting to approved" in answer.out
    assert "\x1b" not in answer.out


async def test_another_key_makes_the_first_row_bad_and_says_what_that_may_mean(url: str) -> None:
    answer = audit("verify", url=url, SECRET_KEY="another-secret-key-than-the-one")
    assert answer.code == 1
    assert "row 1: changed" in answer.out
    assert "SECRET_KEY" in answer.out


# anchors


async def anchored(url: str, *numbers: int, secret: str = SECRET) -> AnchorFile:
    """The file of anchors as the bot writes it, at these rows."""
    file = AnchorFile(anchors_path(url), key=derived_key(secret, "anchor"))
    hashes = {row.seq: row.hash for row in rows_of(url)}
    for number in numbers:
        file.append(Anchor(at=datetime.now(UTC), seq=number, head=hashes[number]))
    return file


async def test_a_tail_cut_off_together_with_the_head_is_found_by_the_anchors_alone(url: str) -> None:
    file = await anchored(url, 2, 7)
    assert "Anchors: 2" in audit("verify", url=url).out
    tamper(url, CUT, HEAD_TOO)
    answer = audit("verify", url=url)
    assert answer.code == 1
    assert "The first bad row is row 6: cut off." in answer.out
    assert audit("verify", "--without-anchors", url=url).code == 0
    copy = file.path.rename(file.path.with_name("a copy kept elsewhere"))
    assert "row 6: cut off" in audit("verify", "--anchors", str(copy), url=url).out
    assert audit("verify", "--anchors", "nowhere", url=url).code == 1


async def test_a_database_in_place_of_the_real_one_is_found(database_url: str) -> None:
    await write(database_url, [entry(number) for number in range(1, ROWS + 1)])
    await anchored(database_url, 3, 6)
    forged = [one for one in (row.entry() for row in rows_of(database_url)) if one is not None]
    forged[4] = entry(5, actor="U0EVE")
    tamper(database_url, "DELETE FROM audit", "DELETE FROM audit_head")
    await write(database_url, forged)  # by somebody with the key
    answer = audit("verify", url=database_url)
    assert "The first bad row is row 6: replaced." in answer.out
    assert answer.code == 1


async def test_anchors_without_our_seal_are_no_witnesses(url: str) -> None:
    file = await anchored(url, 2)
    await anchored(url, 5, secret="another")
    with file.path.open("a") as out:
        out.write('{"at": "2026-11-2')
    answer = audit("verify", url=url)
    assert answer.code == 1
    assert "holds: 8 rows" in answer.out
    assert f"The anchors were tampered with: line 2 of {file.path}" in answer.out
    assert "line 3" in answer.out


@pytest.mark.parametrize(("age", "code"), [(timedelta(), 0), (3 * EVERY, 1)])
async def test_anchors_that_ought_to_be_there_are_missed(sqlite_url: str, age: timedelta, code: int) -> None:
    await write(sqlite_url, [entry(1, at=datetime.now(UTC) - age)])
    answer = audit("verify", url=sqlite_url)
    assert answer.code == code
    assert "There are no anchors" in answer.out
    assert audit("verify", "--without-anchors", url=sqlite_url).code == 0


async def test_it_works_beside_the_running_bot(open_scene: Callable[..., Awaitable[Scene]]) -> None:
    scene = await open_scene()
    await scene.workspace.slash("U0MARIA", "C0FINANCE", "/pay", "send ana@example.com 25.00 Rent")
    await scene.workspace.until(lambda: scene.cards("C0APPROVE")[-1])

    async def verified() -> tuple[int, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "bot", "audit", "verify"),
            cwd=scene.folder,
            env=scene.bot.environment,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        return process.returncode or 0, said.decode()

    code, said = await verified()
    assert (code, "The audit holds: 3 rows." in said) == (0, True), said
    assert await scene.bot.stop() == 0
    code, said = await verified()
    assert (code, "the last at row 3," in said) == (0, True), said
    assert "no anchors" not in said


def test_it_needs_two_settings_and_says_which(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/none.db"
    missing = audit("verify", url=url, SECRET_KEY="")
    assert (missing.code, missing.out) == (1, "")
    assert "SECRET_KEY is missing" in missing.err
    for verb in ("verify", "export"):
        nothing = audit(verb, url=url)
        assert (nothing.code, nothing.out) == (1, "")
        assert "There is no database" in nothing.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [(), ("dance",), ("export", "--format", "xml")])
def test_what_it_cannot_do_is_a_usage_error(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["audit", *arguments])
    assert "usage:" in capsys.readouterr().err
