from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.clients.localization import LocalizationClient, Upload
from bot.clients.transport import Transport
from bot.playground.simulators.localization import LocalizationSimulator
from tests.clients.conftest import in_pieces, routes_of

KEY = "localization-key"

OpenClient = Callable[..., LocalizationClient]


@pytest.fixture
async def simulator() -> AsyncIterator[LocalizationSimulator]:
    async with LocalizationSimulator(api_key=KEY) as running:
        yield running


@pytest.fixture
def open_client(session: aiohttp.ClientSession, tmp_path: Path) -> OpenClient:
    def build(url: str, *, services: str = "", seconds: float = 5.0, key: str = KEY) -> LocalizationClient:
        transport = Transport(session=session, base_url=url, service="localization", read=seconds, total=seconds)
        return LocalizationClient(
            routes=routes_of(tmp_path, services),
            texts=transport,
            media=transport,
            key=SecretStr(key),
            own_hosts=("127.0.0.1",),
        )

    return build


@pytest.fixture
def client(open_client: OpenClient, simulator: LocalizationSimulator) -> LocalizationClient:
    return open_client(simulator.base_url)


def upload(content: bytes, extension: str) -> Upload:
    return in_pieces(content, name=f"file.{extension}")


class Kept:
    """A sink that keeps everything, up to a limit."""

    def __init__(self, limit: int = 10_000_000) -> None:
        self.content = bytearray()
        self._limit = limit

    def wants(self, content_type: str) -> bool:
        return content_type != ""

    async def write(self, chunk: bytes) -> bool:
        self.content += chunk
        return len(self.content) <= self._limit
