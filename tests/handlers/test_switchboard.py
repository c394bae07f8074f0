"""``/switchboard``: who may read the audit of a request, and what they read."""

import re
import sqlite3
from functools import partial

from inline_snapshot import snapshot

from bot.playground.workspace import Message
from tests.support import answers
from tests.support.rig import ADA, LIN, MARIA, OLGA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest

_TIME = re.compile(r"^• <!date\^\d+\^\{date_short_pretty\} \{time_secs\}\|2026-11-20 [0-9:]{8} UTC>  ")


ask = partial(answers.ask, command="/switchboard", user=OLGA)


def lines(seen: Message) -> list[str]:
    """The story without its heading and times; each line has one."""
    found = seen.text.split("\n")[1:]
    assert all(_TIME.match(line) for line in found), found
    return [_TIME.sub("", line) for line in found]


async def test_the_story_of_a_payout_that_took_two(rig: Rig) -> None:
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
        f"<@{MARIA}> asked for 2500.00 USD to ana@example.com.",
        "Asked the service to create it, which moves no money (attempt 1).",
        f"The service created it as “{asked.remote_id}”; shown to the approvers.",
        f"<@{ADA}> approved (1 of 2).",
        f"<@{LIN}> approved (2 of 2), which is enough.",
        f"Sent to the service, attempt 1, with the approval of <@{ADA}>, <@{LIN}>.",
        "The service says committed.",
        "The service says completed.",
    ]
    assert shown(seen.text.splitlines()[0]) == snapshot(
        "*Audit of P-······*: 2500.00 USD to ana@example.com, for “Rent”, now completed"
    )
    for line in seen.text.split("\n")[1:]:
        assert line in seen.plain


async def test_a_rejection_shows_who_and_why_and_nothing_gets_loose(rig: Rig) -> None:
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


async def test_every_name_of_a_request_finds_it(rig: Rig) -> None:
    await rig.pay()
    asked = await newest(rig)
    for name in (asked.reference, asked.reference.lower(), f"`{asked.reference}`", asked.code, asked.remote_id):
        seen = await ask(rig, f"audit {name}")
        assert seen.text.startswith(f"*Audit of {asked.reference}*")


async def test_nobody_else_learns_that_it_exists(rig: Rig) -> None:
    """A requester reads their own requests, not those of others."""
    await rig.pay(user=TOM)
    asked = await newest(rig)
    for user in (MARIA, ZOE):
        known = await ask(rig, f"audit {asked.reference}", user=user)
        unknown = await ask(rig, "audit P-NOSUCH", user=user)
        assert known.text == unknown.text.replace("P-NOSUCH", asked.reference)


async def test_mistakes_name_the_argument_the_rule_and_an_example(rig: Rig) -> None:
    wrong = ("audit P-NOSUCH", "audit <!channel>", "audit P-1 two", "dance <@U0ADA>")
    assert [(await ask(rig, text)).text for text in wrong] == snapshot(
        [
            """\
:pencil2: *id*: no request of that name is known here; it is a reference such as P-4F7K2M or B-4F7K2M, or the \
operation's id. You gave: P-NOSUCH
Nothing was done. For example: `/switchboard audit P-4F7K2M`""",
            """\
:pencil2: *id*: no request of that name is known here; it is a reference such as P-4F7K2M or B-4F7K2M, or the \
operation's id. You gave: &lt;!channel&gt;
Nothing was done. For example: `/switchboard audit P-4F7K2M`""",
            """\
:pencil2: *two*: this is one word too many.
Nothing was done. For example: `/switchboard audit P-4F7K2M`""",
            """\
:pencil2: *verb*: `dance` is not something `/switchboard` can do. It is one of `status`, `unread`, `jobs`, \
`audit`, `audit export`, `routes` or `help`.
For example: `/switchboard status`""",
        ]
    )


async def test_a_tampered_row_is_told_as_such(rig: Rig, sqlite_url: str) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {"reason": "no"})
    reference = (await newest(rig)).reference

    with sqlite3.connect(sqlite_url.partition("///")[2]) as raw:
        raw.execute("DROP TRIGGER audit_no_update")
        raw.execute("UPDATE audit SET actor = ? WHERE action = 'rejected'", (LIN,))
    raw.close()
    told = lines(await ask(rig, f"audit {reference}"))
    assert [line.startswith(":warning: *this row is not what was written:*") for line in told] == [False] * 3 + [True]
