"""The e-mail service in a box keeps its documented contract and misbehaves when told."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.emails import EmailsSimulator

KEY = "email-playground-key"
CSV = b"name,email\r\nAna,ana@example.com\r\nBo,bounce@example.com\r\n"


@pytest.fixture
async def simulator() -> AsyncIterator[EmailsSimulator]:
    async with EmailsSimulator() as running:
        yield running


def form(*, key: str = KEY, index: str = "1", content: bytes = CSV) -> aiohttp.FormData:
    data = aiohttp.FormData()
    data.add_field("apikey", key)
    data.add_field("email-header-index", index)
    data.add_field("file", content, filename="a.csv", content_type="text/csv")
    return data


async def ask(simulator: EmailsSimulator, **query: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{simulator.single_url}/", params=query) as answer:
        return answer.status, await answer.text()


async def send(simulator: EmailsSimulator, data: aiohttp.FormData) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(f"{simulator.bulk_url}/", data=data) as answer:
        return answer.status, await answer.text()


async def test_key_and_address_are_required(simulator: EmailsSimulator) -> None:
    assert (await ask(simulator, email="a@b.co"))[0] == 401
    assert (await ask(simulator, email="a@b.co", apikey="wrong"))[0] == 401
    assert (await ask(simulator, apikey=KEY))[0] == 400
    assert not simulator.asked
    assert (await ask(simulator, email="a+b@example.com", apikey=KEY))[0] == 200
    assert dict(simulator.asked) == {"a+b@example.com": 1}


@pytest.mark.parametrize(
    "data",
    [form(index="2"), form(index="-1"), form(index="x"), form(content=b""), form(content="email".encode("utf-16"))],
    ids=["beyond", "negative", "no number", "empty", "utf-16"],
)
async def test_undocumented_file_is_refused(simulator: EmailsSimulator, data: aiohttp.FormData) -> None:
    assert (await send(simulator, data))[0] == 422
    assert not simulator.files


async def test_requests_over_the_concurrency_limit_get_429(simulator: EmailsSimulator) -> None:
    simulator.manners.at_once = 0
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{simulator.single_url}/", params={"email": "a@b.co", "apikey": KEY}) as answer,
    ):
        assert (answer.status, answer.headers["Retry-After"]) == (429, "1")


@pytest.mark.parametrize(
    ("kind", "status", "asked"),
    [
        (FaultKind.ERROR_500, 500, 0),
        (FaultKind.DONE_500, 500, 1),
        (FaultKind.TOO_MANY, 429, 0),
        (FaultKind.REFUSED, 422, 0),
        (FaultKind.GARBAGE, 200, 1),
    ],
)
async def test_faults_and_their_effects(simulator: EmailsSimulator, kind: FaultKind, status: int, asked: int) -> None:
    simulator.faults.arm(Fault(kind, "check"))
    assert (await ask(simulator, email="a@b.co", apikey=KEY))[0] == status
    assert simulator.asked.total() == asked


async def test_call_log_never_holds_the_key(simulator: EmailsSimulator) -> None:
    await ask(simulator, email="a@b.co", apikey=KEY)
    await send(simulator, form())
    assert len(simulator.calls) == 2
    assert KEY not in repr(simulator.calls)
