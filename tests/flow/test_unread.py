"""An answer that cannot be read, from the command that met it to the line in the file that mends it."""

from functools import partial

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.dialect import Dialect
from tests.support import answers
from tests.support.rig import OLGA, Rig
from tests.workflows.looking import alerts, read, state

NAMES = {"partner.id": "uid", "partner.name": "title", "partner.email": "mail"}

pytestmark = pytest.mark.rig(simulator={"dialect": Dialect(names=NAMES)}, services="")
"""The payments service says some fields of one answer in its own words."""

ask = partial(answers.ask, command="/switchboard", user=OLGA)


async def asked_for_the_partner(rig: Rig) -> str:
    told = await answers.ask(rig, "partner", user=OLGA)
    await rig.settle()
    return told.text


async def test_unread_answer_leads_to_its_settings_line(rig: Rig) -> None:
    assert "No unread answers" in (await ask(rig, "unread")).text
    assert "uid: partner" in await asked_for_the_partner(rig)
    assert "• *payments.partner*, status 200: 1 unread answer" in (await ask(rig, "unread")).text
    for _ in range(2):
        rig.clock.advance(60)
        await asked_for_the_partner(rig)
    seen = (await ask(rig, "unread")).text
    assert "3 unread answers, first " in seen
    lines = seen.split("```")[1].strip()
    assert lines == '[payments.partner.reply]\nid = "uid"\nname = "title"\nemail = "mail"'
    assert rig.settings.services_file is not None
    rig.settings.services_file.write_text(lines, encoding="utf-8")
    await rig.start_again()
    assert (await ask(rig, "unread")).text == seen
    assert (await asked_for_the_partner(rig)).splitlines()[0] == "*Playground Partner*"
    assert "Readable again: payments.partner." in (await ask(rig, "unread")).text


async def test_payment_whose_answers_are_pages_stays_unknown(rig: Rig) -> None:
    await rig.pay()
    rig.payments.faults.arm(Fault(FaultKind.GARBAGE, "commit_payout"))
    rig.payments.faults.arm(Fault(FaultKind.GARBAGE, "get_operation", times=None, skip=1))
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(100_000, steps=25)
    assert await state(rig) is State.NEEDS_HUMAN
    assert any("use the switchboard command with `unread`" in text for text in alerts(rig))
    seen = (await ask(rig, "unread")).text
    for operation in ("get_operation", "commit_payout"):
        assert f"*payments.{operation}*, status " in seen
    assert seen.count("no JSON (HTML page of ") == 2
    rig.payments.faults.clear()
    await rig.pass_time(8_000)
    assert await state(rig) is State.COMMITTED
    assert len(rig.paid) == 1
    kept = await read(rig, lambda tx: {one.answer.operation: one.mended_at for one in tx.unread.all()})
    assert kept["payments.get_operation"] is not None
    assert kept["payments.commit_payout"] is None
