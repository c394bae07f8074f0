from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.clients.payments import PaymentsClient
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


@pytest.fixture
async def open_client(partner: Partner, slots: CountingSlots, tmp_path: Path) -> AsyncIterator[OpenClient]:
    async with open_session() as session:

        def build(services: str = "", environment: str = "sandbox") -> PaymentsClient:
            file = tmp_path / "services.toml"
            file.write_text(services, encoding="utf-8")
            return PaymentsClient(
                routes=load_routes(file, environment=environment),
                transport=Transport(session=session, base_url=partner.url, service="payments", total=5.0),
                limiter=slots,
                partner_id="partner",
                partner_secret=SecretStr("pä:ss"),
            )

        yield build


@pytest.fixture
def client(open_client: OpenClient) -> PaymentsClient:
    return open_client()


@pytest.fixture
def bench(partner: Partner, slots: CountingSlots, open_client: OpenClient) -> Bench:
    return Bench(partner, slots, open_client)
