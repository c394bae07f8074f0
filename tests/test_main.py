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
from inline_snapshot import snapshot

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


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["run", "--nonsense"], ["playground", "--port", "x"]])
def test_what_is_no_command_is_answered_with_its_usage(arguments: list[str], capfd: Printed) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert (left.value.code, capfd.readouterr().err.partition(" [")[0]) == (2, f"usage: switchboard{_verb(arguments)}")


def _verb(arguments: list[str]) -> str:
    return f" {arguments[0]}" if arguments[:1] == ["playground"] else ""


@pytest.mark.parametrize("port", ["65536", "-1", "4000.5", "9" * 30])
def test_a_port_that_cannot_be_one_is_said_in_words(port: str, capfd: Printed) -> None:
    with pytest.raises(SystemExit) as left:
        main(["playground", f"--port={port}"])
    said = capfd.readouterr().err.splitlines()[-1].partition("argument ")[2]
    assert (left.value.code, said) == (2, "--port: must be a whole number from 0 to 65535. Example: --port 4000")


def test_the_version_is_the_one_of_the_project(capfd: Printed) -> None:
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
    said = r"switchboard cannot go on:\nthis Python \(.+\) lacks aiohttp, .+\n→ .+\n"
    assert re.fullmatch(said, ran.stderr, re.DOTALL), ran.stderr


def test_every_dependency_is_looked_for() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    names = {re.split(r"[\[<>=]", line)[0].replace("-", "_") for line in project["project"]["dependencies"]}
    assert {"phonenumbers" if name == "phonenumberslite" else name for name in names} == set(_NEEDED)


def test_help_says_what_every_command_does(capfd: Printed, monkeypatch: Patch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    with pytest.raises(SystemExit) as left:
        main(["--help"])
    assert left.value.code == 0
    assert capfd.readouterr().out == snapshot("""\
usage: switchboard [-h] [--version] command ...

Run outside services from a Slack workspace.

positional arguments:
  command
    run       run the bot with the settings of the environment or .env
    playground
              everything on this machine, without any account
    doctor    look at settings, policy, database, Slack and the services; change nothing
    migrate   bring the database to the version this program needs
    manifest  print the app manifest, from the code's own declarations
    routes    print the route table with its assumptions
    audit     verify or export the audit of everything that was asked, decided and sent
    rotate-key
              change SECRET_KEY: encrypt store keys again, continue the audit under it
    copy-to   copy the SQLite database to PostgreSQL, while nothing runs on either
    resume    an operator has looked: leave the reading-only mode of a database put back

options:
  -h, --help  show this help message and exit
  --version   show program's version number and exit
""")


def test_migrate_makes_the_database_needs_no_slack_and_can_be_repeated(monkeypatch: Patch, capfd: Printed) -> None:
    for name in GOOD:
        monkeypatch.delenv(name)
    for _ in range(2):
        assert main(["migrate"]) == 0
    assert capfd.readouterr().out.count("The database is up to date.") == 2
    assert Path("switchboard.db").stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect("switchboard.db")) as connection:
        assert connection.execute("SELECT count(*) FROM instruction").fetchone() == (0,)


@pytest.mark.parametrize("command", ["migrate", "run"])
def test_a_database_that_cannot_be_used_is_said_in_words(command: str, monkeypatch: Patch, capfd: Printed) -> None:
    found = []
    for url in (
        "sqlite+aiosqlite:////nowhere/at/all/x.db",
        "sqlite+aiosqlite:///:memory:",
        "sqlite+aiosqlite:///policy.toml",
        "postgresql://somebody:pass-sentinel@127.0.0.1:1/x",
    ):
        monkeypatch.setenv("DATABASE_URL", url)
        answer = refused(capfd, command)
        assert "sentinel" not in answer
        found.append(re.sub("(?s)(?<=OperationalError: ).+(?=\n→)", "…", answer))  # the driver's own words
    assert "".join(found) == snapshot("""\
The folder of the database cannot be used: No such file or directory: /nowhere/at/all
→ Create the folder, or give the user that runs Switchboard the right to write into it.
SQLite needs the path of a file: what is in memory is lost with money in it.
→ Set DATABASE_URL to e.g. sqlite+aiosqlite:///switchboard.db or postgresql://user@host/database.
The database cannot be used: file is not a database
→ See that DATABASE_URL names a database file of Switchboard, or none yet.
OperationalError: …
→ The database server cannot be used: see whether it runs, and whether host, port, name, user and password in \
DATABASE_URL are right.
""")


def test_what_only_shows_at_start_is_said_in_words(monkeypatch: Patch, capfd: Printed) -> None:
    found = []
    for name, value in (
        ("HOST", "203.0.113.1"),
        ("HOST", "no.such.host.invalid"),
        ("POLICY_FILE", "absent.toml"),
        ("SERVICES_FILE", "absent.toml"),
        ("SERVICES_FILE", "."),
        ("SERVICES_FILE", "policy.toml"),
    ):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            found.append(refused(capfd, "run"))
    assert "".join(found) == snapshot("""\
HOST '203.0.113.1' is no address of this machine
→ Example: HOST=127.0.0.1, or HOST=0.0.0.0 for all of them
HOST 'no.such.host.invalid' is no address of this machine
→ Example: HOST=127.0.0.1, or HOST=0.0.0.0 for all of them
POLICY_FILE: there is no file 'absent.toml'. Example: POLICY_FILE=policy.toml (copy policy.example.toml)
→ fix the settings listed above, then restart
SERVICES_FILE: absent.toml cannot be read (No such file or directory). Name a readable file, or unset it
→ fix the settings listed above, then restart
SERVICES_FILE: . cannot be read (Is a directory). Name a readable file, or unset it
→ fix the settings listed above, then restart
policy.toml: channels: no such service; there is: payments, delivery, localization, email. For example: [payments]
→ fix the settings listed above, then restart
""")


def test_a_port_that_is_taken_is_said_in_words(monkeypatch: Patch, capfd: Printed) -> None:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        assert refused(capfd, "run").replace(str(port), "4000") == snapshot("""\
PORT 4000 is taken by another program
→ choose a free one above 1023. Example: PORT=3001
""")


@pytest.mark.parametrize("prefix", ["", "sb-"])
def test_the_manifest_is_json_and_follows_the_settings(prefix: str, monkeypatch: Patch, capfd: Printed) -> None:
    monkeypatch.setenv("COMMAND_PREFIX", prefix)
    monkeypatch.setenv("PUBLIC_URL", "https://switchboard.example.com")
    assert main(["manifest"]) == 0
    shown = json.loads(capfd.readouterr().out)
    commands = shown["features"]["slash_commands"]
    names = ["pay", "deliver", "localize", "email", "switchboard"]
    assert [command["command"] for command in commands] == [f"/{prefix}{name}" for name in names]
    assert {command["url"] for command in commands} == {"https://switchboard.example.com/slack/events"}


def test_a_manifest_with_an_example_for_its_address_says_so(capfd: Printed) -> None:
    assert main(["manifest"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)
    assert err == snapshot("""\
PUBLIC_URL is missing, so the addresses above are an example: Slack would call https://switchboard.example.com.
→ set PUBLIC_URL to where Slack reaches this bot, or SLACK_APP_TOKEN for Socket Mode, and print it again
""")


def test_a_manifest_for_socket_mode_has_no_address(monkeypatch: Patch, capfd: Printed) -> None:
    monkeypatch.setenv("SLACK_APP_TOKEN", "xapp-1-A0-1-0")
    assert main(["manifest"]) == 0
    out = capfd.readouterr().out
    shown = json.loads(out)["settings"]
    assert shown["socket_mode_enabled"]
    assert (shown["interactivity"], "https://" in out) == ({"is_enabled": True}, False)


def test_the_manifest_in_the_tree_is_the_one_the_code_declares() -> None:
    kept = json.loads((Path(__file__).parents[1] / "manifest.json").read_text())
    assert kept == manifest(public_url="https://switchboard.example.com")
    assert "usergroups:read" in kept["oauth_config"]["scopes"]["bot"]
    assert len(kept["features"]["shortcuts"][0]["name"]) <= 24


def test_routes_prints_the_table(capfd: Printed) -> None:
    assert main(["routes"]) == 0
    assert [line for line in capfd.readouterr().out.splitlines() if "payments.commit_payout" in line] == snapshot(
        [
            """payments.commit_payout                   POST   /payouts/{id}/commit                           A1, \
moves money, UNCONFIRMED"""
        ]
    )


def test_routes_prints_the_words_of_the_delivery_service(tmp_path: Path, monkeypatch: Patch, capfd: Printed) -> None:
    file = tmp_path / "services.toml"
    file.write_text('[delivery.states]\nDELIVERED = "COMPLETED"\n', encoding="utf-8")
    monkeypatch.setenv("SERVICES_FILE", str(file))
    assert main(["routes"]) == 0
    told = [line.split() for line in capfd.readouterr().out.splitlines() if line.startswith("delivery.")]
    found = {line[0]: line[1:] for line in told if line[1] == "="}
    assert found["delivery.states.ON_HOLD"] == ["=", "ON_HOLD", "D"]
    assert found["delivery.states.COMPLETED"] == ["=", "COMPLETED", "A1"]
    assert found["delivery.states.DELIVERED"] == ["=", "COMPLETED", "A1,", "overridden"]
    assert found["delivery.units.cook_time"] == ["=", "milliseconds", "A1"]
    assert len(found) == 18


def test_routes_says_what_an_operator_changed(tmp_path: Path, monkeypatch: Patch, capfd: Printed) -> None:
    file = tmp_path / "services.toml"
    file.write_text('[payments.get_operation]\npath = "/op/{id}"\n', encoding="utf-8")
    monkeypatch.setenv("SERVICES_FILE", str(file))
    assert main(["routes"]) == 0
    told = [line.split() for line in capfd.readouterr().out.splitlines() if line.startswith("payments.")]
    assert [line[:3] for line in told if line[-1] == "overridden"] == [["payments.get_operation", "GET", "/op/{id}"]]


@pytest.mark.parametrize("command", ["run", "migrate", "routes", "manifest"])
def test_every_command_checks_its_settings_first(command: str, monkeypatch: Patch, capfd: Printed) -> None:
    monkeypatch.setenv("PORT", "three thousand")
    assert refused(capfd, command).startswith("PORT: must be a whole number. Example: PORT=3000\n→ ")
    assert not Path("switchboard.db").exists()
