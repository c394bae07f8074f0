import asyncio
import gzip
import json
import ssl
from decimal import Decimal
from pathlib import Path

import aiohttp
import pytest
import structlog
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.transport import (
    PreparedRequest,
    SingleSendRequest,
    Transport,
    decimal_of,
    dump_json,
    open_session,
    read_reply,
)
from bot.domain.errors import OperatorError
from bot.domain.money import plain
from bot.domain.outcome import NO_JSON, Failure, Reply
from tests.clients.wire_server import Arrived, Behaviour, answer, wire_server
from tests.support.certificates import self_signed
from tests.support.fixtures import Logged

IN_A_ROW = 3
MAX_BODY = 2 * 1024 * 1024

HEADERS = {"Authorization": "Basic c2VjcmV0", "Content-Type": "application/json"}


def request(method: str = "POST", path: str = "/payouts", body: bytes | None = b'{"a":1}') -> PreparedRequest:
    return PreparedRequest(operation="payments.create_payout", method=method, path=path, headers=HEADERS, body=body)


def transport(
    session: ClientSession, url: str, *, connect: float = 5.0, read: float = 20.0, total: float = 30.0
) -> Transport:
    return Transport(session=session, base_url=url, service="payments", connect=connect, read=read, total=total)


async def test_timeouts_are_5_to_connect_20_to_read_30_total(session: ClientSession) -> None:
    made = Transport(session=session, base_url="https://api.example.com", service="payments")
    assert made._timeout == aiohttp.ClientTimeout(total=30.0, connect=5.0, sock_connect=5.0, sock_read=20.0)


async def fine(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(b'{"id":"op1","amount":25.10}'))


async def hang(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def drop(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def test_reply_keeps_exact_numbers(session: ClientSession) -> None:
    async with wire_server(fine) as server:
        reply = await transport(session, server.url + "/v1/").send(request(path="/a%2Fb?email=a%2Bb%40c"))
    assert reply.json == {"id": "op1", "amount": Decimal("25.10")}
    assert (reply.status, reply.failure) == (200, None)
    [arrived] = server.requests
    assert arrived.line == "POST /v1/a%2Fb?email=a%2Bb%40c HTTP/1.1", "as it was encoded"
    assert arrived.body == b'{"a":1}'
    assert arrived.headers["authorization"] == "Basic c2VjcmV0"


async def closes_the_second(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
    """Keep-alive until the second request has been read: the service executed it and is gone."""
    if arrived.number == 1:
        writer.write(answer())
    else:
        writer.close()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "GET", "PATCH"])
async def test_no_request_is_sent_twice_on_a_connection_kept_alive(method: str) -> None:
    async with (
        wire_server(closes_the_second) as server,
        ClientSession(request_class=SingleSendRequest) as keeping_alive,
    ):
        sender = transport(keeping_alive, server.url)
        assert (await sender.send(request(method))).status == 200
        reply = await sender.send(request(method))
        assert reply.failure is Failure.DROPPED
        assert [arrived.connection for arrived in server.requests] == [1, 1]


@pytest.mark.parametrize("method", ["POST", "PUT", "GET"])
async def test_every_request_uses_a_new_connection(session: ClientSession, method: str) -> None:
    async with wire_server(fine) as server:
        sender = transport(session, server.url)
        for _ in range(3):
            assert (await sender.send(request(method))).status == 200
        assert [arrived.connection for arrived in server.requests] == [1, 2, 3]


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
async def test_no_redirect_is_followed(session: ClientSession, status: str) -> None:
    async def redirect(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(status=status, headers=f"Location: {other.url}/stolen"))

    async with wire_server(fine) as other, wire_server(redirect) as server:
        reply = await transport(session, server.url).send(request())
        assert reply.status == int(status[:3])
        assert other.requests == []


async def test_refused_connection_and_closed_session_are_not_connected(session: ClientSession) -> None:
    async with open_session() as closed:
        pass
    for opened in (session, closed):
        reply = await transport(opened, "http://127.0.0.1:1").send(request())
        assert reply == Reply(failure=Failure.NOT_CONNECTED)


async def test_untrusted_certificate_counts_as_not_connected(session: ClientSession, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*self_signed(tmp_path))
    async with wire_server(fine, tls=context) as server:
        reply = await transport(session, server.url.replace("http", "https")).send(request())
        assert reply.failure is Failure.NOT_CONNECTED
        assert server.requests == []


def writes(content: bytes, *, then_hangs: bool = False) -> Behaviour:
    async def behave(arrived: Arrived, writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()
        if then_hangs:
            await asyncio.Event().wait()
        writer.close()

    return behave


HUGE = b" " * (MAX_BODY + 1)
ENDS: list[tuple[Behaviour, dict[str, float], Failure | None]] = [
    (hang, {"read": 0.1}, Failure.TIMEOUT),
    (hang, {"total": 0.1}, Failure.TIMEOUT),
    (writes(answer(b"{}").replace(b"Length: 2", b"Length: 9"), then_hangs=True), {"read": 0.1}, Failure.TIMEOUT),
    (writes(b""), {}, Failure.DROPPED),
    (writes(b"HTTP/1.1 200 OK\r\nContent-Le"), {}, Failure.DROPPED),
    (writes(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}"), {}, Failure.DROPPED),
    (writes(b"SSH-2.0\r\n"), {}, Failure.DROPPED),
    (writes(answer(HUGE)), {}, Failure.OVERSIZE),
    (writes(answer(gzip.compress(HUGE), headers="Content-Encoding: gzip")), {}, Failure.OVERSIZE),
    (writes(answer(b"{}" + HUGE[3:])), {}, None),  # exactly the limit
]


@pytest.mark.parametrize(("behave", "seconds", "failure"), ENDS)
async def test_exchange_ends_in_a_known_outcome(
    session: ClientSession, behave: Behaviour, seconds: dict[str, float], failure: Failure | None
) -> None:
    async with wire_server(behave) as server:
        reply = await transport(session, server.url, **seconds).send(request())
    assert (reply.failure, reply.json) == (failure, NO_JSON if failure else {})
    assert len(server.requests) == 1


@pytest.mark.parametrize("seconds", [{"connect": 0.1}, {"total": 0.1}])
async def test_guard_runs_only_after_connecting(session: ClientSession, seconds: dict[str, float]) -> None:
    """A handshake may take seconds; what changed meanwhile must count."""
    asked: list[str] = []

    def guard() -> bool:
        asked.append("guard")
        return True

    async with wire_server(hang) as server:
        never_shakes_hands = transport(session, server.url.replace("http", "https"), **seconds)
        assert (await never_shakes_hands.send(request(), guard=guard)).failure is Failure.NOT_CONNECTED
        assert (server.connections, asked) == (1, [])
    async with wire_server(fine) as server:
        assert (await transport(session, server.url).send(request(), guard=guard)).status == 200
        assert asked == ["guard"]


async def test_cancelling_is_not_swallowed(session: ClientSession) -> None:
    async with wire_server(hang) as server:
        sending = asyncio.create_task(transport(session, server.url).send(request()))
        await server.arrived.wait()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending


async def test_a_session_of_another_kind_is_refused() -> None:
    async with wire_server(fine) as server, ClientSession() as plain_session:
        with pytest.raises(TypeError, match="open_session"):
            await transport(plain_session, server.url).send(request())
        assert server.requests == []


@pytest.mark.parametrize("behaviour", [fine, drop])
async def test_logs_hold_no_address_or_credentials(session: ClientSession, behaviour: object, caplog: Logged) -> None:
    caplog.set_level("DEBUG", "bot.clients.transport")
    secret = request(path="/payouts/s3cret?apikey=s3cret", body=b"s3cret")
    with structlog.testing.capture_logs() as logs:
        async with wire_server(behaviour) as server:  # type: ignore[arg-type]
            await transport(session, server.url).send(secret)
    assert len(logs) == 1
    assert logs[0]["operation"] == "payments.create_payout"
    assert not any(word in repr(logs) for word in ("s3cret", "127.0.0.1", "c2VjcmV0"))


def test_prepared_request_repr_hides_its_content() -> None:
    assert not any(word in repr(request(path="/s3cret", body=b"s3cret")) for word in ("s3cret", "c2VjcmV0"))


@pytest.mark.parametrize(
    "base_url", ["", "example.com", "ftp://example.com", "https://", "https://me:pw@example.com", "https://a.b/?x=1"]
)
async def test_invalid_base_address_is_an_operator_error(session: ClientSession, base_url: str) -> None:
    with pytest.raises(OperatorError, match="PAYMENTS_BASE_URL"):
        transport(session, base_url)


JSON = "application/json"


@pytest.mark.parametrize(("body", "content_type", "is_html", "parsed"), [
    (b'{"a": 0.1}', JSON, False, {"a": Decimal("0.1")}), (b'\xef\xbb\xbf{"a": 1}', "text/plain", False, {"a": 1}),
    (b"null", JSON, False, None), (b"", JSON, False, NO_JSON), (b"nope", "text/plain", False, NO_JSON),
    (b"<html></html>", JSON, True, NO_JSON), (b"  <!doctype html>", "", True, NO_JSON),
    (b'{"a": 1}', "text/html; charset=utf-8", True, NO_JSON), (b'{"a": NaN}', JSON, False, NO_JSON),
    (b'{"a": 1e999999}', JSON, False, NO_JSON), (b'{"a": ' + b"9" * 5000 + b"}", JSON, False, NO_JSON),
    (b"[" * 100_000, JSON, False, NO_JSON), (b'{"a": "\xff"}', JSON, False, NO_JSON),
])  # fmt: skip
def test_body_is_read_by_its_content(body: bytes, content_type: str, is_html: bool, parsed: object) -> None:
    reply = read_reply(status=200, headers={"Content-Type": content_type, "Set-Cookie": "x"}, body=body)
    assert reply.json == parsed
    assert reply.is_html is is_html
    assert "set-cookie" not in reply.headers


@given(st.binary(max_size=200), st.text(max_size=20))
def test_reading_a_body_is_total(body: bytes, content_type: str) -> None:
    reply = read_reply(status=200, headers={"content-type": content_type}, body=body)
    assert reply.json is not NO_JSON or reply.is_html or isinstance(reply.text, str)


@given(st.integers(min_value=1, max_value=10**14))
def test_amount_is_sent_with_exact_cents(cents: int) -> None:
    written = dump_json({"amount": decimal_of(cents)})
    assert written == f'{{"amount":{plain(cents)}}}'
    assert json.loads(written, parse_float=Decimal)["amount"] * 100 == cents


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_written_body_round_trips(value: object) -> None:
    assert json.loads(dump_json(value)) == value


@pytest.mark.parametrize("value", [1.5, {"a": [0.1]}, object(), Decimal("NaN"), b"x"])
def test_a_float_is_never_written(value: object) -> None:
    with pytest.raises(TypeError, match="no exact form"):
        dump_json(value)


def says(status: int) -> bytes:
    return answer(b"{}", status=f"{status} Said")


@pytest.mark.parametrize("status", [200, 302, 400, 401, 404, 409, 422, 429, 500, 501])
async def test_any_answer_of_the_service_closes_the_circuit(session: ClientSession, status: int) -> None:
    async with wire_server(says(status)) as service:
        sender = transport(session, service.url)
        for _ in range(IN_A_ROW):
            sender.circuit.silent(sender.circuit.mark())
        await sender.send(request())
    assert not sender.circuit.is_open


@pytest.mark.parametrize("behave", [hang, drop, says(502), says(503), says(504), None])
async def test_answers_of_proxies_open_the_circuit(session: ClientSession, behave: Behaviour | bytes | None) -> None:
    """None: nobody listens there."""
    async with wire_server(behave or b"") as service:
        sender = transport(session, service.url if behave else "http://127.0.0.1:1", total=0.2)
        for count in range(IN_A_ROW):
            assert sender.circuit.is_silent is False, count
            await sender.send(request())
    assert sender.circuit.is_silent


async def test_our_own_refusals_leave_the_circuit_closed(session: ClientSession) -> None:
    async with wire_server(fine) as service:
        sender = transport(session, service.url)
        for _ in range(IN_A_ROW):
            assert (await sender.send(request(), guard=lambda: False)).failure is Failure.NOT_SENT
    assert not sender.circuit.is_open


async def test_unanswered_effects_open_the_circuit_despite_answered_reads(session: ClientSession) -> None:
    async with wire_server(hang) as dead, wire_server(fine) as alive:
        sender = transport(session, dead.url, total=0.1)
        reader = Transport(session=session, base_url=alive.url, service="payments", circuit=sender.circuit)
        for _ in range(IN_A_ROW):
            await sender.send(request(), guard=lambda: True)
            await reader.send(request("GET", body=None))
    assert (sender.circuit.is_silent, sender.circuit.is_open) == (False, True)
