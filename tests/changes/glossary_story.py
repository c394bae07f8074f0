"""The glossary from the command to the answer, with its lines of the status and of the operator's commands; run in a
copy of the tree that has it as a fifth service."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.cli import doctor
from bot.cli.checks import cautions
from bot.cli.manifest import manifest
from bot.wiring.workers import WATCHED
from tests.fifth_service.simulator import KEY, Glossary
from tests.support.rig import ADA, FINANCE, Rig
from tests.workflows.looking import ephemerals

_SECONDS = 5.0


@pytest.fixture
async def simulator() -> AsyncIterator[Glossary]:
    async with Glossary().running() as running:
        yield running


@pytest.fixture
def variations(simulator: Glossary) -> dict[str, Any]:
    return {"glossary_base_url": simulator.base_url, "glossary_api_key": KEY}


async def told(rig: Rig, command: str, text: str) -> str:
    assert (await rig.workspace.slash(ADA, FINANCE, command, text, force=True)).ok
    async with asyncio.timeout(_SECONDS):
        return await rig.workspace.until(lambda: "\n".join(ephemerals(rig, ADA)))


async def test_a_word_is_looked_up(rig: Rig, simulator: Glossary) -> None:
    assert "money that somebody holds" in await told(rig, "/glossary", "define escrow")
    assert simulator.asked == ["escrow"]
    assert "/glossary" in [
        one["command"] for one in manifest(public_url="https://bot.example.com")["features"]["slash_commands"]
    ]


async def test_the_status_has_its_line(rig: Rig) -> None:
    assert "Glossary: set up" in await told(rig, "/switchboard", "status")


async def test_operators_are_told_of_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLOSSARY_BASE_URL", rig.settings.glossary_base_url)  # type: ignore[attr-defined]
    monkeypatch.setenv("GLOSSARY_API_KEY", KEY)
    await doctor.examine()
    assert "ok       glossary answers" in capsys.readouterr().out
    half = rig.settings.model_copy(update={"glossary_api_key": None})
    assert [one for one in cautions(half) if one.startswith("glossary is only partly configured")]
    assert "glossary" in [one.name for one in WATCHED]
