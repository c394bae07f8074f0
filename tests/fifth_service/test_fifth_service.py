"""A fifth service, plugged in: its command works like the others, and so does what can go wrong on the way."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.clients.routes_file import load_routes
from bot.domain.errors import OperatorError
from tests.fifth_service.plugged_in import ROUTES, Glossary, GlossarySettings
from tests.fifth_service.simulator import KEY
from tests.fifth_service.simulator import Glossary as Simulator
from tests.support.rig import FINANCE, GUS, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import ephemerals


@pytest.fixture
async def simulator() -> AsyncIterator[Simulator]:
    async with Simulator().running() as running:
        yield running


@pytest.fixture
def configured(simulator: Simulator) -> GlossarySettings:
    return GlossarySettings(glossary_base_url=simulator.base_url, glossary_api_key=SecretStr(KEY))


@pytest.fixture
def variations(configured: GlossarySettings) -> dict[str, Any]:
    return {"around": {"extensions": [Glossary(settings=configured)]}}


async def told(rig: Rig, text: str, *, user: str = MARIA) -> str:
    assert (await rig.workspace.slash(user, FINANCE, "/glossary", text, force=True)).ok
    return await rig.workspace.until(lambda: "\n".join(ephemerals(rig, user)))


async def test_from_the_command_to_the_answer(rig: Rig, simulator: Simulator) -> None:
    assert shown(await told(rig, "define escrow")) == snapshot("*escrow*: money that somebody holds for two others")
    assert simulator.asked == ["escrow"]


async def test_help_lists_its_verbs(rig: Rig) -> None:
    assert shown(await told(rig, "help")) == snapshot("""\
*/glossary*: Look up what a word means
• `/glossary define &lt;word&gt;`: what a word means
Example: `/glossary define escrow`
More about one: `/glossary help define`\
""")


async def test_a_mistake_names_the_argument_and_a_right_example(rig: Rig, simulator: Simulator) -> None:
    assert shown(await told(rig, f"define {'word ' * 13}")) == snapshot("""\
:pencil2: The word is `word word word word word word word word word w … (shortened)`; it must be a word of at most 60 \
characters.
Example: `/glossary define escrow`\
""")
    assert simulator.asked == []


@pytest.mark.parametrize(
    ("user", "status", "word", "answer", "asked"),
    [
        (MARIA, None, "tranche", ":warning: Glossary: no entry for tranche.", ["tranche"]),
        (MARIA, 500, "escrow", ":warning: Glossary is having problems. Try again in a minute.", ["escrow"]),
        (GUS, None, "escrow", ":no_entry_sign: Guests can't do this. Ask a full member of this workspace.", []),
    ],
)
async def test_refusals_quote_the_service(
    rig: Rig, simulator: Simulator, user: str, status: int | None, word: str, answer: str, asked: list[str]
) -> None:
    simulator.status = status
    assert shown(await told(rig, f"define {word}", user=user)) == answer
    assert simulator.asked == asked


@pytest.mark.parametrize("configured", [GlossarySettings()])
async def test_missing_variables_are_named(rig: Rig) -> None:
    assert shown(await told(rig, "define escrow")) == snapshot("""\
:electric_plug: Glossary isn't set up yet. An admin has to set `GLOSSARY_BASE_URL`, `GLOSSARY_API_KEY`.""")


def test_an_operator_may_change_its_routes(tmp_path: Path) -> None:
    dialect = tmp_path / "services.toml"
    dialect.write_text('[glossary.define]\npath = "/v2/meaning"\n')
    table = load_routes(dialect, environment="production", more=(ROUTES,))
    assert table.use("glossary", "define").path == "/v2/meaning"
    with pytest.raises(OperatorError, match="no such service"):
        load_routes(dialect, environment="production")


def test_an_extension_replaces_no_service(tmp_path: Path) -> None:
    impostor = tmp_path / "routes.toml"
    impostor.write_text('[payments.commit_payout]\nmethod = "POST"\npath = "/v1/elsewhere"\nmark = "D"\n')
    with pytest.raises(OperatorError, match="payments: there is such a service already"):
        load_routes(None, environment="production", more=(impostor,))
