"""The command line: exit codes, words for the operator, and nothing half done."""

import json
import re
import socket
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.ground import _NEEDED, lacking
from bot.manifest import manifest
from bot.settings import Settings
from tests.support.log_state import kept_logging
from tests.support.rig import POLICY

GOOD = {
    "SLACK_BOT_TOKEN": "xoxb-1",
    "SLACK_SIGNING_SECRET": "signing",
    "SLACK_API_URL": "http://127.0.0.1:9/api/",
    "SECRET_KEY": "0123456789abcdef",
}


@pytest.fixture(autouse=True)
def _operator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """An operator's folder, with good settings in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    for name, value in GOOD.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "policy.toml").write_text(POLICY)
    with kept_logging():
        yield


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the operator reads of a command that could not go on."""
    assert main(arguments) == 1
    out, err = capfd.readouterr()
    assert err.startswith("switchboard cannot go on:\n")
    assert err.rstrip().rpartition("\n")[2].startswith("→ ")
    assert "Traceback" not in out + err
    return err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["run", "--nonsense"], ["playground", "--port", "x"]])
def test_what_is_no_command_is_answered_with_its_usage(arguments: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: switchboard" in capfd.readouterr().err


@pytest.mark.parametrize("port", ["65536", "-1", "4000.5", "9" * 30])
def test_a_port_that_cannot_be_one_is_said_in_words(port: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["playground", f"--port={port}"])
    assert left.value.code == 2
    assert "--port: must be a whole number from 0 to 65535. Example: --port 4000" in capfd.readouterr().err


def test_the_version_is_the_one_of_the_project(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert (left.value.code, capfd.readouterr().out) == (0, f"switchboard {project['project']['version']}\n")


def test_a_python_that_is_too_old_is_told_so() -> None:
    assert lacking((3, 9)).startswith("Python 3.9 is too old, it takes 3.11 or newer.\n→ python3 -m venv")
    assert not lacking((3, 11))


def test_a_python_without_the_dependencies_is_told_so() -> None:
    """``-S``: the system's Python, which has nothing of ours."""
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "bot", "run"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("switchboard cannot go on:\nthis Python (")
    assert "lacks aiohttp, " in ran.stderr
    assert "→ " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_every_dependency_is_looked_for() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    names = {re.split(r"[\[<>=]", line)[0].replace("-", "_") for line in project["project"]["dependencies"]}
    assert {"phonenumbers" if name == "phonenumberslite" else name for name in names} == set(_NEEDED)


def test_help_names_every_command(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    shown = capfd.readouterr().out
    assert [name for name in ("run", "playground", "migrate", "manifest", "routes", "audit") if name not in shown] == []


def test_migrate_makes_the_database_and_can_be_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["migrate"]) == 0
    assert capfd.readouterr().out.count("The database is up to date.") == 2
    assert Path("switchboard.db").stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect("switchboard.db")) as connection:
        assert connection.execute("SELECT count(*) FROM instruction").fetchone() == (0,)


def test_migrate_needs_no_slack(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in GOOD:
        monkeypatch.delenv(name)
    assert main(["migrate"]) == 0


@pytest.mark.parametrize("command", ["migrate", "run"])
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("sqlite+aiosqlite:////nowhere/at/all/x.db", "folder of the database"),
        ("sqlite+aiosqlite:///:memory:", "needs the path of a file"),
        ("sqlite+aiosqlite:///policy.toml", "not a database"),
        ("postgresql://somebody:pass-sentinel@127.0.0.1:1/x", "connection"),
        ("postgresql://somebody:pass-sentinel@127.0.0.1:1/x", "see whether it runs"),
    ],
)
def test_a_database_that_cannot_be_used_is_said_in_words(
    command: str, url: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    answer = refused(capfd, command)
    assert said in answer
    assert "pass-sentinel" not in answer
    assert "locked" not in answer


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("HOST", "203.0.113.1", "HOST '203.0.113.1' is no address of this machine"),
        ("HOST", "no.such.host.invalid", "HOST 'no.such.host.invalid' is no address of this machine"),
        ("POLICY_FILE", "absent.toml", "POLICY_FILE: there is no file 'absent.toml'"),
        ("SERVICES_FILE", "absent.toml", "absent.toml"),
        ("SERVICES_FILE", ".", "SERVICES_FILE"),
        ("SERVICES_FILE", "policy.toml", "policy.toml"),
    ],
)
def test_what_only_shows_at_start_is_said_in_words(
    name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, value)
    assert said in refused(capfd, "run")


def test_a_port_that_is_taken_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        assert f"PORT {port} is taken" in refused(capfd, "run")


def test_after_a_start_that_failed_the_database_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOST", "203.0.113.1")
    assert main(["run"]) == 1
    assert main(["migrate"]) == 0


@pytest.mark.parametrize("prefix", ["", "sb-"])
def test_the_manifest_is_json_and_follows_the_settings(
    prefix: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMMAND_PREFIX", prefix)
    monkeypatch.setenv("PUBLIC_URL", "https://switchboard.example.com")
    assert main(["manifest"]) == 0
    shown = json.loads(capfd.readouterr().out)
    commands = shown["features"]["slash_commands"]
    assert f"/{prefix}pay" in [command["command"] for command in commands]
    assert {command["url"] for command in commands} == {"https://switchboard.example.com/slack/events"}


def test_a_manifest_with_an_example_for_its_address_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["manifest"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)
    assert "PUBLIC_URL is missing" in err


def test_the_manifest_asks_for_what_files_need(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["manifest"]) == 0
    shown = json.loads(capfd.readouterr().out)
    assert "files:read" in shown["oauth_config"]["scopes"]["bot"]
    [shortcut] = shown["features"]["shortcuts"]
    assert (shortcut["name"], shortcut["type"], shortcut["callback_id"]) == ("Use this file", "message", "use_file")
    assert len(shortcut["name"]) <= 24
    assert {"file_shared", "message.channels", "message.groups", "message.im", "message.mpim"} <= set(
        shown["settings"]["event_subscriptions"]["bot_events"]
    )


def test_the_manifest_in_the_tree_is_the_one_the_code_declares() -> None:
    kept = json.loads((Path(__file__).parents[1] / "manifest.json").read_text())
    assert kept == manifest(public_url="https://switchboard.example.com")


def test_routes_prints_the_table(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["routes"]) == 0
    assert "payments.commit_payout" in capfd.readouterr().out


@pytest.mark.parametrize("command", ["run", "migrate", "routes", "manifest"])
def test_every_command_checks_its_settings_first(
    command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PORT", "three thousand")
    assert "PORT: must be a whole number. Example: PORT=3000" in refused(capfd, command)
    assert not Path("switchboard.db").exists()
