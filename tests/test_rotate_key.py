"""``switchboard rotate-key``: how the keys are given, and what an operator reads."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.settings import Settings
from tests.support.log_state import kept_logging

OLD, NEW = "the-old-key-0123456789", "the-new-key-0123456789"


@pytest.fixture(autouse=True)
def _operator(monkeypatch: pytest.MonkeyPatch, sqlite_url: str, tmp_path: Path) -> Iterator[None]:
    """A folder with a database that the old key was used with."""
    monkeypatch.chdir(tmp_path)
    for name in (*Settings.model_fields, "secret_key_old"):
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    monkeypatch.setenv("SECRET_KEY", OLD)
    with kept_logging():
        assert main(["migrate"]) == 0
        monkeypatch.setenv("SECRET_KEY", NEW)
        yield


def test_the_new_key_is_refused_until_it_was_changed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["migrate"]) == 1
    assert "SECRET_KEY is not the one that this database was written with" in capfd.readouterr().err
    assert main(["audit", "verify", "--without-anchors"]) == 1
    assert "SECRET_KEY is not the one" in capfd.readouterr().out
    assert main(["rotate-key"]) == 1
    assert "SECRET_KEY_OLD is missing" in capfd.readouterr().err
    monkeypatch.setenv("SECRET_KEY_OLD", OLD)
    assert main(["rotate-key"]) == 0
    told = capfd.readouterr()
    assert "The new key is in force." in told.out
    assert OLD not in told.out + told.err
    assert NEW not in told.out + told.err
    assert main(["migrate"]) == 0
    assert main(["audit", "verify"]) == 0
    assert "The audit holds: 2 rows." in capfd.readouterr().out
    assert main(["rotate-key"]) == 0
    assert "in force already" in capfd.readouterr().out


def test_the_old_key_may_lie_in_a_file_that_only_its_owner_reads(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "old"
    file.write_text(f"{OLD}\n")
    file.chmod(0o644)
    assert main(["rotate-key", "--old-key-file", str(file)]) == 1
    assert "can be read by others" in capfd.readouterr().err
    file.chmod(0o600)
    assert main(["rotate-key", "--old-key-file", str(file)]) == 0
    assert main(["migrate"]) == 0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY is missing"),
        ({"SECRET_KEY_OLD": NEW}, "are the same"),
        ({"SECRET_KEY_OLD": "some-other-key-0123456789"}, "is not the one"),
        ({"SECRET_KEY": "short", "ENVIRONMENT": "production", "SECRET_KEY_OLD": OLD}, "at least 16"),
    ],
)
def test_what_is_not_right_is_said_and_changes_nothing(
    settings: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert main(["rotate-key"]) == 1
    assert words in capfd.readouterr().err
    monkeypatch.setenv("SECRET_KEY", OLD)
    monkeypatch.delenv("ENVIRONMENT", raising=False)
    assert main(["migrate"]) == 0
