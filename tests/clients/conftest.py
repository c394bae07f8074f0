from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import pytest
from pydantic import SecretStr

from bot.clients.limiter import Lane, SendTurn
from bot.clients.payments import PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from tests.clients.partner_server import Partner, partner_server


class CountingSlots:
    """The real limiter's promise without its waiting, and what was asked of it."""

    def __init__(self) -> None:
        self.lanes: list[Lane] = []
        self.patience: list[float] = []
        self.slowed: list[float | None] = []
        self.is_free = True
        self.departures = 0
        self.broken = ""
        self.arrivals = 0
        self.open = 0

    async def acquire(self, lane: Lane, *, patience: float) -> SendTurn | None:
        self.lanes.append(lane)
        self.patience.append(patience)
        if self.broken == "acquire":
            raise OSError("the database is away")
        self.open += self.is_free
        return self if self.is_free else None

    async def departs(self) -> bool:
        if self.broken == "departs":
            raise OSError("the database is away")
        self.departures += 1
        return True

    async def answered(self) -> None:
        self.arrivals += 1

    def over(self) -> None:
        self.open -= 1

    async def slow_down(self, retry_after: float | None) -> None:
        self.slowed.append(retry_after)


class OpenClient(Protocol):
    def __call__(self, services: str = "", environment: str = "sandbox") -> PaymentsClient: ...


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
