"""The e-mail client against its simulator and against servers that say anything."""

import base64
import json
import logging
from collections.abc import AsyncIterator, Callable
from urllib.parse import quote

import pytest
from aiohttp import TCPConnector, web
from pydantic import SecretStr

from bot.clients.emails import EmailsClient
from bot.clients.emails.client import Quick
from bot.clients.emails.wire import read_file_answer
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, bare_session, open_session, read_reply
from bot.domain.emails.lists import Answer, Busy, Denied, Dropped, Outcome, Receipt, Returned, ReturnedRows
from bot.domain.errors import OperatorError
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.reasons import Reason
from bot.domain.text import Secrets
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.emails import EmailsSimulator, FileShape, Shape
from tests.clients.partner_server import Call, Partner, page_of_a_proxy, said
from tests.support.fixtures import Logged

KEY = "k3y/+ with=ä &secret"
CSV = b"name,email\r\nAna,ana@example.com\r\nBo,bounce@example.com\r\n"

Open = Callable[[str, str], EmailsClient]


@pytest.fixture
async def simulator() -> AsyncIterator[EmailsSimulator]:
    async with EmailsSimulator(api_key=KEY) as running:
        yield running


@pytest.fixture
async def open_client() -> AsyncIterator[Open]:
    async with bare_session(TCPConnector(limit=1_000)) as quick, open_session() as session:

        def build(single: str, bulk: str) -> EmailsClient:
            secrets = Secrets([KEY])
            return EmailsClient(
                routes=load_routes(None, environment="production"),
                single=Quick(session=quick, base_url=single, total=1.5, secrets=secrets),
                bulk=Transport(session=session, base_url=bulk, service="email_bulk", total=1.5, secrets=secrets),
                api_key=SecretStr(KEY),
                secrets=secrets,
            )

        yield build


@pytest.fixture
def client(simulator: EmailsSimulator, open_client: Open) -> EmailsClient:
    return open_client(simulator.single_url, simulator.bulk_url)


async def test_address_that_is_not_configured_is_named() -> None:
    routes, key = load_routes(None, environment="production"), SecretStr(KEY)
    without = EmailsClient(routes=routes, single=None, bulk=None, api_key=key, secrets=Secrets())
    with pytest.raises(OperatorError) as refused:
        await without.check("ana@example.com")
    assert refused.value.mend == "set EMAIL_SINGLE_BASE_URL"
    with pytest.raises(OperatorError) as refused:
        await without.process_file(CSV, column=1, name="people.csv")
    assert refused.value.mend == "set EMAIL_BULK_BASE_URL"


async def test_file_answer_keeps_name_and_order(client: EmailsClient, simulator: EmailsSimulator) -> None:
    for shape, name in ((FileShape.CSV, "result.csv"), (FileShape.ATTACHMENT, "processed.csv")):
        simulator.manners.file_shape = shape
        answer = await client.process_file(CSV, column=1, name="result.csv")
        assert isinstance(answer, Returned)
        assert answer.name == name
    simulator.manners.file_shape = FileShape.ARRAY
    answer = await client.process_file(CSV, column=1, name="result.csv")
    assert isinstance(answer, ReturnedRows)
    assert (answer.header, answer.rows[1][:2]) == (
        ("email", "result", "score"),
        ("bounce@example.com", "undeliverable"),
    )


@pytest.mark.parametrize("shape", Shape)
async def test_every_shape_can_be_shown(client: EmailsClient, simulator: EmailsSimulator, shape: Shape) -> None:
    simulator.manners.shape = shape
    answer = await client.check("bounce@example.com")
    assert isinstance(answer, Answer)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.result == ("" if shape is Shape.CSV else "undeliverable")
    assert "undeliverable" in answer.text or "undeliverable" in [value for _, value in answer.pairs]


@pytest.mark.parametrize("address", [
    "ana+news@example.com", '"ana maria"@example.com', "o'hara@example.com", "ana@españa.example", "用户@例子.广告",
    "a&b=c#d?e%41@example.com", "ana/../b@example.com",
])  # fmt: skip
async def test_address_is_sent_unchanged(client: EmailsClient, simulator: EmailsSimulator, address: str) -> None:
    assert isinstance(await client.check(address), Answer)
    assert dict(simulator.asked) == {address: 1}


async def test_email_requests_match_the_interface(open_client: Open, partner: Partner) -> None:
    partner.answer = lambda _: web.json_response({"status": "ok"})
    client = open_client(partner.url, partner.url)
    await client.check("ana+x@example.com")
    await client.process_file(CSV, column=1, name="people.csv")
    single, bulk = partner.calls
    assert (single.method, single.path.partition("?")[0], single.raw) == ("GET", "/", b"")
    assert single.query == {"email": "ana+x@example.com", "apikey": KEY}
    assert (bulk.method, bulk.path, bulk.query) == ("POST", "/", {})
    kind, _, boundary = bulk.headers["content-type"].partition("; boundary=")
    assert kind == "multipart/form-data"
    parts = [part.strip(b"\r\n").partition(b"\r\n\r\n") for part in bulk.raw.split(b"--" + boundary.encode())[1:-1]]
    sent = {head.partition(b'name="')[2].partition(b'"')[0].decode(): value for head, _, value in parts}
    assert sent == {"apikey": KEY.encode(), "email-header-index": b"1", "file": CSV.strip()}
    for call in partner.calls:
        assert not {"authorization", "apikey", "x-api-key"} & set(call.headers)
        assert KEY not in str(call.headers)


FAULTS = [  # what becomes of one address, and of a file
    (FaultKind.TOO_MANY, Busy, NotExecuted), (FaultKind.ERROR_500, Dropped, Unknown),
    (FaultKind.GARBAGE, Dropped, Unknown), (FaultKind.LOST, Dropped, Unknown), (FaultKind.REFUSED, Answer, NotExecuted),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "of_an_address", "of_a_file"), FAULTS)
async def test_connection_fault_has_its_outcome(
    client: EmailsClient, simulator: EmailsSimulator, kind: FaultKind, of_an_address: type, of_a_file: type
) -> None:
    simulator.faults.arm(Fault(kind, "check", times=2 if kind is not FaultKind.REFUSED else 1))
    checked = await client.check("ana@example.com")
    simulator.faults.arm(Fault(kind, "process_file"))
    processed = await client.process_file(CSV, column=1, name="result.csv")
    assert (type(checked), type(processed)) == (of_an_address, of_a_file)
    if isinstance(checked, Answer):
        assert checked.outcome is Outcome.REFUSED
    if isinstance(checked, Busy):
        assert checked.retry_after == 1.0
    if isinstance(processed, Unknown):
        status = {FaultKind.ERROR_500: 500, FaultKind.GARBAGE: 200, FaultKind.LOST: None}[kind]
        assert (processed.status, type(processed.reason)) == (status, Reason)
    if isinstance(processed, NotExecuted):
        assert (processed.again, processed.retry_after) == (
            (True, 1.0) if kind is FaultKind.TOO_MANY else (False, None)
        )


async def test_timeout_is_never_a_verdict(client: EmailsClient, simulator: EmailsSimulator) -> None:
    simulator.manners.latency = 5
    answer = await client.check("ana@example.com")
    assert isinstance(answer, Answer)
    assert (answer.outcome, answer.result) == (Outcome.NO_ANSWER, "")


@pytest.mark.parametrize(("status", "certain"), [(401, True), (402, True), (403, False)])
async def test_account_errors_are_not_a_verdict(
    open_client: Open, partner: Partner, status: int, certain: bool
) -> None:
    partner.answer = lambda _: said({"error": "no"}, status)
    client = open_client(partner.url, partner.url)
    denied = await client.check("ana@example.com")
    assert isinstance(denied, Denied)
    assert (denied.certain, denied.error.words) == (certain, "no")
    with pytest.raises(OperatorError) as refused:
        await client.process_file(CSV, column=1, name="result.csv")
    assert status != 402 or refused.value.mend == "top up the account of EMAIL_API_KEY"


@pytest.mark.parametrize("answer", [said({"error": "no"}, 407), page_of_a_proxy(403)])
async def test_refusal_of_a_proxy_is_the_operators_matter(
    open_client: Open, partner: Partner, answer: web.Response
) -> None:
    partner.answer = lambda _: answer
    with pytest.raises(OperatorError):
        await open_client(partner.url, partner.url).check("ana@example.com")


async def test_a_refused_route_names_the_address_of_its_setting(open_client: Open, partner: Partner) -> None:
    partner.answer = lambda _: web.json_response({"error": "no such route"}, status=405)
    client = open_client(partner.url, partner.url)
    with pytest.raises(OperatorError) as refused:
        await client.check("ana@example.com")
    assert refused.value.mend == "check EMAIL_SINGLE_BASE_URL and the routes of the service"
    with pytest.raises(OperatorError) as refused:
        await client.process_file(CSV, column=1, name="result.csv")
    assert refused.value.mend == "check EMAIL_BULK_BASE_URL and the routes of the service"


def spellings(secret: str) -> list[str]:
    encoded = secret.encode()
    quoted = quote(secret, safe="")
    based = [base64.b64encode(encoded).decode(), base64.urlsafe_b64encode(encoded).decode()]
    return [secret, quoted, quote(secret), quoted.lower(), json.dumps(secret)[1:-1], repr(encoded)[2:-1], *based]


@pytest.mark.parametrize("written", spellings(KEY))
async def test_a_key_sent_back_is_not_shown(open_client: Open, partner: Partner, written: str, caplog: Logged) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(call: Call) -> web.Response:
        answers = {
            "json": web.json_response({"status": "ok", "request": f"?apikey={written}", written: written}),
            "text": web.Response(text=f"invalid key {written}"),
            "list": web.json_response([{"email": "a", "key": written}]),
            "rows": web.json_response([{"email": "a", "url": f"https://x.example/?k={written}"}, {"email": "b"}]),
            "csv": web.Response(text=f"email,key\n,{written}\n", content_type="text/csv"),
            "refused": web.json_response({"error": f"apikey {written} is unknown"}, status=422),
        }
        return answers[call.path.split("/")[1]]

    partner.answer = echo
    for kind in ("json", "text", "list", "rows", "csv", "refused"):
        client = open_client(f"{partner.url}/{kind}", f"{partner.url}/{kind}")
        for shown in (await client.check("ana@example.com"), await client.process_file(CSV, column=1, name="r.csv")):
            content = f"{getattr(shown, 'content', b'').decode()}{getattr(shown, 'rows', '')}"
            assert all(spelling not in f"{shown!r}{content}" for spelling in spellings(KEY)), shown
            assert "hidden" in f"{shown!r}{content}"
    ours = [record.getMessage() for record in caplog.records if record.name != "aiohttp.access"]
    assert all(spelling not in "\n".join(ours) for spelling in spellings(KEY))


@pytest.mark.parametrize("base", ["http://127.0.0.1:1", "http://no-such-host.invalid", "http://127.0.0.1:9"])
async def test_no_failure_holds_the_key(open_client: Open, base: str, caplog: Logged) -> None:
    caplog.set_level(logging.DEBUG)
    client = open_client(base, base)
    shown = [await client.check("ana@example.com"), await client.process_file(CSV, column=1, name="r.csv")]
    assert isinstance(shown[0], Dropped | Answer)
    assert all(spelling not in f"{shown!r} {caplog.text}" for spelling in spellings(KEY))


@pytest.mark.parametrize(("body", "content_type", "text"), [
    ("", "text/plain", ""), ("null", "application/json", ""), ("true", "application/json", "true"),
    ("3.10", "application/json", "3.10"), ('"valid"', "application/json", "valid"),
    ("x" * 1_999, "text/plain", "x" * 1_999),
    ("x" * 3_000, "text/plain", "x" * 2_000 + "… (the beginning of 3,000 bytes)"),
    (f'"{"x" * 32_001}"', "application/json", "x" * 32_000 + "… (cut: 32,001 characters)"),
    ("bad\x00byte", "text/plain", "bad\ufffdbyte"),
])  # fmt: skip
async def test_plain_answers_are_kept_unchanged(
    open_client: Open, partner: Partner, body: str, content_type: str, text: str
) -> None:
    partner.answer = lambda _: web.Response(text=body, content_type=content_type)
    answer = await open_client(partner.url, partner.url).check("ana@example.com")
    assert isinstance(answer, Answer)
    assert answer.text == text


async def pairs(open_client: Open, partner: Partner, document: object) -> dict[str, str]:
    partner.answer = lambda _: said(document)
    answer = await open_client(partner.url, partner.url).check("ana@example.com")
    assert isinstance(answer, Answer)
    assert len(dict(answer.pairs)) == len(answer.pairs)
    return dict(answer.pairs)


async def test_truncated_answers_say_what_is_left_out(open_client: Open, partner: Partner) -> None:
    deep: object = "end"
    for _ in range(50):
        deep = {"in": deep}
    wide = {f"field {n}": n for n in range(498)}
    found = await pairs(open_client, partner, {"deep": deep, **wide, "state": "valid"})
    assert (len(found), found["state"], "left out" in found) == (500, "valid", False)
    assert found[f"deep{'.in' * 8}"].startswith('{"in": {"in"')
    found = await pairs(open_client, partner, {"deep": deep, **wide, "state": "valid", "more": 1, "last": 2})
    assert (len(found), found["left out"]) == (501, "2 more fields")


async def test_nested_and_equal_names_become_separate_fields(open_client: Open, partner: Partner) -> None:
    document = {"mx": [{"host": "a", "ttl": 1}, {"host": "b"}], "a.b": 1, "a": {"b": 2}, "tags": ["x", "y"]}
    found = await pairs(open_client, partner, document)
    assert found == {"mx.1.host": "a", "mx.1.ttl": "1", "mx.2.host": "b", "a.b": "1", "a.b'": "2", "tags": "x; y"}
    assert await pairs(open_client, partner, [{"e": 1}, {"e": 2}]) == {"1.e": "1", "2.e": "2"}


# Answers about a whole file, as they come.


def read(body: bytes, content_type: str = "application/json") -> object:
    reply = read_reply(status=200, headers={"content-type": content_type}, body=body)
    return read_file_answer(reply, body, receipt=("id",), result=("state",), name="result.csv")


@pytest.mark.parametrize(("number", "is_receipt"), [
    ("17", True), (17, True), ("", False), ("  ", False),
    (True, False), (None, False), (["17"], False), ({"a": "17"}, False), (1.5, False),
])  # fmt: skip
def test_receipt_is_a_number_or_nonempty_text(number: object, is_receipt: bool) -> None:
    assert (type(read(json.dumps({"id": number, "state": "done"}).encode())) is Receipt) is is_receipt


def test_cut_values_are_marked() -> None:
    found = read(json.dumps({"id": "n" * 501, "note": "m" * 32_000, "more": "m" * 32_001}).encode())
    assert isinstance(found, Receipt)
    kept = dict(found.pairs)
    assert (found.id, kept["id"]) == ("n" * 500 + "… (cut: 501 characters)", "n" * 501)
    assert (kept["note"], kept["more"]) == ("m" * 32_000, "m" * 32_000 + "… (cut: 32,001 characters)")


def test_answer_lines_with_separators_are_a_table() -> None:
    assert type(read(b"email;state\na@example.com;valid", "text/plain")) is Returned
    assert type(read(b"Thank you\nThe result comes by mail", "text/plain")) is Answer
