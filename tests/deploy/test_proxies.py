"""nginx and Caddy with the shipped files, in front of a real process: what goes through, and what they write down."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import repeat

import aiohttp
import pytest
import pytest_asyncio
from yarl import URL

from bot.playground.process import free_port
from tests.deploy.machine import needs
from tests.deploy.proxies import HERE, Caddy, Front, Nginx
from tests.process.scene import Scene
from tests.support.databases import lay
from tests.support.posting import signed
from tests.support.rig import ADA, APPROVALS

pytestmark = pytest.mark.asyncio(loop_scope="module")

SERVICE, STRANGER = "127.0.0.7", "127.0.0.8"
"""Sources of callbacks: only the first one is allowed. The proxy itself connects from 127.0.0.1."""
SLACK, CALLBACK = 1 << 20, 256 * 1024
"""Bytes of the largest bodies."""
REFUSED = (413, 502)
"""Caddy before 2.6.3 answers 502 to a body that is too large, as it does on Debian 12 and 13."""
ELSEWHERE = (
    "/",
    "/readyz",
    "/metrics",
    "/metrics/",
    "//metrics",
    "/METRICS",
    "/healthz/../metrics",
    "/callbacks/payments/../../metrics",
    "/callbacks/payments/%2e%2e/%2e%2e/readyz",
    "/slack/events/../../readyz",
)


@dataclass
class Deployed:
    """A proxy with a bot behind it, where one payout waits for its approval."""

    front: Front
    scene: Scene

    @property
    def callback(self) -> str:
        return self.scene.callback_addresses()["confirmation_uri"]

    @property
    def token(self) -> str:
        return self.callback.rpartition("/")[2]

    @asynccontextmanager
    async def caller(self, source: str) -> AsyncIterator[aiohttp.ClientSession]:
        connector = aiohttp.TCPConnector(local_addr=(source, 0), ssl=self.front.trust or True)
        async with aiohttp.ClientSession(connector=connector) as session:
            yield session

    async def call_back(self, source: str, *, body: bytes = b"{}", forwarded: str | None = None) -> int:
        headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
        return await self.post(self.callback, body, headers, source=source)

    async def sign_and_post(self, body: bytes) -> int:
        """A request to ``/slack/events`` as Slack signs it; its status."""
        return await self.post(f"{self.front.url}/slack/events", body, signed(body), source=STRANGER)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], *, source: str) -> int:
        async with self.caller(source) as session, session.post(url, data=BytesIO(body), headers=headers) as answer:
            return answer.status

    async def get(self, path: str) -> tuple[int, str]:
        """Status and text of an answer; the path is sent as it is written."""
        url = URL(f"{self.front.url}{path}", encoded=True)
        async with self.caller(STRANGER) as session, session.get(url, allow_redirects=False) as answer:
            return answer.status, await answer.text()


@pytest_asyncio.fixture(
    scope="module",
    loop_scope="module",
    params=[
        pytest.param(Nginx, id="nginx", marks=needs("nginx", package="nginx-light")),
        pytest.param(Caddy, id="caddy", marks=needs("caddy", package="caddy")),
    ],
)
async def deployed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, migrated_sqlite: bytes
) -> AsyncIterator[Deployed]:
    folder, port = tmp_path_factory.mktemp("front"), free_port()
    kind: type[Front] = request.param
    async with kind(folder, upstream=f"{HERE}:{port}") as front:
        behind = tmp_path_factory.mktemp("behind")
        lay(behind / "switchboard.db", migrated_sqlite)
        scene = await Scene.open(
            behind,
            PORT=str(port),
            PUBLIC_URL=front.url,
            TRUSTED_PROXIES=HERE,
            PAYMENTS_ALLOWED_SOURCES=SERVICE,
            METRICS_TOKEN="a-token-of-prometheus",
        )
        # Slack, which checks certificates
        scene.workspace._delivery._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=front.trust or True)
        )
        scene.workspace.deliver_to(f"{front.url}/slack/events")
        assert (await scene.pay()).ok
        await scene.workspace.until(lambda: scene.cards(APPROVALS))
        yield Deployed(front, scene)
        await scene.close()


async def test_proxy_passes_slack_requests(deployed: Deployed) -> None:
    heard = len(deployed.scene.ephemerals(ADA))
    ack = await deployed.scene.pay("approvals", user=ADA)
    assert (ack.ok, ack.status) == (True, 200)
    said = await deployed.scene.workspace.until(lambda: deployed.scene.ephemerals(ADA)[heard:])
    assert "$25.00 to Ana Maria Lopez" in said[0]


async def test_callback_counts_only_at_its_service_address(deployed: Deployed) -> None:
    assert deployed.callback.startswith(f"{deployed.front.url}/callbacks/payments/")
    assert await deployed.call_back(SERVICE) == 200
    assert await deployed.call_back(STRANGER) == 404
    for forged in (SERVICE, f"{SERVICE}, {HERE}", f"{HERE}, {SERVICE}", f"{STRANGER}, {SERVICE}"):
        assert await deployed.call_back(STRANGER, forwarded=forged) == 404
    assert await deployed.call_back(SERVICE, forwarded=STRANGER) == 200


async def test_nothing_but_the_routes_of_the_product_is_open(deployed: Deployed) -> None:
    assert await deployed.get("/healthz") == (200, '{"status": "alive"}')
    assert {path: (await deployed.get(path))[0] for path in ELSEWHERE} == dict(zip(ELSEWHERE, repeat(404)))


async def test_oversized_callback_is_refused(deployed: Deployed) -> None:
    assert await deployed.call_back(SERVICE, body=b"a" * CALLBACK) == 200
    assert await deployed.call_back(SERVICE, body=b"a" * (CALLBACK + 1)) in REFUSED
    assert await deployed.call_back(SERVICE, body=b"a" * (8 * CALLBACK)) in REFUSED


async def test_slack_may_send_more(deployed: Deployed) -> None:
    command = b"command=/pay&team_id=T0HOME&text="
    assert await deployed.sign_and_post(command.ljust(SLACK, b"a")) == 200
    assert await deployed.sign_and_post(command.ljust(SLACK + 1, b"a")) in REFUSED
    assert "temporary file" not in deployed.front.written  # nginx, of a body that does not fit into its memory


async def test_no_log_shows_a_callback_address_or_a_signature(deployed: Deployed) -> None:
    await deployed.call_back(SERVICE, body=b"a" * (CALLBACK + 1))
    await deployed.get("/healthz")
    await deployed.get(f"/elsewhere/{deployed.token}")
    await deployed.scene.bot.kill()
    assert await deployed.call_back(SERVICE) == 502
    await deployed.scene.start()
    assert await deployed.call_back(SERVICE) == 200
    assert (await deployed.scene.pay("approvals")).ok
    written = deployed.front.written
    assert [word for word in ("/slack/events", "/callbacks/payments/*", "/healthz", "502") if word not in written] == []
    assert [word for word in (deployed.token, deployed.token[:20], "v0=") if word in written] == []
