"""Figures of requests: each is told once, with the word for its end and the seconds since its first byte."""

import asyncio

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


def says(status: str) -> Behaviour:
    async def behave(_: Arrived, writer: asyncio.StreamWriter) -> None:
        if status == "drops":
            writer.close()
        else:
            writer.write(answer(status=f"{status} X", headers="Location: /elsewhere"))

    return behave


ENDS = {"200": Ended.DONE, "422": Ended.REFUSED, "429": Ended.TOO_MANY, "500": Ended.UNKNOWN, "drops": Ended.UNKNOWN}


async def send(url: str, told: Told, clock: list[float], *, leaves: bool = True) -> None:
    """One request, whose first byte leaves at 10 s of a clock that then says 12.5 s."""
    circuit = Circuit("payments", clock=lambda: clock[0])

    async def turn() -> bool:
        clock[0] = 10.0
        return leaves

    def watch(reply: Reply, seconds: float | None) -> None:
        told.append((how_ended(reply), seconds))

    def guard() -> bool:
        return True

    async with open_session() as session:
        transport = Transport(session=session, base_url=url, service="payments", circuit=circuit, watch=watch)
        request = PreparedRequest(operation="payments.partner", method="GET", path="/", headers={})
        await transport.send(request, guard=guard, turn=turn)


@pytest.mark.parametrize("status", ENDS)
async def test_an_exchange_is_told_with_the_seconds_since_its_first_byte(status: str) -> None:
    clock, told = [3.0], Told()

    async def later(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
        clock[0] = 12.5
        await says(status)(arrived, writer)

    async with wire_server(later) as server:
        await send(server.url, told, clock)
    assert told == [(ENDS[status], 2.5)]


async def test_what_never_left_has_no_seconds() -> None:
    told = Told()
    async with wire_server(says("200")) as server:
        await send(server.url, told, [0.0], leaves=False)
        assert not server.requests
    await send(server.url, told, [0.0])  # nobody listens there any more
    assert told == [(Ended.NOT_SENT, None), (Ended.UNREACHABLE, None)]


async def quick_request(url: str, told: Told, **more: str) -> Reply:
    def watch(reply: Reply, seconds: float | None) -> None:
        told.append((how_ended(reply), seconds))

    async with bare_session(TCPConnector(limit=1)) as session:
        quick = Quick(session=session, base_url=f"{url}/", watch=watch, secrets=Secrets())
        return await quick.ask("email.check", method="GET", path="/v1/check?a=%40", headers=more)


@pytest.mark.parametrize("status", ENDS)
async def test_a_quick_request_is_told_too(status: str) -> None:
    told = Told()
    async with wire_server(says(status)) as server:
        await quick_request(server.url, told)
    [(word, seconds)] = told
    assert word is ENDS[status]
    assert seconds is not None
    await quick_request(server.url, told)
    assert told[1:] == [(Ended.UNREACHABLE, None)]


async def test_headers_leave_besides_the_usual_ones_and_no_redirect_is_followed() -> None:
    async with wire_server(says("302")) as server:
        reply = await quick_request(server.url, Told(), **{"X-Api-Key": "k"})
    [arrived] = server.requests
    assert (reply.status, arrived.line) == (302, "GET /v1/check?a=%40 HTTP/1.1")
    assert (arrived.headers["x-api-key"], arrived.headers["user-agent"]) == ("k", "switchboard")


@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize(("size", "failure"), [(MOST, None), (MOST + 1, Failure.OVERSIZE)])
async def test_two_mebibytes_of_an_answer_are_read(is_announced: bool, size: int, failure: Failure | None) -> None:
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
