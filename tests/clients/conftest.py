from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from pydantic import SecretStr

from bot.clients.multipart import Upload
from bot.clients.payments import PaymentsClient
from bot.clients.routes import RouteTable
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from tests.clients.partner_server import Partner, partner_server
from tests.clients.payments_calls import Bench, CountingSlots, OpenClient


@pytest.fixture
async def partner() -> AsyncIterator[Partner]:
    async with partner_server() as running:
        yield running


@pytest.fixture
def slots() -> CountingSlots:
    return CountingSlots()


def routes_of(folder: Path, services: str = "", environment: str = "sandbox") -> RouteTable:
    """The route table with this file of an operator."""
    file = folder / "services.toml"
    file.write_text(services, encoding="utf-8")
    return load_routes(file, environment=environment)


def payments_client(routes: RouteTable, transport: Transport, **more: Any) -> PaymentsClient:
    given = {"limiter": CountingSlots(), "partner_id": "partner", "partner_secret": SecretStr("pä:ss"), **more}
    return PaymentsClient(routes=routes, transport=transport, **given)


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_session() as opened:
        yield opened


@pytest.fixture
def open_client(session: aiohttp.ClientSession, partner: Partner, slots: CountingSlots, tmp_path: Path) -> OpenClient:
    def build(services: str = "", environment: str = "sandbox") -> PaymentsClient:
        transport = Transport(session=session, base_url=partner.url, service="payments", total=5.0)
        return payments_client(routes_of(tmp_path, services, environment), transport, limiter=slots)

    return build


@pytest.fixture
def client(open_client: OpenClient) -> PaymentsClient:
    return open_client()


@pytest.fixture
def bench(partner: Partner, slots: CountingSlots, open_client: OpenClient) -> Bench:
    return Bench(partner, slots, open_client)


def in_pieces(content: bytes, *, size: int | None = None, name: str = "file.mp3") -> Upload:
    @asynccontextmanager
    async def opened() -> AsyncIterator[AsyncIterator[bytes]]:
        async def pieces() -> AsyncIterator[bytes]:
            for start in range(0, len(content), 1_000):
                yield content[start : start + 1_000]

        yield pieces()

    size = len(content) if size is None else size
    return Upload(name=name, content_type="audio/mpeg", size=size, source=opened)
