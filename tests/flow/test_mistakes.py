"""Lines that are nearly right: read as they were meant, or offered with one press; people and references by name."""

import re

import pytest

from bot.domain.payments.instruction import Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.payments import forms
from tests.support.answers import ask
from tests.support.deliveries import booked, card, deliver, open_rig
from tests.support.rig import ADA, EVE, FINANCE, LIN, MARIA, TOM, ZOE, Rig
from tests.workflows.looking import newest, operation, requests

SEND_IT = "line.offered"


async def press(rig: Rig, message: Message, *, user: str = MARIA) -> None:
    await rig.click(message, SEND_IT, user=user)


def labels(message: Message) -> list[str]:
    return [button.text for button in message.buttons]


@pytest.mark.parametrize("verb", ["send", "now"])
@pytest.mark.parametrize(
    "words",
    [
        "25.00 ana@example.com March translation",
        "$25 ana@example.com March translation",
        "ana@example.com $1,500.00 March translation",
        "25 usd ana@example.com March translation",
        "USD 25.00 ana@example.com March translation",
        "ana@example.com, 25, March translation",
        "ana@example.com US$25 March translation",
        "ana@example.com 25.00USD March translation",
        "ana@example.com 25 USD March translation",
        "ana@example.com USD 25 March translation",
        'ana@example.com $25.00 "March translation',
        "ana@example.com 25. “March translation",
    ],
)
async def test_clear_amounts_are_read_without_asking(rig: Rig, verb: str, words: str) -> None:
    await rig.pay(f"{verb} {words}")
    found = await newest(rig)
    payload = found.payload
    cents = 150_000 if "1,500" in words else 2_500
    assert (payload.email, payload.cents, payload.description) == ("ana@example.com", cents, "March translation")
    assert found.kind is (Kind.PAYOUT if verb == "send" else Kind.ONE_STEP)


OFFERS = [
    ("send ana@example.com 25,00 rent", "Use a point for cents: 25.00.", "Send $25.00", 2_500),
    ("send 25,00 ana@example.com rent", "Use a point for cents: 25.00.", "Send $25.00", 2_500),
    ("send ana@example.com 1,655 rent", "Write 1655.00 for $1,655.00.", "Send $1,655.00", 165_500),
    ("send ana@example.com 1.655 rent", "Write 1655.00 for $1,655.00.", "Send $1,655.00", 165_500),
    ("now ana@example.com 1.500,00 rent", "Use a point for cents: 1500.00.", "Send $1,500.00", 150_000),
]


@pytest.mark.parametrize(("line", "rule", "label", "cents"), OFFERS)
async def test_ambiguous_comma_is_resolved_with_one_press(
    rig: Rig, line: str, rule: str, label: str, cents: int
) -> None:
    said = await ask(rig, line)
    assert said.text.splitlines()[0] == f":pencil2: {rule}"
    assert labels(said) == [label]
    assert not await requests(rig)
    await press(rig, said)
    found = await newest(rig)
    assert (found.cents, found.payload.description, found.requester) == (cents, "rent", MARIA)
    assert found.state is State.AWAITING
    [told] = [one for one in rig.workspace.ephemerals(MARIA) if found.reference in one.text]
    assert (told.ts, told.buttons) == (said.ts, []), "the answer stands where the button stood"


BEHIND = [
    ("1 500 rent", ["Send $1,500.00", "Send $1.00 for “500 …”"], [(150_000, "rent"), (100, "500 rent")]),
    ("$1 500,00 USD rent", ["Send $1,500.00", "Send $1.00 for “500,00 …”"],
     [(150_000, "rent"), (100, "500,00 USD rent")]),
    ("1\u00a0234 567.8 rent", ["Send $1,234,567.80", "Send $1.00 for “234 567.8 …”"], [None, (100, "234 567.8 rent")]),
    ("25 50 lunch", ["Send $25.50", "Send $25.00 for “50 …”"], [(2_550, "lunch"), (2_500, "50 lunch")]),
    ("25 2026 invoice", ["Send $25.00 for “2026 …”"], [(2_500, "2026 invoice")]),
    ("1,500 rent", ["Send $1,500.00", "Send $1.50"], [(150_000, "rent"), (150, "rent")]),
    ("1 500 EUR rent", [], []),
    ("1 500€ rent", [], []),
    ("25 .50 lunch", ["Send $25.50", "Send $25.00 for “.50 …”"], [(2_550, "lunch"), (2_500, ".50 lunch")]),
    ("25. 50 lunch", ["Send $25.50", "Send $25.00 for “50 …”"], [(2_550, "lunch"), (2_500, "50 lunch")]),
    *((words, [], []) for words in ("2 thousand rent", "2 mil rent", "2 k rent", "25 cents fee", "25 (EUR) rent")),
    *((words, [], []) for words in ("2 x 25 rent", "25 + 5 rent", "25 - 30 rent", "25.00 in EUR rent")),
]  # fmt: skip


@pytest.mark.parametrize("verb", ["send", "now"])
@pytest.mark.parametrize(("words", "buttons", "sent"), BEHIND)
async def test_send_asks_which_of_two_amounts_is_meant(
    rig: Rig, verb: str, words: str, buttons: list[str], sent: list[tuple[int, str] | None]
) -> None:
    for label, expected in zip(buttons or [""], sent or [None], strict=True):
        before = len(await requests(rig))
        said = await ask(rig, f"{verb} ana@example.com {words}")
        assert (labels(said), len(await requests(rig))) == (buttons, before)
        if expected is not None:
            value = next(one.value for one in said.buttons if one.text == label)
            await rig.click(said, SEND_IT, value=value, force=True)
            found = await newest(rig)
            assert (found.cents, found.payload.description) == expected
        rig.clock.advance(1)


async def test_send_takes_a_number_behind_cents_or_in_quotes_as_purpose(rig: Rig) -> None:
    for words, purpose in (('1 "500 rent"', "500 rent"), ("1.00 500 rent", "500 rent"), ("1 USD 500 rent", "500 rent")):
        await rig.pay(f"send ana@example.com {words}")
        assert ((await newest(rig)).cents, (await newest(rig)).payload.description) == (100, purpose)
        rig.clock.advance(1)


async def test_pressed_again_it_requests_nothing_again(rig: Rig) -> None:
    said = await ask(rig, 'send ana@example.com 25,00 "Rent & more"')
    assert said.text.splitlines()[1] == 'Example: `/pay send ana@example.com 25.00 "Rent &amp; more"`'
    value = said.buttons[0].value
    for _ in range(2):
        rig.clock.advance(60)
        await rig.click(said, SEND_IT, value=value, force=True)
    (found,) = await requests(rig)
    assert found.payload.description == "Rent & more"


async def test_command_accepts_a_code_and_several_items(rig: Rig) -> None:
    await press(rig, await ask(rig, "send ana@example.com 26,00 rent code=INV-7"))
    found = await newest(rig)
    assert (found.cents, found.payload.code) == (2_600, "INV-7")
    rig.clock.advance(1)
    said = await ask(rig, "collect ana@example.com fees a=1x5,00 b=1x2.50")
    assert (said.text.splitlines()[0][-5:], labels(said)) == ("5.00.", ["Use a=1x5.00"])
    await press(rig, said)
    assert (await newest(rig)).cents == 750


async def test_press_is_checked_like_the_command(rig: Rig) -> None:
    """Frozen, not allowed any more, over the limit, no money to ask for: nothing is requested."""
    said = await ask(rig, "send ana@example.com 25,00 rent")
    await rig.pay("freeze the bank called", user=ADA)
    await press(rig, said)
    assert "frozen" in rig.workspace.ephemerals(MARIA)[-1].text
    await rig.pay("unfreeze", user=ADA)
    await rig.pay("unfreeze", user=LIN)
    rig.workspace.set_group("S0FINANCE", [])
    await rig.pass_time(61)
    await press(rig, said)
    assert not await requests(rig)
    rig.workspace.set_group("S0FINANCE", [MARIA])
    await rig.pass_time(61)
    await press(rig, await ask(rig, "send ana@example.com 25.001,00 rent"))
    assert "daily limit" in rig.workspace.ephemerals(MARIA)[-1].text
    assert not await requests(rig)
    await press(rig, said)
    assert len(await requests(rig)) == 1


@pytest.mark.parametrize("value", ["nothing", "- pay", "- nothing send x", "-"])
async def test_button_without_a_line_is_outdated(rig: Rig, value: str) -> None:
    message = await rig.workspace.say(MARIA, FINANCE, "anything")
    await rig.click(message, SEND_IT, value=value, force=True)
    assert rig.workspace.ephemerals(MARIA)[-1].text.startswith(":no_entry_sign: ")


async def test_two_mistakes_offer_no_button(rig: Rig) -> None:
    said = await ask(rig, "send ana 25,00 rent")
    assert [line.partition(":")[0] for line in said.text.splitlines()] == ["", "", "Example"]


async def test_bad_row_of_a_pasted_list_is_named(rig: Rig) -> None:
    await rig.pay("bulk")
    await rig.submit(MARIA, {forms.ROWS: 'ana@example.com,-25.00,a\nkim@example.com,"$1,500.00",b'})
    assert "Row 1: amount is -25.00; it must be more than 0" in rig.form().plain
    assert "Row 2" not in rig.form().plain
    assert not await requests(rig)


async def test_suggested_verb_runs_with_one_press(rig: Rig) -> None:
    said = await ask(rig, "sned ana@example.com 25.00 “March & April”")
    assert said.text == ":pencil2: Unknown command `sned`. Did you mean `/pay send`? See `/pay help`."
    assert labels(said) == ["Use /pay send"]
    await press(rig, said)
    assert (await newest(rig)).payload.description == "March & April"


@pytest.mark.parametrize(
    ("command", "line", "meant"),
    [
        ("/pay", "sned", "/pay send"),
        ("/pay", "aprovals", "/pay approvals"),
        ("/pay", "unfreze", "/pay unfreeze"),
        ("/pay", "blk show L-4F7K2M", "/pay bulk show"),
        ("/pay", "bulk histroy", "/pay bulk history"),
        ("/pay", "bulk fialed L-4F7K2M", "/pay bulk failed"),
        ("/deliver", "bok", "/deliver book"),
        ("/localize", "trancribe https://example.com/a.mp3", "/localize transcribe"),
        ("/email", "chekc ana@example.com", "/email check"),
        ("/switchboard", "stauts", "/switchboard status"),
        ("/switchboard", "audit exprot", ""),
        ("/pay", "dance", ""),
        ("/pay", "x", ""),
    ],
)
async def test_mistyped_verb_suggests_the_right_one(rig: Rig, command: str, line: str, meant: str) -> None:
    said = await ask(rig, line, command=command)
    assert (f"Did you mean `{meant}`?" in said.text) is bool(meant), said.text
    assert labels(said) == ([f"Use {meant}"] if meant else [])


@pytest.mark.parametrize(
    ("command", "line", "first"),
    [
        *(
            ("/pay", line, "`/pay send &lt;email&gt; &lt;amount&gt; &lt;description&gt; [code=…]`: request a payout")
            for line in ("send help", "help send", "send ?", "? send", "SEND HELP", "help SEND")
        ),
        ("/pay", "help bulk", "`/pay bulk`: request many payments with a file or typed rows"),
        ("/pay", "bulk help", "`/pay bulk`: request many payments with a file or typed rows"),
        ("/pay", "bulk show ?", "`/pay bulk show &lt;bulk&gt;`: show a bulk payment"),
        ("/pay", "freeze help", "`/pay freeze &lt;reason&gt;`: freeze all payments (approvers and admins)"),
        ("/deliver", "help store", "`/deliver store add|show|edit [store]`: show, edit or add a store (admins add)"),
        ("/email", "check help", "`/email check &lt;address…&gt;`: check one or several addresses"),
        ("/switchboard", "help audit export", "`/switchboard audit export`: "),
        ("/localize", "convert ?", "`/localize convert &lt;url&gt; [target=…]`: convert audio to .wav or .mp3"),
    ],
)
async def test_every_command_explains_its_verbs(rig: Rig, command: str, line: str, first: str) -> None:
    told = (await ask(rig, line, command=command)).text.splitlines()
    assert told[0].startswith(first)
    assert told[-1].startswith(f"Example: `{command} ")
    assert not await requests(rig)


@pytest.mark.parametrize("line", ["send @lin 25.00 rent", "now 25.00 @lin rent", "send <@U0LIN> 25.00 rent"])
async def test_mentioned_person_is_paid_at_the_address_of_the_profile(rig: Rig, line: str) -> None:
    rig.workspace.set_user(LIN, email="lin.chen@example.com")
    rig.payments.add_account("lin.chen@example.com", full_name="Lin Chen")
    rig.workspace.add_command("/pay", should_escape="<" not in line)
    said = await ask(rig, line)
    assert "lin.chen@example.com" in said.text
    await rig.settle()
    assert (await newest(rig)).payload.email == "lin.chen@example.com"
    assert "lin.chen@example.com" in (await rig.card()).text


async def test_name_is_accepted_in_place_of_an_address(rig: Rig) -> None:
    rig.workspace.set_user(LIN, email="lin.chen@example.com")
    rig.payments.add_account("lin.chen@example.com", full_name="Lin Chen")
    assert "Lin Chen" in (await ask(rig, "account @lin")).text
    await ask(rig, "collect @lin fees web=1x5.00")
    assert (await newest(rig)).payload.email == "lin.chen@example.com"


async def test_suggested_address_is_checked_with_one_press(rig: Rig) -> None:
    await rig.pay("send ana@example.com 25.00 rent")
    await rig.press("approve")
    await rig.payments.settle(operation(rig).id, "completed")
    await rig.pass_time(3_600)
    said = await ask(rig, "account ana@exmaple.com")
    assert said.text.splitlines()[-1] == "Did you mean *ana@example.com*?"
    assert labels(said) == ["Look up ana@example.com"]
    await press(rig, said)
    told = rig.workspace.ephemerals(MARIA)[-1]
    assert (told.ts, "Ana Maria Lopez" in told.text, told.buttons) == (said.ts, True, [])
    assert not (await ask(rig, "account luis@example.com")).buttons


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"email": ""}, "Slack shows no e-mail address for @lin."),
        ({"email": "lin"}, "Slack shows no e-mail address for @lin."),
        ({"email": "l@example.com", "bot": True}, "@lin is a bot."),
        ({"email": "l@example.com", "team_id": "T0OTHER"}, "@lin belongs to another workspace."),
        ({"email": "l@example.com", "deleted": True}, "The account of @lin is deactivated."),
    ],
)
async def test_person_without_address_is_not_paid_by_name(rig: Rig, changes: dict[str, object], why: str) -> None:
    rig.workspace.set_user(LIN, **changes)
    said = await ask(rig, "send @lin 25.00 rent")
    assert said.text == f":pencil2: {why} Type an e-mail address instead."
    assert not await requests(rig)


async def test_guest_is_paid_by_name_and_an_unknown_name_is_not(rig: Rig) -> None:
    rig.workspace.set_user(LIN, email="lin@example.com", restricted=True)
    for name in ("lin", "nobody"):
        said = await ask(rig, f"send @{name} 25.00 rent")
    assert said.text == ":pencil2: I can't find @nobody. Type an e-mail address instead."
    await rig.settle()
    assert [one.payload.email for one in await requests(rig)] == ["lin@example.com"]


async def test_non_requester_learns_no_address(rig: Rig) -> None:
    rig.workspace.set_user(LIN, email="lin.chen@example.com")
    for line in ("send @lin 25.00 rent", "account @lin"):
        assert "lin.chen" not in (await ask(rig, line, user=ZOE)).text
    assert not await requests(rig)


async def test_without_a_slack_answer_names_are_not_paid(rig: Rig) -> None:
    await rig.pay("send ana@example.com 10.00 first")
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "users.info", times=None))
    await rig.pay("send @lin 25.00 rent")
    assert len(await requests(rig)) == 1


SPELLINGS = ["{}", "{lower}", "{}.", "`{}`", '"{}"', "“{}”,", "{bare}", "{barelower}.", "{dash}", "({})"]


@pytest.mark.parametrize("spelled", SPELLINGS)
async def test_reference_is_read_in_common_spellings(rig: Rig, spelled: str) -> None:
    await rig.pay()
    name = (await newest(rig)).reference
    bare, dash = name[2:], name.replace("-", "–")
    typed = spelled.format(name, lower=name.lower(), bare=bare, barelower=bare.lower(), dash=dash)
    for user in (MARIA, ADA):
        told = (await ask(rig, f"show {typed}", user=user)).text
        assert f"requested by <@{MARIA}> · " in told, typed
        assert f" · {name}." in told, typed
    assert (await ask(rig, f"audit {typed}", user=ADA, command="/switchboard")).text.count(name)


async def test_code_similar_to_a_reference_is_preferred(rig: Rig) -> None:
    await rig.pay()
    name = (await newest(rig)).reference
    rig.clock.advance(1)
    await rig.pay(f"send ana@example.com 30.00 April code={name[2:]}")
    other = await newest(rig)
    assert other.reference in (await ask(rig, f"show {name[2:]}")).text


@pytest.mark.parametrize(
    ("verb", "given", "noun"),
    [
        ("bulk show", "{upper}", "single payout"),
        ("bulk items", "{lower}", "single payout"),
        ("bulk cancel", "{upper} all", "single payout"),
        ("show", "B-222222", "delivery"),
        ("events", "V-222222", "pre-booking"),
        ("bulk failed", "X-222222", "cancellation of payments"),
    ],
)
async def test_reference_of_another_kind_is_named_and_shown(rig: Rig, verb: str, given: str, noun: str) -> None:
    await rig.pay(user=TOM)
    name = (await newest(rig)).reference
    said = await ask(rig, f"{verb} {given.format(upper=name, lower=name.lower())}", user=TOM)
    assert said.text == f":pencil2: {name if '{' in given else given} is a {noun}."
    assert labels(said) == ["Show it"]
    if "{" in given:
        await press(rig, said, user=TOM)
        shown = [one for one in rig.workspace.ephemerals(TOM) if f"requested by <@{TOM}>" in one.text]
        assert [one.ts for one in shown] == [said.ts]


async def test_people_without_a_role_learn_nothing_of_a_request(rig: Rig) -> None:
    await rig.pay()
    name = (await newest(rig)).reference
    there = (await ask(rig, f"show {name}", user=ZOE)).text
    assert (await ask(rig, f"show {name[2:]}", user=ZOE)).text.replace(name[2:], name) == there
    assert EVE not in there


@pytest.mark.rig(opened_by=open_rig)
async def test_deliveries_name_payments_and_find_bookings_without_their_letter(rig: Rig) -> None:
    await booked(rig)
    (name,) = re.findall(r"B-\w{6}", card(rig).text)[:1]
    assert name in await deliver(rig, f"show {name[2:].lower()}.")
    assert await deliver(rig, "show P-222222") == ":pencil2: P-222222 is a single payout."
    assert await deliver(rig, "cancel L-222222 why") == ":pencil2: L-222222 is a bulk payment."
    assert await deliver(rig, "show B-222222") == ":pencil2: I can't find B-222222. Check the reference."


@pytest.mark.rig(opened_by=open_rig)
async def test_suggested_store_is_used_with_one_press(rig: Rig) -> None:
    await deliver(rig, "stores")
    said = await ask(rig, "store show Centrro", command="/deliver")
    assert said.text == ":pencil2: No store called “Centrro”. Did you mean Centro?"
    assert labels(said) == ["Use Centro"]
    await press(rig, said)
    await rig.workspace.until(lambda: [one for one in rig.workspace.ephemerals(MARIA) if "*Centro*" in one.text])
