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


def test_the_new_key_is_refused_until_it_was_changed(monkeypatch: Patch, capfd: Printed) -> None:
    found = {}
    for arguments in (["migrate"], ["audit", "verify", "--without-anchors"], ["rotate-key"]):
        assert main(arguments) == 1
        found[" ".join(arguments)] = said(capfd)
    assert found == snapshot(
        {
            "migrate": """\
switchboard cannot go on:
SECRET_KEY is not the one that this database was written with.
→ Set the SECRET_KEY it was written with. To change to another one, stop every process, set SECRET_KEY to the new \
one and SECRET_KEY_OLD to the old one, and run `switchboard rotate-key`.
""",
            "audit verify --without-anchors": """\
The audit holds: 0 rows.
Head: ······
SECRET_KEY is not the one that the database says it was written with.
""",
            "rotate-key": """\
switchboard cannot go on:
SECRET_KEY_OLD is missing
→ set it to the key used until now, or name a file with --old-key-file
""",
        }
    )
    monkeypatch.setenv("SECRET_KEY_OLD", OLD)
    assert main(["rotate-key"]) == 0
    assert said(capfd) == snapshot("""\
The new key is in force. The audit continues at row 2.
Store keys encrypted again: 0. Earlier callback addresses still work; open requests with a new one: 0.
Remove SECRET_KEY_OLD and start the bot. Keep the old key: backups made before today need it.
""")
    assert main(["migrate"]) == 0
    assert main(["audit", "verify"]) == 0
    assert said(capfd) == snapshot("""\
The database is up to date.
The audit holds: 2 rows.
Head: ······
Anchors: 1 in ~/switchboard.db.anchors, the last at row 2, (time) UTC.
""")
    assert main(["rotate-key"]) == 0
    assert said(capfd) == snapshot("SECRET_KEY is in force already; nothing was changed.\n")


def test_the_old_key_may_lie_in_a_file_that_only_its_owner_reads(tmp_path: Path, capfd: Printed) -> None:
    file = tmp_path / "old"
    file.write_text(f"{OLD}\n")
    file.chmod(0o644)
    assert main(["rotate-key", "--old-key-file", str(file)]) == 1
    assert said(capfd) == snapshot("""\
switchboard cannot go on:
~/old can be read by others
→ chmod 600 ~/old
""")
    file.chmod(0o600)
    assert main(["rotate-key", "--old-key-file", str(file)]) == 0
    assert main(["migrate"]) == 0


WRONG: list[dict[str, str]] = [
    {"SECRET_KEY": ""},
    {"SECRET_KEY_OLD": NEW},
    {"SECRET_KEY_OLD": "some-other-key-0123456789"},
    {"SECRET_KEY": "short", "ENVIRONMENT": "production", "SECRET_KEY_OLD": OLD},
]


def test_what_is_not_right_is_said_and_changes_nothing(monkeypatch: Patch, capfd: Printed) -> None:
    found = []
    for settings in WRONG:
        with monkeypatch.context() as changed:
            for name, value in settings.items():
                changed.setenv(name, value)
            assert main(["rotate-key"]) == 1
        found.append(said(capfd))
    assert found == snapshot(
        [
            """\
switchboard cannot go on:
SECRET_KEY is missing
→ set it to the new key
""",
            """\
switchboard cannot go on:
The old key and the new one are the same
→ set SECRET_KEY to the new key
""",
            """\
switchboard cannot go on:
The old key doesn't match this database
→ give the key used until now; nothing was changed
""",
            """\
switchboard cannot go on:
SECRET_KEY must have at least 16 characters. Example: SECRET_KEY=… (python -c "import secrets; \
print(secrets.token_urlsafe(48))"). A database that was written with this key takes another one by `switchboard \
rotate-key`
→ fix the settings listed above, then restart
""",
        ]
    )
    monkeypatch.setenv("SECRET_KEY", OLD)
    assert main(["migrate"]) == 0


def test_an_old_key_that_is_none_is_told_at_its_setting(monkeypatch: Patch, capfd: Printed) -> None:
    capfd.readouterr()
    monkeypatch.setenv("SECRET_KEY_OLD", "two\nlines")
    assert main(["rotate-key"]) == 1
    assert said(capfd) == snapshot("""\
switchboard cannot go on:
SECRET_KEY_OLD: must be one line without control characters. Example: SECRET_KEY_OLD=…
→ fix the settings listed above, then restart
""")
