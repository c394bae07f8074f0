"""A verb that was typed without the arguments it needs opens a form with one field for each."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace.model import elements_of
from tests.support.answers import ask
from tests.support.rig import ADA, FINANCE, MARIA, TOM, Rig
from tests.workflows.looking import newest, requests


async def test_form_of_a_verb_shows_the_answer_or_the_mistake(rig: Rig) -> None:
    await rig.pay('collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"')
    known = (await newest(rig)).reference
    for name, told in ((known, "Print ads · 1 × 99.50 · 99.50"), ("P-000000", "I can't find P-000000.")):
        await rig.pay("show", user=ADA)
        await rig.submit(ADA, {"operation": name})
        assert told in rig.form(ADA).plain
        await rig.workspace.close(ADA)


async def test_optional_fields_may_be_empty(rig: Rig) -> None:
    await rig.pay("bulk items", user=ADA)
    blocks = {block["block_id"]: block for block in rig.form(ADA).blocks if block["type"] == "input"}
    assert {name: block.get("optional", False) for name, block in blocks.items()} == {"bulk": False, "page": True}
    await rig.submit(ADA, {"bulk": "B-000000"})
    assert "I can't find B-000000." in rig.form(ADA).plain


async def test_choice_of_words_is_explained(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/deliver", "store")
    label = next(block["label"]["text"] for block in rig.form().blocks if block["type"] == "input")
    assert label == "Add or show or edit"


async def test_approvals_list_requests_missing_links_once(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.getPermalink", times=None))
    await rig.pay("send ana@example.com 25.00 first")
    await rig.pay("send luis@example.com 10.00 second")
    before = len([call for call in rig.workspace.calls if call.method == "chat.getPermalink"])
    told = await ask(rig, "approvals", user=ADA)
    assert [one.text for one in told.buttons] == ["Approve", "Reject"] * 2
    assert len([call for call in rig.workspace.calls if call.method == "chat.getPermalink"]) == before + 1


async def test_list_of_approvals_has_warnings_links_and_buttons_that_count(rig: Rig) -> None:
    await rig.pay("send ana@example.com 25.00 first")
    await rig.pay("send ana@example.com 25.00 again", user=TOM)
    told = await ask(rig, "approvals", user=ADA)
    assert [one.text for one in told.buttons] == ["Approve", "Reject", "Open"] * 2
    assert told.text.count(":warning: Needs 2 approvers because it repeats") == 1
    links = [element["url"] for _, element in elements_of(told.all_blocks) if element.get("url")]
    assert [link.rpartition("/p")[2] for link in links] == [card.ts.replace(".", "") for card in rig.cards()]
    await rig.click(told, "payout.approve", user=ADA)
    assert rig.paid == [("ana@example.com", 2_500)]
    assert [one.text for one in rig.workspace.ephemerals(ADA)[-1].buttons] == ["Approve", "Reject", "Open"]
    own = await ask(rig, "approvals", user=TOM)
    assert [one.text for one in own.buttons] == ["Open"]


@pytest.mark.parametrize("quorum", [1, 2])
async def test_second_tap_on_the_list_of_approvals_decides_nothing(rig: Rig, quorum: int) -> None:
    rig.settings.policy_file.write_text(rig.policy_text.replace("quorum = 1\n", f"quorum = {quorum}\n", 1))
    await rig.start_again()
    for amount in ("1.00", "2.00", "3.00"):
        await rig.pay(f"send ana@example.com {amount} rent")
    told = await ask(rig, "approvals", user=ADA)
    before = [(block["type"], block.get("block_id")) for block in told.blocks]
    await rig.workspace.click(ADA, FINANCE, told.ts, "payout.approve")
    await rig.pay("send ana@example.com 4.00 later")
    after = rig.workspace.ephemerals(ADA)[-1]
    assert after.ts == told.ts
    rows = [block["type"] for block in after.blocks]
    assert [kind for kind, _ in before].count("actions") == 3
    assert (rows[3], rows.count("actions")) == ("section", 2), "where the first row had its buttons"
    assert [place for place, kind in enumerate(rows) if kind == "actions"] == [6, 9]
    await rig.click(told, "payout.approve", user=ADA, value=told.buttons[0].value, force=True)
    states = [one.state for one in await requests(rig)]
    assert states[0] is (State.COMMITTED if quorum == 1 else State.AWAITING)
    assert states[1:] == [State.AWAITING] * 3
