"""``code=``: a code of one's own, in the command and in the form, unique here and at the service, found again."""

import asyncio

import pytest

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.answers import ask
from tests.support.elsewhere import made
from tests.support.rig import APPROVALS, FINANCE, MARIA, TOM, Rig
from tests.support.shown import shown
from tests.workflows.looking import actions, asked, disagreements, newest, operation, requests, state

SEND, NOW = 'send ana@example.com 25.00 "March translation"', 'now ana@example.com 25.00 "March translation"'
COLLECT = 'collect ana@example.com "Course fees" book=2x12.50'
VERBS = pytest.mark.parametrize("text", [SEND, NOW, COLLECT], ids=["send", "now", "collect"])


async def approve(rig: Rig, text: str) -> None:
    if text != COLLECT:
        await rig.press("approve")


@VERBS
async def test_code_is_sent_and_finds_the_request(rig: Rig, text: str) -> None:
    await rig.pay(f"{text} code=INV-2026/17")
    found = await newest(rig)
    if text != COLLECT:
        assert "code `INV-2026/17`" in (await rig.card()).text
    await approve(rig, text)
    assert (operation(rig).code, found.payload.code, found.payload.description) == (
        "INV-2026/17",
        "INV-2026/17",
        "Course fees" if text == COLLECT else "March translation",
    )
    assert found.intact()
    for name in ("INV-2026/17", "inv-2026/17", operation(rig).id):
        assert found.reference in (await ask(rig, f"show {name}")).text
    assert await disagreements(rig) == ()


@VERBS
@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.LOST])
async def test_lookup_recovers_a_lost_answer(rig: Rig, text: str, kind: FaultKind) -> None:
    await rig.pay("send luis@example.com 7.00 before")  # the list shows a code of ours
    await rig.press("approve")
    effect = {SEND: "create_payout", NOW: "one_step_payout", COLLECT: "create_purchase"}[text]
    rig.payments.faults.arm(Fault(kind, operation=effect))
    before = asked(rig, effect)
    await rig.pay(f"{text} code=INV-7")
    if text == NOW:
        await rig.press("approve")
    assert await state(rig) in (State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN)
    await rig.pass_time(4_000, steps=20)
    held = [one for one in rig.payments.operations.values() if one.code == "INV-7"]
    moves_money = text == NOW
    assert len(held) == (0 if moves_money and kind is FaultKind.LOST else 1)
    assert asked(rig, effect) - before == (1 if moves_money or kind is FaultKind.DONE_DROPPED else 2)
    lost = State.NEEDS_HUMAN if kind is FaultKind.LOST else State.COMMITTED
    assert await state(rig) is {SEND: State.AWAITING, NOW: lost, COLLECT: State.OPEN}[text]


async def test_code_is_used_once_and_free_again_if_nothing_left(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="account_status", times=None))
    await rig.pay(f"{SEND} code=INV-7")
    for text in (SEND, NOW, COLLECT):
        told = await ask(rig, f"{text} code=inv-7", user=TOM)
        assert "already has this code (preparing)" in told.text
    assert len(await requests(rig)) == 1
    await rig.pass_time(5)
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    rig.payments.faults.clear()
    await rig.pay(f"{SEND} code=inv-7", user=TOM)
    assert ((await newest(rig)).requester, await state(rig)) == (TOM, State.AWAITING)
    await rig.reject("no")
    told = await ask(rig, f"{SEND} code=INV-7")
    assert "(rejected)" in told.text, "the service holds it under this code"
    assert len(await requests(rig)) == 2


@pytest.mark.rig(on="both", clock=None)
@pytest.mark.both_databases
async def test_two_at_the_same_moment_with_one_code_make_one_request(rig: Rig) -> None:
    await asyncio.gather(*(rig.pay(f"{SEND} code=INV-7", user=user) for user in (MARIA, TOM) * 3))
    await rig.workspace.until(lambda: len(rig.cards(APPROVALS)) or None)
    assert len(await requests(rig)) == 1


@VERBS
async def test_external_payout_with_our_code_is_not_ours(rig: Rig, text: str) -> None:
    """The same amount to the same person, long ago: only the code would tell, and it does not."""
    there = made(rig, code="INV-7")
    await rig.payments.settle(there.id, "completed", force=True)
    rig.clock.advance(3_600)
    await rig.pay(f"{text} code=INV-7")
    found = await newest(rig)
    assert (found.state, list(rig.payments.operations.values())) == (State.MISMATCH, [there])
    assert await actions(rig) == ["requested", "mismatch"]
    told = rig.news(FINANCE)[-1].text
    assert f"The code INV-7 is taken by {there.id}." in told


async def test_taken_there_between_the_look_and_the_request_it_goes_to_people(rig: Rig) -> None:
    await rig.pay(f"{NOW} code=INV-7")
    there = made(rig, code="INV-7")
    await rig.payments.settle(there.id, "completed", force=True)
    rig.payments.switches.lists_lag_seconds = 60.0
    await rig.press("approve")
    assert (await state(rig), rig.paid) == (State.COMMIT_UNKNOWN, [])
    rig.payments.switches.lists_lag_seconds = 0.0
    await rig.pass_time(90_000, steps=60)
    found = await newest(rig)
    assert (found.state, found.suspect, found.remote_id) == (State.NEEDS_HUMAN, there.id, None)
    assert [one.text for one in (await rig.card()).buttons] == ["Close as not paid"]


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("code=", "Add a code of your own, used once, such as INV-2026-17."),
        (f"code={'x' * 65}", "A code has 1 to 64 characters; this has 65."),
        ("code=P-4F7K2M", "A code can't look like a reference of Switchboard."),
        ("code=01KAGT00000000000000000000", "A code can't look like a reference of Switchboard."),
        ("code=a code=b", "Give code= only once."),
    ],
    ids=str,
)
@VERBS
async def test_wrong_code_gets_one_sentence(rig: Rig, text: str, given: str, rule: str) -> None:
    told = (await ask(rig, f"{text} {given}")).text
    said, example = told.splitlines()
    assert said == f":pencil2: {rule}"
    assert example == f"Example: `/pay {text}`"
    assert await requests(rig) == []


async def test_description_may_contain_option_names(rig: Rig) -> None:
    await rig.pay('send ana@example.com 25.00 "Refund for code=7" code="PO 7"')
    found = await newest(rig)
    assert (found.payload.description, found.payload.code) == ("Refund for code=7", "PO 7")
    await rig.pay('collect ana@example.com "Licences" code=2x10.00 code=INV-8')
    found = await newest(rig)
    assert (found.payload.code, found.cents) == ("INV-8", 2_000)


@pytest.mark.parametrize(("verb", "kind"), [("send", Kind.PAYOUT), ("now", Kind.ONE_STEP), ("collect", Kind.PURCHASE)])
async def test_the_form_has_the_field_too(rig: Rig, verb: str, kind: Kind) -> None:
    values = {forms.EMAIL: "ana@example.com", forms.DESCRIPTION: "March", forms.CODE: "INV-7"}
    values |= {forms.ITEMS: "web = 1 x 25.00"} if verb == "collect" else {forms.AMOUNT: "25.00"}
    await rig.pay(verb)
    await rig.submit(MARIA, values)
    found: Instruction = await newest(rig)
    assert (found.kind, found.payload.code, found.cents) == (kind, "INV-7", 2_500)
    await rig.pay(verb)
    await rig.submit(MARIA, values)
    assert shown(rig.form(MARIA).errors[forms.CODE]).startswith("C-······" if verb == "collect" else "P-······")
    assert len(await requests(rig)) == 1


async def test_edit_form_keeps_the_code(rig: Rig) -> None:
    await rig.pay('send nobody@example.com 25.00 "March" code=INV-7')
    await rig.press("edit", user=MARIA, channel=FINANCE)
    entered = {field: next(iter(held.values()))["value"] for field, held in rig.form(MARIA).values.items()}
    assert entered[forms.CODE] == "INV-7"
    await rig.submit(MARIA, entered | {forms.EMAIL: "ana@example.com"})
    both = sorted((one.state, one.payload.code) for one in await requests(rig))
    assert both == [(State.AWAITING, "INV-7"), (State.WITHDRAWN, "INV-7")]


async def test_external_operation_is_found_by_its_code(rig: Rig) -> None:
    there = made(rig, code="their code 7")
    assert there.id in (await ask(rig, 'show "their code 7"')).text
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="get_operation_by_code", times=None))
    assert there.id not in (await ask(rig, 'show "another code"')).text
    rig.payments.faults.clear()
    rig.payments.switches.accept_duplicate_codes = True
    made(rig, code="their code 7")
    rig.payments.faults.arm(Fault(FaultKind.REFUSED, operation="get_operation_by_code", times=None))
    assert "1 more operation has this code." in (await ask(rig, 'show "their code 7"')).text
