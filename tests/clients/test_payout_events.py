import base64
import datetime as dt
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.payments.wire import read_events
from bot.clients.routes_file import load_routes
from tests.clients.partner_server import JsonObject
from tests.clients.payments_calls import Bench

ROUTE = load_routes(None, environment="sandbox").use("payments", "payout_events")
TOKEN = base64.urlsafe_b64encode(secrets.token_bytes(32)).rstrip(b"=").decode()
ADDRESS = f"https://bot.example:8443/callbacks/payments/{TOKEN}"


def event(**changes: object) -> JsonObject:
    return {
        "operation_id": "op-1",
        "type": "confirmation_uri",
        "url": ADDRESS,
        "response_status": 200,
        "created_at": "2026-11-20T10:00:00.250Z",
        **changes,
    }


async def test_payout_event_hides_the_address_only(bench: Bench) -> None:
    first, second = await bench.told("events", {"data": [event(), event(response_status=None, attempt=2)]})
    assert first.at == dt.datetime(2026, 11, 20, 10, 0, 0, 250_000, tzinfo=dt.UTC)
    assert (first.kind, first.host, first.status) == ("confirmation_uri", "bot.example", "200")
    assert dict(first.rest) == {"operation_id": "op-1"}
    assert (second.status, dict(second.rest)["attempt"]) == ("", "2")
    assert TOKEN not in repr((first, second))


@pytest.mark.parametrize(("body", "count"), [
    ([event(), event()], 2), ([], 0), ({"data": [event()]}, 1), ({"events": [event()]}, 1),
    ({"data": {"events": [event(), event()]}}, 2),
    ({"data": event()}, 1), ({"data": [], "events": [event()]}, 1), ({"data": []}, 0),
    ({"events": [], "code": "OK"}, 0), (event(), 1), (event(code="our-code"), 1),
    ({"data": {}, "code": "EVENT_NOT_FOUND", "message": "None yet", "displayToUser": True}, 0),
    ({"code": "E404", "message": "None yet"}, 0),
    ({"code": 404, "message": "None yet", "status": 404}, 0),
    ({}, 0), (None, 0), (["delivered"], 1), ([{}, event(), None], 1), ({"attempts": 3}, 1),
])  # fmt: skip
async def test_lists_are_read_in_any_wrapping(bench: Bench, body: object, count: int) -> None:
    assert len(await bench.told("events", body)) == count


@pytest.mark.parametrize("hiding", [
    {"url": f"//bot.example/callbacks/payments/{TOKEN}"},
    {"uri": f"/callbacks/payments/{TOKEN}", "url": None},
    {"path": f"payments/{TOKEN}"}, {"note": f"sent to {ADDRESS}."},
    {"note": f"https%3A%2F%2Fbot.example%2Fcallbacks%2Fpayments%2F{TOKEN}"},
    {"payload": {"id": "op-1", "confirmation_uri": ADDRESS, "failure_uri": f"{ADDRESS}?x=1"}},
    {"request": f'{{"confirmation_uri":"{ADDRESS}"}}'},
    {"calls": [{"to": ADDRESS}, [ADDRESS]]}, {"callback_token": TOKEN},
    {"headers": {"Authorization": f"Bearer {TOKEN}", "X-Signature": TOKEN}},
    {"type": ADDRESS}, {"response_status": TOKEN}, {ADDRESS: "key"}, {"url": f"https://{TOKEN}.bot.example/"},
    {"url": "https://[bad"},
])  # fmt: skip
def test_token_never_leaks_to_lookalike_addresses(hiding: JsonObject) -> None:
    [found] = read_events([event() | hiding], route=ROUTE)
    assert TOKEN.casefold() not in repr(found).casefold()


@pytest.mark.parametrize(
    "name", ["Token", "secret", "password", "Authorization", "X-Signature", "apiKey", "api_key", "Cookie", "Set-Cookie"]
)
def test_fields_named_like_secrets_are_masked(name: str) -> None:
    [found] = read_events([{"type": "x", "headers": {name: "hush", "Accept": "all"}}], route=ROUTE)
    assert dict(found.rest) == {f"headers.{name}": "•••", "headers.Accept": "all"}


def test_event_record_is_bounded() -> None:
    deep: object = "bottom"
    for _ in range(50):
        deep = {"in": deep}
    [found] = read_events({"deep": deep, **{f"k{number}": "v" * 900 for number in range(90)}}, route=ROUTE)
    assert len(found.rest) == 40
    assert all(len(key) <= 500 and len(value) <= 500 for key, value in found.rest)


def test_kinds_of_values_are_shown_as_people_write_them() -> None:
    [found] = read_events(
        [{"type": "x", "ok": True, "failed": False, "n": 1, "none": None, "list": ["a", "b"]}], route=ROUTE
    )
    assert dict(found.rest) == {"ok": "yes", "failed": "no", "n": "1", "list.0": "a", "list.1": "b"}


SCALARS = st.none() | st.booleans() | st.integers() | st.decimals() | st.text() | st.just(ADDRESS) | st.just(TOKEN)
NAMES = st.sampled_from(["data", "events", "code", "type", "url", "created_at", "status", "x"]) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4))


@given(JSON)
def test_events_reader_returns_events_or_value_error_without_tokens(document: object) -> None:
    try:
        found = read_events(document, route=ROUTE)
    except ValueError:
        assert not isinstance(document, dict | list)
        return
    assert TOKEN not in repr(found)
    for one in found:
        one.model_dump_json()
