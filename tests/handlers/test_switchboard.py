"""``/switchboard``: who may read the audit of a request, and that what everybody looks at is so."""

import csv
import io
import re
import sqlite3
from dataclasses import replace
from functools import partial

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.workflows.admin import audit
from tests.support import answers
from tests.support.rig import ADA, FINANCE, LIN, MARIA, OLGA, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest

_TIME = re.compile(r"^• <!date\^\d+\^\{date_short_pretty\} \{time_secs\}\|2026-11-20 [0-9:]{8} UTC>  ")


ask = partial(answers.ask, command="/switchboard", user=OLGA)


def lines(seen: Message) -> list[str]:
    """The story without its heading and times; each line has one."""
    found = seen.text.split("\n")[1:]
    assert all(_TIME.match(line) for line in found), found
    return [_TIME.sub("", line) for line in found]


async def test_history_of_a_payout_with_two_attempts(rig: Rig) -> None:
    await rig.pay("send ana@example.com 2500.00 Rent", user=MARIA)
    asked = await newest(rig)
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
        await rig.submit(person, {"amount": "2500.00"})
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(60)
    seen = await ask(rig, f"audit {asked.reference}")
    assert lines(seen) == [
        f"<@{MARIA}> requested $2,500.00 to Ana Maria Lopez (ana@example.com).",
        "Asked the provider to create it (attempt 1); no money moves.",
        f"Created (“{asked.remote_id}”); sent to approvers.",
        f"<@{ADA}> approved (1 of 2).",
        f"<@{LIN}> approved (2 of 2).",
        f"Sent (attempt 1), approved by <@{ADA}>, <@{LIN}>.",
        "Provider status: committed.",
        "Provider status: completed.",
    ]
    for line in seen.text.split("\n")[1:]:
        assert line in seen.plain


async def test_rejection_shows_who_and_why_escaped(rig: Rig) -> None:
    await rig.pay('send ana@example.com 25.00 "<!channel> & <https://evil.example|rent>"')
    await rig.press("reject")
    await rig.submit(ADA, {"reason": "<!here> ask *again* & <@U0OLGA>"})
    seen = await ask(rig, f"audit {(await newest(rig)).reference}")
    expected = f"<@{ADA}> rejected it. Reason: &lt;!here&gt; ask ∗again∗ &amp; &lt;@U0OLGA&gt;."
    assert lines(seen)[-1] == expected
    for active in ("<!channel", "<!here", "<https", f"<@{OLGA}>"):
        assert active not in seen.text
    blocks = [str(block) for block in seen.blocks if "mrkdwn" in str(block)]
    assert not any(active in block for block in blocks for active in ("<!here", "<!channel", f"<@{OLGA}>"))


async def test_tampered_row_is_reported(rig: Rig, sqlite_url: str) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {"reason": "no"})
    reference = (await newest(rig)).reference

    with sqlite3.connect(sqlite_url.partition("///")[2]) as raw:
        raw.execute("DROP TRIGGER audit_no_update")
        raw.execute("UPDATE audit SET actor = ? WHERE action = 'rejected'", (LIN,))
    raw.close()
    told = lines(await ask(rig, f"audit {reference}"))
    assert [line.startswith(":warning: *this row was changed after it was written:*") for line in told] == [
        False
    ] * 3 + [True]


@pytest.mark.parametrize("user", [ADA, OLGA])
async def test_status_is_empty_at_first(rig: Rig, user: str) -> None:
    told = (await ask(rig, "status", user=user)).text
    assert under_way(told) == []
    assert "*In progress*\nNothing.\n*Queues*\n" in told
    symbols = [line.split(":")[1] for line in told.splitlines()[1:5]]
    assert symbols == ["white_circle"] * 4, "never called, or not configured"
    assert "an admin has to set `DELIVERY_BASE_URL`, `DELIVERY_MASTER_KEY`" in told
    assert shown((await ask(rig, "jobs", user=user)).text) == snapshot(":zzz: Nothing in progress.")


def under_way(status: str) -> list[str]:
    """What is under way and what waits, of the answer to ``status``."""
    told = status.partition("*In progress*\n")[2].partition("\n:warning: 5 money routes")[0]
    return [line for line in told.splitlines() if line.startswith("•") and not line.endswith("no backlog")]


async def test_requests_are_counted_by_state(rig: Rig) -> None:
    for amount in ("25.00", "26.00"):
        await rig.pay(f"send ana@example.com {amount} Rent")
    await rig.press("approve")
    assert under_way((await ask(rig, "status")).text) == ["• 2 payouts: 1 sent, 1 waiting for approval"]
    states = [line.partition(": ")[2].partition(",")[0] for line in (await ask(rig, "jobs")).text.splitlines()[1:]]
    assert states == ["Waiting for approval", "Sent"]


async def test_waiting_message_is_measured_with_its_age(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=None))
    await rig.pay()
    rig.clock.advance(3 * 60)
    assert under_way((await ask(rig, "status")).text) == snapshot(
        ["• 1 payout: 1 waiting for approval", "• :warning: Slack messages: the oldest waits 3 minutes"]
    )


async def test_assumptions_that_move_money_come_first(rig: Rig) -> None:
    seen = (await ask(rig, "routes")).text
    named = [line for line in seen.split("\n") if line.startswith("• ")]
    moving = ["*moves money*" in line for line in named]
    assert any(moving)
    assert moving == sorted(moving, reverse=True)
    assert named[0] == snapshot("""\
• `payments.commit_payout` POST `/payouts/{id}/commit`: high confidence, *moves money*""")


@pytest.mark.parametrize("rows_a_page", [2, 1_000])
async def test_audit_export_is_sent_as_a_file(rig: Rig, rows_a_page: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "STORY_ROWS", rows_a_page)
    await rig.pay("send ana@example.com 25.00 =1+1")
    await rig.press("approve")
    said = await ask_twice(rig, "audit export")
    [message] = [one for one in rig.workspace.messages(rig.workspace.open_dm(OLGA).id) if one.files]
    shared = rig.workspace.file(message.files[0])
    assert shared is not None
    rows = list(csv.DictReader(io.StringIO(shared.content.decode())))
    assert [row["seq"] for row in rows] == [str(n) for n in range(1, len(rows) + 1)]
    assert {"requested", "approve"} <= {row["action"] for row in rows}, {row["action"] for row in rows}
    assert said.startswith(f":page_facing_up: Audit log of Switchboard: {len(rows)} rows, in your direct messages"), (
        said
    )


async def ask_twice(rig: Rig, text: str) -> str:
    """What was said last: the answer may follow a first word."""
    before = len(rig.workspace.ephemerals(OLGA))
    await rig.workspace.slash(OLGA, FINANCE, "/switchboard", text)
    await rig.workspace.until(lambda: "direct messages" in rig.workspace.ephemerals(OLGA)[-1].text or None)
    return rig.workspace.ephemerals(OLGA)[before:][-1].text


async def test_missing_scope_for_sharing_is_named(rig: Rig) -> None:
    scopes = tuple(scope for scope in rig.workspace.identity.scopes if scope != "files:write")
    rig.workspace._state.identity = replace(rig.workspace._state.identity, scopes=scopes)
    await rig.workspace.slash(OLGA, FINANCE, "/switchboard", "audit export")
    await rig.workspace.until(lambda: "take the file" in rig.workspace.ephemerals(OLGA)[-1].text or None)
    assert "(missing_scope, needed: files:write)" in rig.workspace.ephemerals(OLGA)[-1].text
