"""The command line: exit codes, words for the operator, and nothing half done."""

import json
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bot.__main__ import _NEEDED, lacking
from bot.cli.main import main
from bot.cli.manifest import manifest
from tests.support.fixtures import Patch, Printed
from tests.support.log_state import kept_logging
from tests.support.operator import at_home

GOOD = {
    "SLACK_BOT_TOKEN": "xoxb-1",
    "SLACK_SIGNING_SECRET": "signing",
    "SLACK_API_URL": "http://127.0.0.1:9/api/",
    "SECRET_KEY": "0123456789abcdef",
}


@pytest.fixture(autouse=True)
def _operator(monkeypatch: Patch, tmp_path: Path) -> Iterator[None]:
    """An operator's folder, with good settings in the environment."""
    at_home(monkeypatch, tmp_path, **GOOD)
    with kept_logging():
        yield


def refused(capfd: Printed, *arguments: str) -> str:
    """What the operator reads of a command that could not go on."""
    assert main(arguments) == 1
    out, err = capfd.readouterr()
    assert err.startswith("switchboard cannot go on:\n")
    assert err.rstrip().rpartition("\n")[2].startswith("→ ")
    assert not [line for line in (out + err).splitlines() if line.startswith("Traceback")]
    return err.removeprefix("switchboard cannot go on:\n")


@pytest.mark.parametrize(
    "arguments",
    ["", "nonsense", "run --nonsense", "playground --port=4000.5", "playground --port=65536", "audit dance"],
)
def test_unknown_command_prints_usage(arguments: str, capfd: Printed) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments.split())
    assert (left.value.code, capfd.readouterr().err.startswith("usage: switchboard")) == (2, True)


def test_version_matches_the_project(capfd: Printed) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--version"])
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    assert (left.value.code, capfd.readouterr().out) == (0, f"switchboard {project['project']['version']}\n")


def test_old_python_is_explained() -> None:
    assert lacking((3, 9)).startswith("Python 3.9 is too old, it takes 3.11 or newer.\n→ python3 -m venv")
    assert not lacking((3, 11))


def test_missing_dependencies_are_explained() -> None:
    """``-S``: the system's Python, which has nothing of ours."""
    ran = subprocess.run(
        [sys.executable, "-S", "-m", "bot", "run"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    said = r"switchboard cannot go on:\nthis Python \(.+\) lacks aiohttp, .+\n→ .+\n"
    assert re.fullmatch(said, ran.stderr, re.DOTALL), ran.stderr


def test_every_dependency_is_checked() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    names = {re.split(r"[\[<>=]", line)[0].replace("-", "_") for line in project["project"]["dependencies"]}
    assert {"phonenumbers" if name == "phonenumberslite" else name for name in names} == set(_NEEDED)


def test_help_describes_every_command(capfd: Printed, monkeypatch: Patch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    described = re.findall(r"^    ([a-z-]+)\n? {2,}\w", capfd.readouterr().out, re.MULTILINE)
    commands = "run playground doctor migrate manifest routes audit rotate-key copy-to resume"
    assert (left.value.code, described) == (0, commands.split())


def test_migrate_is_repeatable_and_needs_no_slack(monkeypatch: Patch, capfd: Printed) -> None:
    for name in GOOD:
        monkeypatch.delenv(name)
    for _ in range(2):
        assert main(["migrate"]) == 0
    assert capfd.readouterr().out.count("The database is up to date.") == 2
    assert Path("switchboard.db").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("command", ["migrate", "run"])
@pytest.mark.parametrize(
    ("url", "problem", "mend"),
    [
        (
            "sqlite+aiosqlite:////nowhere/at/all/x.db",
            "The folder of the database cannot be used: No such",
            "Create the",
        ),
        (
            "sqlite+aiosqlite:///:memory:",
            "SQLite needs the path of a file: what is in memory is lost",
            "Set DATABASE_URL",
        ),
        (
            "sqlite+aiosqlite:///policy.toml",
            "The database cannot be used: file is not a database",
            "See that DATABASE_",
        ),
        (
            "postgresql://somebody:pass-sentinel@127.0.0.1:1/x",
            "OperationalError: ",
            "The database server cannot be used",
        ),
    ],
)
def test_unusable_database_is_explained(
    command: str, url: str, problem: str, mend: str, monkeypatch: Patch, capfd: Printed
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    answer = refused(capfd, command)
    assert (answer.startswith(problem), f"\n→ {mend}" in answer, "sentinel" in answer) == (True, True, False), answer


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("HOST", "203.0.113.1", "HOST '203.0.113.1' is no address of this machine"),
        ("HOST", "no.such.host.invalid", "HOST 'no.such.host.invalid' is no address of this machine"),
        ("POLICY_FILE", "absent.toml", "POLICY_FILE: there is no file 'absent.toml'"),
        ("SERVICES_FILE", "absent.toml", "SERVICES_FILE: absent.toml cannot be read (No such file or directory)"),
        ("SERVICES_FILE", ".", "SERVICES_FILE: . cannot be read (Is a directory)"),
        ("SERVICES_FILE", "policy.toml", "policy.toml: channels: no such service; there is: payments, delivery"),
    ],
)
def test_wrong_setting_found_at_start_is_named(
    monkeypatch: Patch, capfd: Printed, name: str, value: str, problem: str
) -> None:
    monkeypatch.setenv(name, value)
    assert refused(capfd, "run").startswith(problem)


def test_taken_port_is_explained(monkeypatch: Patch, capfd: Printed) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        assert refused(capfd, "run").startswith(f"PORT {port} is taken by another program\n→ choose a free one above")


@pytest.mark.parametrize("prefix", ["", "sb-"])
def test_manifest_follows_the_settings(prefix: str, monkeypatch: Patch, capfd: Printed) -> None:
    monkeypatch.setenv("COMMAND_PREFIX", prefix)
    monkeypatch.setenv("PUBLIC_URL", "https://switchboard.example.com")
    assert main(["manifest"]) == 0
    shown = json.loads(capfd.readouterr().out)
    commands = shown["features"]["slash_commands"]
    names = ["pay", "deliver", "localize", "email", "switchboard"]
    assert [command["command"] for command in commands] == [f"/{prefix}{name}" for name in names]
    assert {command["url"] for command in commands} == {"https://switchboard.example.com/slack/events"}


def test_manifest_with_example_address_says_so(capfd: Printed) -> None:
    assert main(["manifest"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)
    assert err.startswith("PUBLIC_URL is missing, so the addresses above are an example")


def test_socket_mode_manifest_has_no_address(monkeypatch: Patch, capfd: Printed) -> None:
    monkeypatch.setenv("SLACK_APP_TOKEN", "xapp-1-A0-1-0")
    assert main(["manifest"]) == 0
    out = capfd.readouterr().out
    shown = json.loads(out)["settings"]
    assert shown["socket_mode_enabled"]
    assert (shown["interactivity"], "https://" in out) == ({"is_enabled": True}, False)


def test_manifest_file_matches_the_code() -> None:
    kept = json.loads((Path(__file__).parents[1] / "manifest.json").read_text())
    assert kept == manifest(public_url="https://switchboard.example.com")
    assert "usergroups:read" in kept["oauth_config"]["scopes"]["bot"]
    assert len(kept["features"]["shortcuts"][0]["name"]) <= 24


def test_routes_prints_shipped_and_overridden_entries(tmp_path: Path, monkeypatch: Patch, capfd: Printed) -> None:
    file = tmp_path / "services.toml"
    file.write_text('[payments.get_operation]\npath = "/op/{id}"\n[delivery.states]\nDELIVERED = "COMPLETED"\n')
    monkeypatch.setenv("SERVICES_FILE", str(file))
    assert main(["routes"]) == 0
    told = dict(line.split(maxsplit=1) for line in capfd.readouterr().out.splitlines() if " " in line)
    assert told["payments.commit_payout"].endswith("A1, moves money, UNCONFIRMED")
    assert told["payments.get_operation"].split()[1::2] == ["/op/{id}", "overridden"]
    assert told["delivery.states.ON_HOLD"].split() == ["=", "ON_HOLD", "D"]
    assert told["delivery.states.DELIVERED"].split() == ["=", "COMPLETED", "A1,", "overridden"]
    assert told["delivery.units.cook_time"].split() == ["=", "milliseconds", "A1"]


@pytest.mark.parametrize("command", ["run", "migrate", "routes", "manifest"])
def test_every_command_checks_its_settings_first(command: str, monkeypatch: Patch, capfd: Printed) -> None:
    monkeypatch.setenv("PORT", "three thousand")
    assert refused(capfd, command).startswith("PORT: must be a whole number. Example: PORT=3000\n→ ")
    assert not Path("switchboard.db").exists()
