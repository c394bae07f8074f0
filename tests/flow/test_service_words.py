"""What the service answers, as people read it: one sentence, no page of a proxy, no status taken for final."""

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.support.clock import MINUTE
from tests.support.rig import ALERTS, APPROVALS, FINANCE, Rig
from tests.workflows.looking import asked, everywhere, requests

SAYING = "Payments is having problems"


def edits(rig: Rig) -> int:
    card = rig.cards(APPROVALS)[-1]
    made = [one.args for one in rig.workspace.calls if one.method == "chat.update" and one.ok]
    return len([args for args in made if (args["channel"], args["ts"]) == (card.channel, card.ts)])


async def test_trouble_of_the_service_is_on_the_card_until_paid(rig: Rig) -> None:
    await rig.pay()
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None))
    await rig.press("approve")
    await rig.pass_time(MINUTE, steps=4)
    assert everywhere(rig, SAYING)
    before = edits(rig)
    await rig.pass_time(10 * MINUTE, steps=20)
    assert edits(rig) == before, "it says the same"
    assert asked(rig, "get_operation") > 10
    assert rig.workspace.messages(ALERTS) == []
    rig.payments.faults.clear()
    await rig.pass_time(MINUTE)
    assert rig.paid == [("ana@example.com", 2_500)]
    assert everywhere(rig, "Sent")
    assert SAYING not in rig.cards(FINANCE)[-1].plain + rig.cards(APPROVALS)[-1].plain
    assert [one.reason for one in await requests(rig)] == [None]


async def test_trouble_of_a_lookup_is_on_the_card_until_it_succeeds(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=2))
    await rig.pay()
    await rig.pass_time(MINUTE, steps=4)
    assert rig.cards(FINANCE)[-1].text.startswith("Waiting for approval (0 of 1): ")
    assert SAYING not in rig.cards(FINANCE)[-1].plain + rig.cards(APPROVALS)[-1].plain


@pytest.mark.parametrize("operation", ["account_status", "create_payout", "get_operation", "commit_payout"])
async def test_proxy_page_is_never_shown(rig: Rig, operation: str) -> None:
    rig.payments.faults.arm(Fault(FaultKind.GARBAGE, operation))
    await rig.pay()
    await rig.pass_time(120, steps=8)
    await rig.press("approve")
    await rig.pass_time(120, steps=8)
    said = [m.plain + m.text for channel in (FINANCE, APPROVALS) for m in (*rig.cards(channel), *rig.news(channel))]
    assert said
    assert not any("<html" in text.lower() or "gateway" in text.lower() for text in said)
    assert len(rig.paid) == 1


async def test_failure_reason_is_shown(rig: Rig) -> None:
    await rig.pay()
    await rig.approve_and_fail("eWallet <closed>")
    (told,) = rig.news(FINANCE)
    assert "“eWallet &lt;closed&gt;”" in told.text


async def test_words_of_people_keep_their_letters(rig: Rig) -> None:
    await rig.pay()
    await rig.reject("iPhone again, see ticket 7")
    for said in (rig.cards(FINANCE)[0], rig.cards(APPROVALS)[0], *rig.news(FINANCE), *rig.news(APPROVALS)):
        assert "“iPhone again, see ticket 7”" in said.text
