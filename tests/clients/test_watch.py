"""Figures of requests: each is told once, with the word for its end and the seconds since its first byte."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from bot.clients.circuit import Circuit
from bot.clients.emails.client import Quick, open_quick_session
from bot.clients.transport import PreparedRequest, Transport, open_session
from bot.domain.outcome import Ended
from bot.domain.text import Secrets
from tests.clients.wire_server import Arrived, answer, wire_server

Behaviour = Callable[[Arrived, asyncio.StreamWriter], Awaitable[None]]
Told = list[tuple[Ended, float | None]]


def says(status: str) -> Behaviour:
    async def behave(_: Arrived, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(status=status))

    return behave


async def drops(_: Arrived, writer: asyncio.StreamWriter) -> None:
    writer.close()


ENDS = [
    (says("200 OK"), Ended.DONE),
    (says("422 Unprocessable Entity"), Ended.REFUSED),
    (says("429 Too Many Requests"), Ended.TOO_MANY),
    (says("500 Internal Server Error"), Ended.UNKNOWN),
    (drops, Ended.UNKNOWN),
]
IDS = ["200", "422", "429", "500", "dropped"]


async def send(url: str, told: Told, clock: list[float], *, leaves: bool = True) -> None:
    """One request, whose first byte leaves at 10 s of a clock that then says 12.5 s."""
    circuit = Circuit("payments", clock=lambda: clock[0])

    async def turn() -> bool:
        clock[0] = 10.0
        return leaves

    def watch(ended: Ended, seconds: float | None) -> None:
        told.append((ended, seconds))

    def guard() -> bool:
        return True

    async with open_session() as session:
        transport = Transport(session=session, base_url=url, service="payments", circuit=circuit, watch=watch)
        request = PreparedRequest(operation="payments.partner", method="GET", path="/", headers={})
        await transport.send(request, guard=guard, turn=turn)


@pytest.mark.parametrize(("behave", "ended"), ENDS, ids=IDS)
async def test_an_exchange_is_told_with_the_seconds_since_its_first_byte(behave: Behaviour, ended: Ended) -> None:
    clock, told = [3.0], Told()

    async def later(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
        clock[0] = 12.5
        await behave(arrived, writer)

    async with wire_server(later) as server:
        await send(server.url, told, clock)
    assert told == [(ended, 2.5)]


async def test_what_never_left_has_no_seconds() -> None:
    told = Told()
    async with wire_server(says("200 OK")) as server:
        await send(server.url, told, [0.0], leaves=False)
        assert not server.requests
    await send(server.url, told, [0.0])  # nobody listens there any more
    assert told == [(Ended.NOT_SENT, None), (Ended.UNREACHABLE, None)]


@pytest.mark.parametrize(("behave", "ended"), ENDS, ids=IDS)
async def test_a_quick_request_is_told_too(behave: Behaviour, ended: Ended) -> None:
    told = Told()
    async with wire_server(behave) as server, open_quick_session(limit=1) as session:
        quick = Quick(
            session=session, base_url=server.url, watch=lambda *told_of: told.append(told_of), secrets=Secrets()
        )
        await quick.ask("email.check", method="POST", path="/", headers={})
    [(word, seconds)] = told
    assert word is ended
    assert seconds is not None
    async with open_quick_session(limit=1) as session:
        quick = Quick(
            session=session, base_url=server.url, watch=lambda *told_of: told.append(told_of), secrets=Secrets()
        )
        await quick.ask("email.check", method="POST", path="/", headers={})
    assert told[1:] == [(Ended.UNREACHABLE, None)]
