"""No line holds a secret, at any level, from whatever library, in whatever spelling."""

import base64
import json
import logging
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest
import structlog
from aiohttp.http_exceptions import BadHttpMessage
from aiohttp.web import RequestPayloadError
from hypothesis import given
from hypothesis import strategies as st

from bot.logs import Redaction, configure_logs
from tests.support.log_state import kept_logging

SECRET = "s3nt/nel+with=signs&quotes'\"\\ünd"


@pytest.fixture(autouse=True)
def _kept() -> Iterator[None]:
    with kept_logging():
        yield


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET,
        repr(SECRET),
        json.dumps(SECRET),
        json.dumps({"token": SECRET}, ensure_ascii=False),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        base64.urlsafe_b64encode(SECRET.encode()).decode(),
        *[base64.b64encode(f"{user}:{SECRET}".encode()).decode() for user in ("partner", "partners", "partner-1")],
    ],
)
def test_known_secret_is_hidden_in_any_encoding(spelling: str) -> None:
    assert_hidden(f"before {spelling} after", Redaction([SECRET])(f"before {spelling} after"))


def assert_hidden(given: str, shown: str) -> None:
    assert "[hidden]" in shown
    assert len(shown) < len(given)
    for piece in ("s3nt", "nel+", "nel%2B", "signs"):
        assert piece not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@given(
    secret=st.text(st.characters(codec="utf-8"), min_size=8, max_size=40),
    before=st.binary(max_size=20),
    after=st.binary(max_size=20),
)
def test_no_third_of_a_secret_survives_in_base64(secret: str, before: bytes, after: bytes) -> None:
    line = base64.b64encode(before + secret.encode() + after).decode()
    shown = Redaction([secret])(line)
    core = base64.b64encode(bytes(len(before) % 3) + secret.encode()).decode()[4:-4]
    assert core not in shown


@pytest.mark.parametrize(
    "line",
    [
        "token=xoxb-123-abc-SENTINEL",
        "token xoxe.xoxb-1-SENTINEL",
        "app xapp-1-A0-SENTINEL",
        "Authorization: Bearer SENTINEL.x",
        "{'Authorization': 'Basic U0VOVElORUw='}",
        "GET /bulk?apikey=SENTINEL&x=1",
        "POST /callbacks/payments/SENTINEL HTTP/1.1",
        "confirmation_uri=https%3A%2F%2Fbot%2Fcallbacks%2Fpayments%2FSENTINEL&x=1",
        '{"response_url": "https://hooks.slack.com/commands/T/1/SENTINEL"}',
        "response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT%2F1%2FSENTINEL&team=1",
        "http://127.0.0.1:4000/commands/T0HOME/1/SENTINEL",
        "{'response_url': 'http://slack.test/anything/SENTINEL', 'a': 1}",
        r"{\"response_url\": \"http://slack.test/anything/SENTINEL\", \"a\": 1}",
        "wss://wss-primary.slack.com/link/?ticket=SENTINEL&app_id=1",
    ],
)
def test_secret_shaped_values_are_hidden(line: str) -> None:
    shown = Redaction([])(line)
    assert "SENTINEL" not in shown
    assert "U0VOVElORUw" not in shown
    assert "[hidden]" in shown


@pytest.mark.parametrize(
    "line", ["P-4F7K2M is completed", "http://127.0.0.1:3000/readyz", "payments.create_payout 200", "a1: 5, b: 1.5"]
)
def test_other_log_values_are_unchanged(line: str) -> None:
    assert Redaction([SECRET, "", "short", "a", "1"])(line) == line


def fail() -> None:
    raise ValueError(f"https://service/?key={SECRET}")


@pytest.mark.parametrize("as_json", [False, True])
def test_every_library_speaks_through_the_same_filter(as_json: bool, capfd: pytest.CaptureFixture[str]) -> None:
    configure_logs(as_json=as_json, secrets=[SECRET], level=logging.DEBUG)
    foreign = logging.getLogger("some.library")
    foreign.debug("headers %s", {"Authorization": SECRET})
    foreign.warning("url", extra={"address": SECRET}, stack_info=True)
    try:
        fail()
    except ValueError:
        foreign.exception("it failed")
        structlog.get_logger("ours").exception("ours too", token=SECRET)
    structlog.get_logger("ours").debug("bytes", body=SECRET.encode())
    shown = capfd.readouterr().out
    assert shown.count("[hidden]") >= 4
    assert not [piece for piece in ("s3nt", "signs") if piece in shown]
    assert "Traceback" in shown
    if as_json:
        events = [json.loads(line) for line in shown.splitlines()]
        assert [event["event"] for event in events if event["logger"] == "ours"] == ["ours too", "bytes"]
        assert all({"level", "timestamp"} <= set(event) for event in events)


def test_libraries_that_print_bodies_speak_only_of_trouble(capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # configured twice it speaks once
        configure_logs(as_json=False, secrets=[])
    for name in ("slack_sdk.web", "slack_bolt.AsyncApp", "aiohttp.access", "aiosqlite", "apscheduler.scheduler"):
        logging.getLogger(name).info("a body")
    logging.getLogger("x").warning("once")
    shown = capfd.readouterr().out
    assert ("a body" in shown, shown.count("once")) == (False, 1)


def test_non_http_bytes_are_not_logged(capfd: pytest.CaptureFixture[str]) -> None:
    configure_logs(as_json=False, secrets=[], level=logging.DEBUG)
    server = logging.getLogger("aiohttp.server")
    server.error("Error handling request", exc_info=BadHttpMessage("POST /callbacks\x7fpayments SENTINEL"))
    server.error("Unhandled exception", exc_info=RequestPayloadError("SENTINEL"))
    assert "SENTINEL" not in capfd.readouterr().out
    server.error("a fault of ours", exc_info=ZeroDivisionError("really"))
    assert "really" in capfd.readouterr().out
