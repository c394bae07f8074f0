"""``/pay freeze``: while it is in force nothing can be asked for that sends money, whichever way it is asked."""

import pytest

from bot.domain.errors import PersonError
from bot.presentation.payments import forms
from handlers.pay import FREEZE
from tests.support import bulk
from tests.support.rig import ADA, FINANCE, MARIA, TOM, Rig
from tests.workflows.looking import ephemerals, requests

REFUSED = (
    ":snowflake: Payments are frozen by <@U0ADA>: the bank called. Nothing can be asked for until approvers lift it."
)


def test_a_reason_has_five_hundred_characters_at_most() -> None:
    (reason,) = FREEZE.arguments
    assert reason.read("x" * 500) == "x" * 500
    with pytest.raises(PersonError) as broken:
        reason.read("x" * 501)
    assert (broken.value.argument, broken.value.rule) == ("reason", "it must have at most 500 characters")


@pytest.mark.parametrize("line", ["send ana@example.com 25.00 rent", "now ana@example.com 25.00 rent"])
async def test_no_line_asks_for_a_payment(rig: Rig, line: str) -> None:
    await rig.pay("freeze the bank called", user=ADA)
    await rig.pay(line)
    assert ephemerals(rig, MARIA)[-1] == REFUSED
    assert not await requests(rig)


async def test_no_form_asks_for_a_payment(rig: Rig) -> None:
    await rig.pay("send")
    await rig.pay("bulk", user=TOM)
    await rig.pay("freeze the bank called", user=ADA)
    values = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "rent"}
    await rig.submit(MARIA, values)
    await rig.submit(TOM, {forms.ROWS: bulk.ROWS})
    for user in (MARIA, TOM):
        assert "Payments are frozen by" in rig.form(user).plain
    assert not await requests(rig)


async def test_money_can_still_be_asked_for(rig: Rig) -> None:
    await rig.pay("freeze the bank called", user=ADA)
    await rig.pay("collect ben@example.com rent web=1x25.00")
    assert len(await requests(rig)) == 1
    assert FINANCE in {card.channel for card in rig.cards(FINANCE)}
