"""What a failed call means: sorted over a real server, because the library raises in many ways."""

import asyncio
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.reasons import Exchange, Reason
from bot.presentation.reasons import worded
from bot.slack.calls import call, until_answered
from bot.slack.people import who_we_are
from tests.slack.conftest import Api, client_of


async def post(client: AsyncWebClient) -> dict[str, Any]:
    return await call(client.chat_postMessage(channel="C1", text="x"))


async def test_slack_answer_is_returned(api: Api, web_client: AsyncWebClient) -> None:
    api.say("chat.postMessage", {"ok": True, "ts": "1.1"})
    assert (await post(web_client))["ts"] == "1.1"


def no(error: str) -> dict[str, Any]:
    return {"ok": False, "error": error}


REFUSED = ("channel_not_found", "not_in_channel", "invalid_auth", "invalid_blocks", "nobody_knows")
FAULTS = ("fatal_error", "internal_error", "request_timeout", "service_unavailable")
NO_ANSWERS = [("", 500), *((body, 200) for body in ("<html>Please log in</html>", "", "not json", '{"ok": fal', "[]"))]
WAITS = (("7", 7.0), ("0", 0.0), ("1.5", 1.5), ("soon", 1.0), ("", 1.0), ("-5", 0.0), (None, 1.0))
Body = dict[str, Any] | str
Trouble = type[ServiceTrouble]
ANSWERS: list[tuple[Body, int, str | None, Trouble, object]] = [
    *[(no(error), 200, None, ServiceNever, error) for error in REFUSED],  # it was not done
    *[(no(error), 200, None, OutcomeUnknown, None) for error in FAULTS],  # Slack's own fault may have been done
    *[(no("ratelimited"), 429, header, ServiceNow, seconds) for header, seconds in WAITS],
    *[(no(error), 200, None, ServiceNow, 1.0) for error in ("ratelimited", "rate_limited")],
    ("<html>Bad gateway</html>", 502, None, OutcomeUnknown, None),
    *[(body, status, None, OutcomeUnknown, None) for body, status in NO_ANSWERS],
    # A server error may have been done, whatever its body says.
    *[(no("not_in_channel"), status, None, OutcomeUnknown, None) for status in (500, 502, 503, 504)],
    ({"ok": False}, 503, None, OutcomeUnknown, None),
]


@pytest.mark.parametrize(("body", "status", "retry_after", "kind", "detail"), ANSWERS)
async def test_answer_shows_whether_the_call_was_done(
    api: Api,
    web_client: AsyncWebClient,
    body: Body,
    status: int,
    retry_after: str | None,
    kind: Trouble,
    detail: object,
) -> None:
    more = {} if retry_after is None else {"Retry_After": retry_after}
    api.say("chat.postMessage", body, status=status, **more)
    with pytest.raises(kind) as failed:
        await post(web_client)
    assert type(failed.value) is kind
    assert not any(word in str(failed.value) for word in ("xoxb", "127.0.0.1"))
    if isinstance(failed.value, ServiceNever):
        assert failed.value.error == detail
    if isinstance(failed.value, ServiceNow):
        assert failed.value.retry_after == detail


async def test_broken_exchange_is_unknown_and_not_repeated(api: Api, web_client: AsyncWebClient) -> None:
    sent = asyncio.Event()

    async def drop(_: dict[str, Any]) -> web.StreamResponse:
        sent.set()
        raise asyncio.CancelledError  # aiohttp closes the connection without a word

    api.answers["chat.postMessage"] = drop
    with pytest.raises(OutcomeUnknown):
        await post(web_client)
    assert sent.is_set()
    assert api.asked("chat.postMessage") == 1


async def test_no_answer_in_time_may_have_been_done(api: Api) -> None:
    gate = asyncio.Event()

    async def hang(_: dict[str, Any]) -> web.StreamResponse:
        await gate.wait()
        return web.json_response({"ok": True})

    api.answers["chat.postMessage"] = hang
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=0.5)) as session:
        client = client_of(api.url, session)
        with pytest.raises(OutcomeUnknown):
            await post(client)
    gate.set()


async def test_unreachable_service_executes_nothing() -> None:
    async with aiohttp.ClientSession() as session:
        client = AsyncWebClient(token="x", base_url="http://127.0.0.1:1/api/", session=session, retry_handlers=[])
        with pytest.raises(ServiceNow) as away:
            await post(client)
    assert worded(away.value.reason) == "can't be reached"


async def test_identity_comes_with_scopes(api: Api, web_client: AsyncWebClient) -> None:
    home = {"team_id": "T1", "team": "Home", "bot_id": "B1", "user_id": "U1"}
    api.say("auth.test", {"ok": True, **home}, x_oauth_scopes="chat:write, users:read,")
    api.say("bots.info", {"ok": True, "bot": {"id": "B1", "app_id": "A1"}})
    found = await who_we_are(web_client)
    assert (found.team_id, found.team, found.bot_id, found.bot_user_id) == ("T1", "Home", "B1", "U1")
    assert (found.app_id, set(found.scopes)) == ("A1", {"chat:write", "users:read"})
    api.say("bots.info", no("missing_scope"))
    assert (await who_we_are(web_client)).app_id == ""
    api.say("auth.test", no("invalid_auth"))
    with pytest.raises(ServiceNever, match="invalid_auth"):
        await who_we_are(web_client)


async def waits(*failures: ServiceTrouble) -> list[float]:
    """The pauses between tries that fail like this, before one that does not."""
    left, slept = list(failures), list[float]()

    async def ask() -> str:
        if left:
            raise left.pop(0)
        return "in"

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    assert await until_answered(ask, setting="SLACK_BOT_TOKEN", sleep=sleep) == "in"
    return slept


async def test_slack_retries_double_their_wait_up_to_15_seconds() -> None:
    assert await waits(*[ServiceNow("Slack", Reason(Exchange.SLACK_UNREACHABLE))] * 7) == [0.5, 1, 2, 4, 8, 15, 15]
    broke = OutcomeUnknown("Slack", Reason(Exchange.SLACK_BROKE, error="TimeoutError"))
    refused = ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="fatal"))
    assert await waits(broke, refused) == [0.5, 1]


async def test_slack_retry_waits_at_least_retry_after() -> None:
    asked = [ServiceNow("Slack", Reason(Exchange.SLACK_WAIT), retry_after=seconds) for seconds in (30.0, 0.1)]
    assert await waits(*asked) == [30, 1]


@pytest.mark.parametrize("error", [
    "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type",
    "missing_scope", "no_permission",
])  # fmt: skip
async def test_a_token_that_no_retry_can_cure_is_the_operators_matter(error: str) -> None:
    with pytest.raises(OperatorError) as refused:
        await waits(ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error=error)))
    assert "SLACK_BOT_TOKEN" in str(refused.value)
    assert error in str(refused.value)
