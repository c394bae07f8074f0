"""An answer that cannot be read, from the command that met it to the line in the file that mends it."""

import re
from functools import partial

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.dialect import Dialect
from tests.support import answers
from tests.support.rig import OLGA, Rig
from tests.support.shown import shown
from tests.workflows.looking import alerts, read, state

NAMES = {"partner.id": "uid", "partner.name": "title", "partner.email": "mail"}

pytestmark = pytest.mark.rig(simulator={"dialect": Dialect(names=NAMES)}, services="")
"""The payments service says some fields of one answer in its own words."""

ask = partial(answers.ask, command="/switchboard", user=OLGA)


async def asked_for_the_partner(rig: Rig) -> str:
    told = await answers.ask(rig, "partner", user=OLGA)
    await rig.settle()
    return told.text


def lines_of(text: str) -> str:
    return text.split("```")[1].strip()


async def test_from_the_answer_to_the_line_that_mends_it(rig: Rig) -> None:
    assert shown((await ask(rig, "unread")).text) == snapshot(":white_check_mark: No unread answers.")
    assert "uid: partner" in await asked_for_the_partner(rig)
    seen = (await ask(rig, "unread")).text
    assert shown(seen) == snapshot("""\
*1 kind of answer could not be read*, newest first.
• *payments.partner*, status 200: 1 unread answer, last <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 \
UTC>
Not found: id, name, email.
Fields: uid (text), title (text), mail (text), currency (text), balance (text), plan (object), plan.tier (text), \
plan.seats (whole number), plan.secret (text).
```
[payments.partner.reply]
id = "uid"
name = "title"
email = "mail"
```
Only names and types of fields are kept. To fix: add the lines to the file that SERVICES_FILE names (under the section \
if it already exists) and restart Switchboard. An entry disappears once such an answer is read. These lines are best \
guesses. If a field has several, uncomment the right one.""")
    assert rig.settings.services_file is not None
    rig.settings.services_file.write_text(lines_of(seen), encoding="utf-8")
    await rig.start_again()
    assert (await ask(rig, "unread")).text == seen
    assert (await asked_for_the_partner(rig)).splitlines()[0] == "*Playground Partner*"
    assert shown((await ask(rig, "unread")).text) == snapshot("""\
:white_check_mark: No unread answers.
Readable again: payments.partner.""")


async def test_it_is_counted_and_survives_a_restart(rig: Rig) -> None:
    for _ in range(3):
        await asked_for_the_partner(rig)
        rig.clock.advance(60)
    await rig.start_again()
    assert shown((await ask(rig, "unread")).text.splitlines()[1]) == snapshot("""• *payments.partner*, status 200: 3 \
unread answers, first <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>, last \
<!date^1795165320^{date_short_pretty} {time}|2026-11-20 09:02 UTC>""")


async def test_a_payment_whose_answers_are_pages_stays_unknown_and_the_alert_says_where_to_look(rig: Rig) -> None:
    await rig.pay()
    rig.payments.faults.arm(Fault(FaultKind.GARBAGE, "commit_payout"))
    rig.payments.faults.arm(Fault(FaultKind.GARBAGE, "get_operation", times=None, skip=1))
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(100_000, steps=25)
    assert await state(rig) is State.NEEDS_HUMAN
    assert any("use the switchboard command with `unread`" in text for text in alerts(rig))
    seen = re.sub(r" first .*| last .*|\d+", "…", (await ask(rig, "unread")).text).splitlines()
    assert seen[1:3] + seen[4:6] == snapshot(
        [
            "• *payments.get_operation*, status …: … unread answers,…",
            "Body: no JSON (HTML page of … bytes).",
            "• *payments.commit_payout*, status …: … unread answer,…",
            "Body: no JSON (HTML page of … bytes).",
        ]
    )
    rig.payments.faults.clear()
    await rig.pass_time(8_000)
    assert await state(rig) is State.COMMITTED
    assert len(rig.paid) == 1
    kept = await read(rig, lambda tx: {one.answer.operation: one.mended_at for one in tx.unread.all()})
    assert kept["payments.get_operation"] is not None
    assert kept["payments.commit_payout"] is None
