"""``switchboard copy-to``: what it prints once everything was copied."""

import asyncio
from pathlib import Path

import pytest

from bot.cli.main import main
from bot.domain.references import derived_key
from storage import Store
from tests.storage.factories import instruction
from tests.support.audited import SECRET
from tests.support.fixtures import Patch, Printed

pytestmark = pytest.mark.postgres


async def test_copy_reports_rows_and_next_step(
    sqlite_url: str, new_postgres_url: str, tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    store = await Store.open(sqlite_url, audit_key=derived_key(SECRET, "audit"))
    await store.write(lambda tx: tx.instructions.insert(instruction(), actor="U1"))
    await store.close()
    monkeypatch.chdir(tmp_path)
    anchors = str(tmp_path / "anchors")
    for name, value in {"DATABASE_URL": sqlite_url, "SECRET_KEY": SECRET, "ANCHORS_FILE": anchors}.items():
        monkeypatch.setenv(name, value)
    assert await asyncio.to_thread(main, ["copy-to", new_postgres_url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["audit", "1"]
    assert lines[-3].endswith("read back and compared. The audit is complete there: 1 row.")
    assert lines[-2:] == [
        f"New anchors are written to {anchors}.",
        "The old file is marked as moved and can't be started. Set DATABASE_URL to the new database and start.",
    ]
