"""What a service says holds a secret of ours, its own or another's: nobody reads it, in Slack, log or database."""

import base64
from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from sqlalchemy import create_engine, select
from structlog.testing import capture_logs

from storage.tables.columns import metadata
from tests.support.answers import ask
from tests.support.deliveries import CENTRO, DELIVERIES, STORE_KEY, deliver, open_rig
from tests.support.rig import ALERTS, APPROVALS, FINANCE, MARIA, MONEY, SECRET_KEY, GivenSettings, Rig

CANARIES = {
    "payments_partner_secret": "canary/payments+secret=1",
    "delivery_master_key": "canary/delivery+master=2",
    "localization_api_key": "canary/localization+key=3",
    "email_api_key": "canary/email+key=4",
    "metrics_token": "canary/metrics+token=5",
}
STORE = "canary/store+key=6"
SERVICES = ("payments", "delivery", "localization", "email_single", "email_bulk")


def written(secret: str) -> list[str]:
    coded = base64.b64encode(secret.encode()).decode()
    behind = base64.b64encode(f"partner:{secret}".encode()).decode()
    return [secret, quote(secret, safe=""), quote(secret), coded, coded.replace("+", "-").replace("/", "_"), behind]


@pytest.fixture
async def said() -> list[str]:
    """What every service says to every request, one after the other; the last one for ever."""
    return []


@pytest.fixture
async def moon(request: pytest.FixtureRequest, said: list[str]) -> AsyncIterator[str]:
    """The address of a service that says the same to everything."""

    async def answer(request: web.Request) -> web.Response:
        words = f"{request.path.split('/')[1]} says {said[0]}"
        names = ("message", "name", "id", "status", "text", "paraphrased_sentences", said[0])
        return web.json_response(dict.fromkeys(names, words), status=status)

    status = request.param
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    server = TestServer(app, host="127.0.0.1")
    await server.start_server()
    try:
        yield str(server.make_url("")).rstrip("/")
    finally:
        await server.close()


@pytest.fixture
async def rig(sqlite_url: str) -> AsyncIterator[Rig]:
    rig = await open_rig(sqlite_url)
    try:
        await deliver(rig, "stores")  # the key of Centro is kept from here on
        yield rig
    finally:
        await rig.close()


async def moved(rig: Rig, moon: str) -> None:
    await rig.switchboard.stop()
    given = rig.settings.model_dump() | {f"{one}_base_url": f"{moon}/{one}" for one in SERVICES} | CANARIES
    rig.settings = GivenSettings(**{**given, "delivery_store_keys": {"Norte": STORE}})
    await rig.start()
    await rig.settle()


def everything(rig: Rig, logs: object) -> str:
    channels = (FINANCE, APPROVALS, ALERTS, MONEY, CENTRO, DELIVERIES)
    posted = [f"{one.text} {one.blocks}" for channel in channels for one in rig.workspace.messages(channel)]
    told = [f"{one.text} {one.blocks}" for one in rig.workspace.ephemerals(MARIA)]
    views = [str(view.blocks) if (view := rig.workspace.modal(MARIA)) else ""]
    engine = create_engine(rig.settings.database_url.replace("+aiosqlite", ""))
    with engine.connect() as connection:
        rows = [str(list(connection.execute(select(table)))) for table in metadata.sorted_tables]
    engine.dispose()
    return "\n".join([*posted, *told, *views, *rows, repr(logs)])


@pytest.mark.parametrize(
    ("moon", "heard"),
    [
        pytest.param(422, SERVICES[:4], id="422"),
        pytest.param(500, SERVICES[:4], id="500"),
        pytest.param(200, SERVICES[:4], id="200"),
    ],
    indirect=["moon"],
)
async def test_no_secret_of_any_service_is_repeated(
    rig: Rig, moon: str, said: list[str], heard: tuple[str, ...]
) -> None:
    said.append("")
    with capture_logs() as logs:
        await moved(rig, moon)
        secrets = [*rig.settings.secrets(), STORE_KEY]
        assert {*CANARIES.values(), STORE, SECRET_KEY, "xoxb-playground", "playground-signing-secret"} < {*secrets}
        for secret in secrets:
            said[0] = " ".join(written(secret))
            await rig.pay()
            await deliver(rig, "stores")
            await deliver(rig, "store show Norte")
            await ask(rig, "check ana@example.com", command="/email")
            await ask(rig, f'paraphrase "Good {len(secret)} morning"', command="/localize")
            await rig.pass_time(60, steps=2)
            told = rig.workspace.ephemerals(MARIA)[-1]
            for button in [one for one in told.buttons if one.text == "Details"]:
                await rig.workspace.click(MARIA, told.channel, told.ts, button.action_id)
        await rig.workspace.drop(MARIA, FINANCE, "people.csv", b"email\nana@example.com\n")
        await rig.settle()
    shown = everything(rig, logs)
    assert [one for one in SERVICES[:4] if f"{one} says" in shown] == [*heard]
    assert [form for secret in secrets for form in written(secret) if form in shown] == []
