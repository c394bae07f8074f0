"""The one door: whatever a service says, no secret of ours gets past the transport."""

import json

import pytest
from aiohttp import ClientSession
from pydantic import SecretStr

from bot.clients.delivery import DeliveryClient
from bot.clients.results import Results, open_result_session
from bot.clients.routes_file import load_routes
from bot.clients.transport import PreparedRequest, Transport
from bot.domain.outcome import NO_JSON, Reply
from bot.domain.text import Secrets
from tests.clients.localization.conftest import Kept
from tests.clients.wire_server import answer, wire_server

OTHERS = "an/other+services=key"
"""A secret that this service never got."""
REQUEST = PreparedRequest(operation="s.ask", method="GET", path="/", headers={})


async def told(
    session: ClientSession, body: bytes, *, request: PreparedRequest = REQUEST, secrets: Secrets | None = None
) -> Reply:
    async with wire_server(answer(body)) as server:
        transport = Transport(session=session, base_url=server.url, service="s", secrets=secrets or Secrets([OTHERS]))
        return await transport.send(request)


@pytest.mark.parametrize(
    "quoted",
    [
        OTHERS,
        "an%2Fother%2Bservices%3Dkey",
        "an%2fother%2bservices%3dkey",
        "YW4vb3RoZXIrc2VydmljZXM9a2V5",
        "eDp5OmFuL290aGVyK3NlcnZpY2VzPWtleQ==",  # x:y: in front
    ],
)
async def test_successful_answer_is_returned_without_secrets(session: ClientSession, quoted: str) -> None:
    body = {"status": f"see {quoted}", "in": [{"deep": [quoted, 5, None]}], quoted: True}
    found = (await told(session, json.dumps(body).encode())).json
    assert isinstance(found, dict)
    assert quoted not in str(found)
    assert str(found["status"]).startswith("see ")
    assert "[hidden]" in str(found["status"])
    assert found["in"][0]["deep"][1:] == [5, None]
    assert "[hidden]" in found or "[hidden]" in str(list(found))


async def test_slashes_may_be_escaped(session: ClientSession) -> None:
    """As PHP writes JSON; a text that is no JSON keeps the backslashes."""
    reply = await told(session, rb"no JSON: an\/other+services=key")
    assert (reply.json, reply.text) == (NO_JSON, "no JSON: [hidden]")


async def test_truncated_secret_is_removed_too(session: ClientSession) -> None:
    reply = await told(session, b"x" * 1_990 + OTHERS.encode())
    assert reply.text == "x" * 1_990 + "[hidden]"
    assert (await told(session, b"x" * 1_995 + OTHERS.encode())).text == "x" * 1_995 + "[hidd"


async def test_secrets_sent_with_a_request_are_redacted_afterwards(session: ClientSession) -> None:
    secrets, key = Secrets(), "key-of-a-store"
    request = PreparedRequest(operation="s.ask", method="GET", path="/", headers={"Authorization": f"Bearer {key}"})
    assert (await told(session, b'{"a": "key-of-a-store"}', secrets=secrets)).json == {"a": key}
    assert (await told(session, b'{"a": "key-of-a-store"}', request=request, secrets=secrets)).json == {"a": "[hidden]"}
    assert (await told(session, b'{"a": "key-of-a-store"}', secrets=secrets)).json == {"a": "[hidden]"}


async def test_key_of_a_new_store_becomes_a_secret(session: ClientSession) -> None:
    body, secrets = b'[{"address": "at brand-new-key", "name": "Centro", "token": "brand-new-key"}]', Secrets()
    async with wire_server(answer(body)) as server:
        client = DeliveryClient(
            routes=load_routes(None, environment="sandbox"),
            transport=Transport(session=session, base_url=server.url, service="delivery", secrets=secrets),
            master_key=SecretStr("master-key"),
        )
        [store] = await client.list_stores()
        assert store.key == SecretStr("brand-new-key")
        assert store.address == "at [hidden]"
        again = await client.get_store(key=SecretStr("another-key"))
    assert again.key == SecretStr("[hidden]")
    assert again.address == "at [hidden]"


async def test_the_name_of_a_file_is_without_it(session: ClientSession) -> None:
    named = 'attachment; filename="{}.csv"'
    content = answer(b"x", headers=f"Content-Type: text/csv\r\nContent-Disposition: {named.format('an-other-key')}")
    async with wire_server(content) as server:
        transport = Transport(session=session, base_url=server.url, service="s", secrets=Secrets(["an-other-key"]))
        reply = await transport.send(REQUEST, sink=Kept())
    assert reply.headers["content-disposition"] == named.format("[hidden]")


async def test_the_name_of_a_result_is_without_it() -> None:
    headers = 'Content-Type: text/csv\r\nContent-Disposition: attachment; filename="an-other-key.csv"'
    async with wire_server(answer(b"x", headers=headers)) as server, open_result_session(["127.0.0.1"]) as session:
        results = Results(session=session, own=["127.0.0.1"], secrets=Secrets(["an-other-key"]))
        async with results.open(f"{server.url}/x", service="email", limit=10) as result:
            assert result.name == "[hidden].csv"


@pytest.mark.parametrize(("body", "kept"), [
    (r'{"a": "s\u0065cret-1"}', '{"a": "[hidden]"}'),
    (r'{"s\u0065cret-1": 1, "n": "\u00e9"}', r'{"[hidden]": 1, "n": "\u00e9"}'),
    (r'{"a": "\u00e9"}', r'{"a": "\u00e9"}'), ("secret-1", "[hidden]"),
    (r'no JSON \u secret-1', r'no JSON \u [hidden]'), (r'["\n", 1234567]', r'["\n", [hidden]]'),
    ("[" * 100_000 + r'"\n secret-1"', "[" * 100_000 + r'"\n [hidden]"'),
])  # fmt: skip
def test_stored_body_hides_secrets_even_escaped_in_json(body: str, kept: str) -> None:
    assert Secrets(["secret-1", "1234567"]).hidden_body(body) == kept


@pytest.mark.parametrize(("value", "said"), [("s3cret", "at [hidden]"), ("s3cre", "at s3cre")])
def test_a_secret_has_six_characters_at_least(value: str, said: str) -> None:
    assert Secrets([value]).hidden(f"at {value}") == said
