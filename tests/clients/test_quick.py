"""Many small requests: what leaves, and how much of an answer is read."""

import asyncio

import pytest

from bot.clients.emails.client import Quick, open_quick_session
from bot.domain.outcome import Ended, Failure, Reply
from bot.domain.text import Secrets
from tests.clients.wire_server import Arrived, Behaviour, answer, wire_server

MOST = 2 * 1024 * 1024


async def asked(behave: Behaviour, **headers: str) -> tuple[Reply, list[Arrived], list[Ended]]:
    """The reply, what arrived, and how it is said to have ended."""
    told: list[Ended] = []
    async with wire_server(behave) as server, open_quick_session(limit=1) as session:
        quick = Quick(
            session=session, base_url=f"{server.url}/", watch=lambda ended, _: told.append(ended), secrets=Secrets()
        )
        reply = await quick.ask("check", method="GET", path="/v1/check?a=%40", headers=headers)
        return reply, server.requests, told


def saying(content: bytes) -> Behaviour:
    async def behave(_: Arrived, writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        if b"Content-Length" not in content:
            writer.close()

    return behave


async def test_headers_leave_besides_the_usual_ones() -> None:
    reply, [arrived], told = await asked(saying(answer(b"{}")), **{"X-Api-Key": "k"})
    assert (reply.status, told) == (200, [Ended.DONE])
    assert arrived.line == "GET /v1/check?a=%40 HTTP/1.1"
    assert (arrived.headers["x-api-key"], arrived.headers["user-agent"]) == ("k", "switchboard")


async def test_no_redirect_is_followed() -> None:
    reply, arrived, _ = await asked(saying(answer(status="302 Found", headers="Location: /elsewhere")))
    assert (reply.status, len(arrived)) == (302, 1)


@pytest.mark.parametrize("is_announced", [True, False])
@pytest.mark.parametrize(("size", "failure"), [(MOST, None), (MOST + 1, Failure.OVERSIZE)])
async def test_two_mebibytes_of_an_answer_are_read(is_announced: bool, size: int, failure: Failure | None) -> None:
    whole = answer(b"x" * size, headers="Content-Type: text/plain")
    if not is_announced:
        whole = whole.replace(f"Content-Length: {size}\r\n".encode(), b"Connection: close\r\n")
    reply, _, _ = await asked(saying(whole))
    assert (reply.status, reply.failure) == (None if failure else 200, failure)
