"""``switchboard rotate-key``: how the keys are given, and what an operator reads."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.cli.main import main
from tests.support.fixtures import Patch, Printed
from tests.support.log_state import kept_logging
from tests.support.operator import at_home
from tests.support.shown import shown

OLD, NEW = "the-old-key-0123456789", "the-new-key-0123456789"


@pytest.fixture(autouse=True)
def _operator(monkeypatch: Patch, sqlite_url: str, tmp_path: Path) -> Iterator[None]:
    """A folder with a database that the old key was used with."""
    at_home(monkeypatch, tmp_path, DATABASE_URL=sqlite_url, SECRET_KEY=OLD)
    monkeypatch.delenv("SECRET_KEY_OLD", raising=False)
    with kept_logging():
        assert main(["migrate"]) == 0
        monkeypatch.setenv("SECRET_KEY", NEW)
        yield


def said(capfd: Printed) -> str:
    """What the operator reads, of both streams; no key is in it."""
    told = capfd.readouterr()
    assert not [key for key in (OLD, NEW) if key in told.out + told.err]
    return re.sub(r"/\S+/", "~/", re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "(time)", shown(told.out + told.err)))


def test_new_key_is_refused_until_rotated(monkeypatch: Patch, capfd: Printed) -> None:
    for arguments, problem in (
        ("migrate", "SECRET_KEY is not the one that this database was written with."),
        ("audit verify --without-anchors", "SECRET_KEY is not the one that the database says it was written with."),
        ("rotate-key", "SECRET_KEY_OLD is missing"),
    ):
        assert main(arguments.split()) == 1
        assert problem in said(capfd).splitlines()
    monkeypatch.setenv("SECRET_KEY_OLD", OLD)
    assert main(["rotate-key"]) == 0
    assert said(capfd) == snapshot("""\
The new key is in force. The audit continues at row 2.
Store keys encrypted again: 0. Earlier callback addresses still work; open requests with a new one: 0.
Remove SECRET_KEY_OLD and start the bot. Keep the old key: backups made before today need it.
""")
    assert main(["migrate"]) == 0
    assert main(["audit", "verify"]) == 0
    told = said(capfd)
    assert "The audit holds: 2 rows." in told
    assert "Anchors: 1 in ~/switchboard.db.anchors, the last at row 2" in told
    assert main(["rotate-key"]) == 0
    assert said(capfd) == snapshot("SECRET_KEY is in force already; nothing was changed.\n")


def test_old_key_may_be_in_a_private_file(tmp_path: Path, capfd: Printed) -> None:
    file = tmp_path / "old"
    file.write_text(f"{OLD}\n")
    file.chmod(0o644)
    assert main(["rotate-key", "--old-key-file", str(file)]) == 1
    assert "~/old can be read by others\n→ chmod 600 ~/old" in said(capfd)
    file.chmod(0o600)
    assert main(["rotate-key", "--old-key-file", str(file)]) == 0
    assert main(["migrate"]) == 0


WRONG: list[tuple[dict[str, str], str]] = [
    ({"SECRET_KEY": ""}, "SECRET_KEY is missing"),
    ({"SECRET_KEY_OLD": NEW}, "The old key and the new one are the same"),
    ({"SECRET_KEY_OLD": "some-other-key-0123456789"}, "The old key doesn't match this database"),
    ({"SECRET_KEY_OLD": "two\nlines"}, "SECRET_KEY_OLD: must be one line without control characters."),
    (
        {"SECRET_KEY": "short", "ENVIRONMENT": "production", "SECRET_KEY_OLD": OLD},
        "SECRET_KEY must have at least 16 characters.",
    ),
]


def test_wrong_rotation_input_changes_nothing(monkeypatch: Patch, capfd: Printed) -> None:
    for settings, problem in WRONG:
        capfd.readouterr()
        with monkeypatch.context() as changed:
            for name, value in settings.items():
                changed.setenv(name, value)
            assert main(["rotate-key"]) == 1
        assert said(capfd).startswith(f"switchboard cannot go on:\n{problem}")
    monkeypatch.setenv("SECRET_KEY", OLD)
    assert main(["migrate"]) == 0
