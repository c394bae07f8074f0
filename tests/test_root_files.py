"""Files at the root that other tools read: Slack's command line, GitHub, pre-commit, platforms."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.main import _parser
from bot.settings import Settings
from tests.campaigns.__main__ import parsed

ROOT = Path(__file__).parents[1]
HOOKS = json.loads((ROOT / ".slack" / "hooks.json").read_text())
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def arguments(command: str) -> list[str]:
    """What follows ``python -m bot`` in a command."""
    before, _, after = command.partition("python -m bot ")
    assert not before or before.startswith("env "), command
    return shlex.split(after)


def test_slack_run_starts_one_process_that_connects_itself() -> None:
    """Without this flag Slack's command line connects, and starts the hook once per event."""
    assert HOOKS["config"]["sdk-managed-connection-enabled"] is True
    assert _parser().parse_args(arguments(HOOKS["hooks"]["start"])).command == "run"


def test_slack_run_installs_a_socket_mode_app() -> None:
    words = HOOKS["hooks"]["get-manifest"].split()  # the command line splits at spaces and uses no shell
    command = [sys.executable if word == "python" else word for word in words]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLACK_")}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    manifest = json.loads(ran.stdout)
    assert manifest["settings"]["socket_mode_enabled"]
    assert "https://" not in ran.stdout.decode()
    assert set(manifest["oauth_config"]["scopes"]["bot_optional"]) < set(manifest["oauth_config"]["scopes"]["bot"])


@pytest.mark.parametrize("watched", ["app", "manifest"])
def test_slack_run_watches_existing_sources(watched: str) -> None:
    watch = HOOKS["config"]["watch"][watched]
    for path in (ROOT / path for path in watch["paths"]):
        sources = [path] if path.is_file() else path.rglob("*")
        assert any(re.search(watch["filter-regex"], source.name) for source in sources), path


def test_app_json_and_procfile_use_known_settings_and_commands() -> None:
    app = json.loads((ROOT / "app.json").read_text())
    assert {name.lower() for name in app["env"]} <= set(Settings.model_fields)
    steps = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
    assert {name: arguments(line) for name, line in steps.items()} == {"release": ["migrate"], "web": ["run"]}
    assert set(app["formation"]) <= set(steps)


def test_pre_commit_runs_the_commands_of_make_check() -> None:
    hooks = re.findall(r"entry: (.+)", (ROOT / ".pre-commit-config.yaml").read_text())
    recipe = (ROOT / "Makefile").read_text().partition("\ncheck:")[2].partition("\n\n")[0]
    assert hooks == re.findall(r"^\t(.+)", recipe.replace("$(BIN)", ".venv/bin"), re.MULTILINE)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_run_commands_that_exist(workflow: Path) -> None:
    text = workflow.read_text()
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"run: make ([a-z]+)", text)) <= targets
    for script in re.findall(r"run: (\.\S+)", text):
        assert os.access(ROOT / script, os.X_OK)
    for campaign in re.findall(r"^ {10}- ([a-z].+)", text, re.MULTILINE):
        parsed(campaign.replace("${{ github.run_number }}", "1").split())
