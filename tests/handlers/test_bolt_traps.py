"""Bolt's traps, closed and held: the word "payload", lost acks, calls and sessions per request, listeners tried."""

import asyncio
import logging
from typing import Any
from urllib.parse import urlencode

import pytest
from structlog.testing import capture_logs

from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import Kind
from bot.domain.reasons import Exchange, Reason
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Ack
from bot.presentation.blocks.text import message
from bot.presentation.payments import forms
from handlers import bolt
from handlers.replies import Nothing, Open, Private, Reply
from storage.errors import CommitUnknown, StorageBusy, StorageError
from tests.handlers.played import KINDS, Played, boom, replies
from tests.support.posting import post
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.workflows.looking import ephemerals, heard, requests, votes


async def told(rig: Rig, kind: str, ack: Ack, words: str) -> str:
    """What the person reads: in the form, or privately."""
    return str(ack.body["view"]["blocks"][0]["text"]["text"]) if kind == "form" else await heard(rig, MARIA, words)


AGAIN = "Nothing was done. Try again in a moment."


@pytest.mark.parametrize("kind", KINDS)
async def test_exception_becomes_a_metric(played: Played, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    rig, behaviours = played

    async def fails() -> Reply:
        raise RuntimeError("a secret in the message")

    behaviours["boom"] = fails
    ack = await boom(rig, kind)
    assert ack.status == 200
    if kind == "event":
        return
    said = await told(rig, kind, ack, "Something went wrong")
    assert said.split("`")[1] in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (ServiceNow("Slack", Reason(Exchange.SLACK_NOBODY)), f":warning: Slack couldn't say who you are. {AGAIN}"),
        (StorageBusy("locked"), f":warning: The database is busy. {AGAIN}"),
        (
            CommitUnknown("broken"),
            ":grey_question: We can't tell whether this was saved. Check the card or `/pay approvals` before you "
            "repeat it.",
        ),
    ],
)
async def test_each_trouble_is_answered_as_known(played: Played, kind: str, trouble: Exception, said: str) -> None:
    rig, behaviours = played

    async def troubled() -> Reply:
        raise trouble

    behaviours["boom"] = troubled
    ack = await boom(rig, kind)
    # Slack sends an event again that was not acknowledged, and nothing else.
    assert ack.status == (503 if kind == "event" and isinstance(trouble, StorageError) else 200)
    if kind != "event":
        assert await told(rig, kind, ack, said) == said


@pytest.mark.rig(around={"handler_total": 0.3})
@pytest.mark.parametrize("kind", KINDS)
async def test_slow_handler_is_acknowledged_in_time(played: Played, kind: str) -> None:
    rig, behaviours = played

    async def slow() -> Reply:
        await asyncio.Event().wait()
        return Nothing()

    behaviours["boom"] = slow
    ack = await boom(rig, kind)
    assert ack.status == (503 if kind == "event" else 200)  # although the handler never ends
    assert bolt.HANDLER_TOTAL == 2.6  # Slack waits three seconds
    if kind != "event":
        assert "is taking long and may still go through" in await told(
            rig, kind, ack, "is taking long and may still go through"
        )


async def test_failure_after_the_ack_keeps_the_ack(played: Played) -> None:
    """The private answer to a click travels beside the ack; nobody can be told, and nothing breaks."""
    rig, behaviours = played

    behaviours["boom"] = replies(Private(message("for your eyes")))
    for name in ("response_url", "chat.postEphemeral"):
        rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, name, times=None))
    assert (await boom(rig, "click")).status == 200
    await rig.workspace.until(lambda: rig.workspace.calls[-1].method == "chat.postEphemeral")
    assert not [text for text in ephemerals(rig, MARIA) if "for your eyes" in text]
    rig.workspace.faults.clear()
    assert (await boom(rig, "click")).status == 200
    await heard(rig, MARIA, "for your eyes")


async def test_unopened_form_is_reported(played: Played) -> None:
    rig, behaviours = played
    behaviours["boom"] = replies(Open(forms.request(channel=FINANCE, kind=Kind.PAYOUT)))
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "views.open"))
    ack = await boom(rig, "command")
    assert ack.status == 200
    assert "Slack did not open the form" in ephemerals(rig, MARIA)[-1]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("show payload", []),
        ("send ana@example.com 25.00 payload", ["payload"]),
        ("send ana@example.com 25.00 payload={}", ["payload={}"]),
        ('send ana@example.com 25.00 "x&payload={"type":"block_actions"}"', ["x&payload={type:block_actions}"]),
    ],
)
async def test_payload_is_an_ordinary_word(rig: Rig, text: str, asked: list[str]) -> None:
    rig.workspace.add_channel("C0PAYLOAD", "payload-team", members=[MARIA])
    rig.workspace.set_user(MARIA, name="payload")
    ack = await rig.pay(text, channel="C0PAYLOAD")
    assert ack.status == 200
    assert asked or ephemerals(rig, MARIA)
    assert [one.payload.description for one in await requests(rig)] == asked


async def test_bot_identity_is_read_once(rig: Rig) -> None:
    for number in range(5):
        await rig.pay(f"send ana@example.com 2{number}.00 rent")
        await rig.press("reject")
        await rig.workspace.close(ADA)
    assert [call.method for call in rig.workspace.calls].count("auth.test") == 1


async def test_repeated_signed_click_counts_once(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    await rig.press("approve")
    ack = await rig.workspace.submit(ADA, {forms.AMOUNT: "1500.00"})
    for _ in range(3):
        again = await rig.workspace.resend(ack)
        assert (again.status, again.body) == (200, "")
    assert len(await votes(rig)) == 1


async def test_other_kinds_of_bodies_are_answered_too(rig: Rig) -> None:
    for body in ({"type": "app_rate_limited", "team_id": "T0HOME", "minute_rate_limited": 1}, {"team_id": "T0HOME"}):
        assert (await rig.workspace._delivery.send("events_api", body)).status == 200
    asked = await rig.workspace.verify_url()
    assert asked.request is not None
    assert asked.body == {"challenge": asked.request.payload["challenge"]}


async def test_unreadable_request_is_logged_in_one_line(rig: Rig) -> None:
    body = urlencode({"command": "/pay", "team_id": "T0HOME", "user_id": MARIA}).encode()
    with capture_logs() as logs:
        assert await post(rig, body) == 200
    assert [(line["event"], line["stumbled"]) for line in logs if line["log_level"] == "warning"] == [
        ("malformed payload ignored", "KeyError")
    ]


async def test_no_signed_body_makes_the_server_fail(rig: Rig) -> None:
    for body in (
        *(b"", b"\xff\xfe", b"payload=", b"payload=\xc3\x28", b"payload={", b"payload=[]", b"payload=" + b"[" * 5_000),
        *(b"command=%2Fpay", b"command=%2Fpay&team_id=T0HOME", b"team_id=T0HOME"),
        b"command=%2Fnobody&team_id=T0HOME&user_id=U0MARIA&channel_id=C0FINANCE",
    ):
        assert await post(rig, body) in (200, 400), body
        assert await post(rig, body + b" ", "application/json") in (200, 400), body


async def test_nothing_of_an_unsigned_request_is_logged(rig: Rig, capsys: pytest.CaptureFixture[str]) -> None:
    body = b"command=%2Fpay&text=canary-text&response_url=https%3A%2F%2Fhooks.slack.com%2Fcanary"
    assert await post(rig, body, **{"X-Slack-Signature": "v0=" + "0" * 64}) == 401
    captured = capsys.readouterr()
    assert "canary" not in captured.out + captured.err


async def test_no_secret_logged(rig: Rig, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)  # calls that went well are told at this level alone
    ack = await rig.pay()
    await rig.press("approve", user="U0ZOE")
    await heard(rig, "U0ZOE", "Only approvers can do this")
    await rig.press("approve")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(2)
    captured = capsys.readouterr()
    logged = captured.out + captured.err
    assert "service call" in logged  # there is a log
    assert ack.request is not None
    secrets = ["xoxb-playground", "playground-signing-secret", "partner-secret", "a-secret-key-for-tests"]
    urls = [ack.request.payload["response_url"], *(delivery.url for delivery in rig.payments.deliveries)]
    for secret in [*secrets, *urls, *(url.rsplit("/", 1)[1] for url in urls), "/callbacks/payments/"]:
        assert secret not in logged


async def test_button_flood_is_answered_without_database_queries(rig: Rig) -> None:
    await rig.pay()
    card = await rig.card()
    reads: list[str] = []
    read = rig.switchboard.context.store.read

    async def counted(work: Any) -> Any:
        reads.append("a read")
        return await read(work)

    rig.switchboard.context.store.read = counted  # type: ignore[method-assign]
    for _ in range(5):  # not all at once: a busy machine would be measured
        clicks = [rig.workspace.click("U0ZOE", card.channel, card.ts, "payout.approve") for _ in range(6)]
        assert {ack.status for ack in await asyncio.gather(*clicks)} == {200}
    await heard(rig, "U0ZOE", "Only approvers can do this")
    assert 1 <= len(ephemerals(rig, "U0ZOE")) < 30
    assert not reads
    before = len(ephemerals(rig, "U0ZOE"))
    await rig.press("approve", user="U0ZOE")
    await rig.workspace.until(lambda: len(ephemerals(rig, "U0ZOE")) > before)
