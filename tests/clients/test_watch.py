"""Figures of requests: each is told once, with the word for its end and the seconds since its first byte."""

import asyncio
from collections.abc import Callable

import pytest
from aiohttp import TCPConnector

from bot.clients.circuit import Circuit
from bot.clients.emails.client import Quick
from bot.clients.transport import PreparedRequest, Transport, bare_session, open_session
from bot.domain.outcome import Ended, Failure, Reply, how_ended
from bot.domain.text import Secrets
from tests.clients.wire_server import Arrived, Behaviour, answer, wire_server

MOST = 2 * 1024 * 1024
Told = list[tuple[Ended, float | None]]
Watch = Callable[[Reply, float | None], None]


ENDS = {"200": Ended.DONE, "422": Ended.REFUSED, "429": Ended.TOO_MANY, "500": Ended.UNKNOWN, "drops": Ended.UNKNOWN}


def says(status: str, clock: list[float]) -> Behaviour:
    async def behave(_: Arrived, writer: asyncio.StreamWriter) -> None:
        clock[0] = 12.5
        if status == "drops":
            writer.close()
        else:
            writer.write(answer(status=f"{status} X", headers="Location: /elsewhere"))

    return behave


def telling(told: Told) -> Watch:
    return lambda reply, seconds: told.append((how_ended(reply), seconds))


async def send(url: str, told: Told, clock: list[float], *, leaves: bool = True) -> None:
    """One request, whose first byte leaves at 10 s of the clock."""
    circuit = Circuit("payments", clock=lambda: clock[0])

    async def turn() -> bool:
        clock[0] = 10.0
        return leaves

    async with open_session() as session:
        transport = Transport(session=session, base_url=url, service="payments", circuit=circuit, watch=telling(told))
        request = PreparedRequest(operation="payments.partner", method="GET", path="/", headers={})
        await transport.send(request, guard=lambda: True, turn=turn)


async def quick_request(url: str, told: Told, **more: str) -> Reply:
    async with bare_session(TCPConnector(limit=1)) as session:
        quick = Quick(session=session, base_url=f"{url}/", watch=telling(told), secrets=Secrets())
        return await quick.ask("email.check", method="GET", path="/v1/check?a=%40", headers=more)


@pytest.mark.parametrize("status", ENDS)
async def test_exchange_reports_seconds_since_its_first_byte(status: str) -> None:
    clock, told, quick = [3.0], Told(), Told()
    async with wire_server(says(status, clock)) as server:
        await send(server.url, told, clock)
        await quick_request(server.url, quick)
    assert told == [(ENDS[status], 2.5)]
    assert [(word, seconds is not None) for word, seconds in quick] == [(ENDS[status], True)]


async def test_unsent_exchange_has_no_duration() -> None:
    clock, told = [0.0], Told()
    async with wire_server(says("200", clock)) as server:
        await send(server.url, told, clock, leaves=False)
        assert not server.requests
    await send(server.url, told, clock)  # nobody listens there any more
    await quick_request(server.url, told)
    assert told == [(Ended.NOT_SENT, None), (Ended.UNREACHABLE, None), (Ended.UNREACHABLE, None)]


async def test_request_sends_given_headers_without_redirects() -> None:
    async with wire_server(says("302", [0.0])) as server:
        reply = await quick_request(server.url, Told(), **{"X-Api-Key": "k"})
    [arrived] = server.requests
    assert (reply.status, arrived.line) == (302, "GET /v1/check?a=%40 HTTP/1.1")
    assert (arrived.headers["x-api-key"], arrived.headers["user-agent"]) == ("k", "switchboard")


@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize(("size", "failure"), [(MOST, None), (MOST + 1, Failure.OVERSIZE)])
async def test_answer_is_read_up_to_two_mebibytes(is_announced: bool, size: int, failure: Failure | None) -> None:
    whole = answer(b"x" * size, headers="Content-Type: text/plain")
    if not is_announced:
        whole = whole.replace(f"Content-Length: {size}\r\n".encode(), b"Connection: close\r\n")

    async def behave(_: Arrived, writer: asyncio.StreamWriter) -> None:
        writer.write(whole)
        if not is_announced:
            writer.close()

    async with wire_server(behave) as server:
        reply = await quick_request(server.url, Told())
    assert (reply.status, reply.failure) == (None if failure else 200, failure)
