"""Input that breaks a rule: the asker alone hears which argument, which rule and one right example; nothing happens."""

import json
import re

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, POLICY, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import ephemerals, heard, newest, requests

LINES = [
    "send ana@example.com",
    'send ana@example.com 25.00 "   "',
    "send ana 25.00 rent",
    "send 25.00 ana rent",
    "send ana@ 25.00 rent",
    "send ana@localhost 25.00 rent",
    "send ana@example 25.00 rent",
    "send ana@@example.com 25.00 rent",
    "send ana@exa_mple.com 25.00 rent",
    f"send {'a' * 60}@{'b' * 60}.com 25.00 rent",
    "send ana@example.com 0 rent",
    "send ana@example.com -1 rent",
    "send ana@example.com 1e3 rent",
    "send ana@example.com 25,00 rent",
    "send ana@example.com 1,500 rent",
    "send ana@example.com 25.001 rent",
    "send ana@example.com 25€ rent",
    "send ana@example.com 25 EUR rent",
    "send ana@example.com 25.00 eur",
    "send ana@example.com 25000.01 rent",
    "send ana@example.com 9999999999999 rent",
    f"send ana@example.com 25.00 {'x' * 501}",
    "send ana@example.com 25.00 \u202e\u200b",
    "send ana@example.com 25.00 rent code=A code=B",
    "send rent",
]


async def untouched(rig: Rig) -> None:
    """Nothing was stored, nobody was asked, nobody else saw anything."""
    await rig.settle()
    assert not rig.payments.calls
    assert not await requests(rig)
    assert not [message for channel in rig.workspace.channels for message in rig.workspace.messages(channel)]


async def test_mistakes_on_the_command_line(rig: Rig) -> None:
    """What is said of each line, above a line that would be right."""
    found = []
    for number, text in enumerate(LINES, 1):
        ack = await rig.pay(text)
        said = ephemerals(rig, MARIA)
        assert (ack.status, len(said)) == (200, number)
        assert len(said[-1]) < 1_500
        *mistakes, example = said[-1].splitlines()
        assert re.fullmatch(r"Example: `/pay send \S+@\S+ [0-9.$]+ (rent|\"March translation\")`", example), text
        assert await reads(rig, example.removeprefix("Example: `/pay ").rstrip("`"))
        told = " ".join(mistake.removeprefix(":pencil2: ") for mistake in mistakes)
        found.append(f"{text[5:40]} | {told}")
    await untouched(rig)
    assert "\n".join(found) == snapshot("""\
ana@example.com | Add an amount such as 25.00. Add a description: what is this for?
ana@example.com 25.00 "   " | Add a description: what is this for?
ana 25.00 rent | `ana` isn't an e-mail address.
25.00 ana rent | `25.00` isn't an e-mail address. `ana` isn't an amount.
ana@ 25.00 rent | `ana@` isn't an e-mail address.
ana@localhost 25.00 rent | `ana@localhost` isn't an e-mail address.
ana@example 25.00 rent | `ana@example` isn't an e-mail address.
ana@@example.com 25.00 rent | `ana@@example.com` isn't an e-mail address.
ana@exa_mple.com 25.00 rent | `ana@exa_mple.com` isn't an e-mail address.
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa | The email is `aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa … (shortened)`; it \
can have at most 120 characters.
ana@example.com 0 rent | The amount is `0`; it must be more than 0.
ana@example.com -1 rent | The amount is `-1`; it must be more than 0.
ana@example.com 1e3 rent | `1e3` isn't an amount.
ana@example.com 25,00 rent | Use a point for cents: 25.00.
ana@example.com 1,500 rent | Write 1500.00 for $1,500.00 or 1.50 for $1.50.
ana@example.com 25.001 rent | Write 25001.00 for $25,001.00.
ana@example.com 25€ rent | Amounts are in USD only.
ana@example.com 25 EUR rent | Amounts are in USD only.
ana@example.com 25.00 eur | Amounts are in USD only. Add a description: what is this for?
ana@example.com 25000.01 rent | The amount is `$25,000.01`; it is over everyone's daily limit of $25,000.00, which an \
admin can raise.
ana@example.com 9999999999999 rent | The amount is `9999999999999`; it is too large.
ana@example.com 25.00 xxxxxxxxxxxxx | A description can have at most 500 characters; this has 501.
ana@example.com 25.00 \u202e\u200b | Add a description: what is this for?
ana@example.com 25.00 rent code=A c | Give code= only once.
rent | `rent` isn't an e-mail address. Add an amount such as 25.00. Add a description: what is this for?\
""")


async def reads(rig: Rig, line: str) -> bool:
    """Whether a line is right; somebody who may not request it types it."""
    await rig.pay(line, user=ZOE)
    return ephemerals(rig, ZOE)[-1].startswith(":no_entry_sign:")


async def asked_for(rig: Rig, text: str) -> Instruction:
    rig.clock.advance(1)
    before = len(await requests(rig))
    await rig.pay(text)
    assert len(await requests(rig)) == before + 1, text
    return await newest(rig)


async def test_typed_text_is_stored_unescaped(rig: Rig) -> None:
    rig.workspace.add_command("/pay", should_escape=False)
    for text, email, description in [
        ("SEND\u00a0ana@example.com   25.00 \u202f “March translation”", "ana@example.com", "March translation"),
        ("send <mailto:a@b.cd|a@b.cd> 25.00 Smith & Sons <Ltd>", "a@b.cd", "Smith & Sons <Ltd>"),
        ("send ana@example.com 25.00 x=1&payload={} #1 C:\\temp", "ana@example.com", "x=1&payload={} #1 C:\\temp"),
        ("send ana@example.com 25.00 call <tel:5551234567|555-123 4567>", "ana@example.com", "call 555-123 4567"),
        ("send ana@example.com 25.00 call <tel:900|555>", "ana@example.com", "call 555 (900)"),
        ("send ana@example.com 25.00 for <!subteam^S01|@ops>, <!here|here>", "ana@example.com", "for @ops, @here"),
        ("send ana@example.com 25.00 see <#G01|>, <!subteam^S01>", "ana@example.com", "see #G01, @S01"),
        ("send ana@example.com 25.00 by <!date^0^{date}|May 2>", "ana@example.com", "by May 2"),
        ("send ana@example.com 25.00 <ftp://x.y/z|the file>", "ana@example.com", "the file (ftp://x.y/z)"),
        ("send ANA+b@bücher.example 25.00 O’Brien's -- rent", "ANA+b@xn--bcher-kva.example", "O'Brien's -- rent"),
    ]:
        found = (await asked_for(rig, text)).payload
        assert (found.email, found.description) == (email, description), text


TEXTS = [
    "<!channel> pay now", "<!here> and <!everyone>", "@ada look at #approvals", "<https://evil.example|login>",
    "https://evil.example/x", "*bold* _it_ `code` ~no~", "\u202eexe.tnemyap", "a\u2066b\u2069c", "&lt;!channel&gt;",
]  # fmt: skip


@pytest.mark.parametrize("escape", [True, False], ids=["escaped by Slack", "raw"])
async def test_markup_and_mentions_are_escaped_everywhere(rig: Rig, escape: bool) -> None:
    rig.workspace.add_command("/pay", should_escape=escape)
    await rig.pay(f'send ana@example.com 25.00 "{" ".join(TEXTS)}"')
    await rig.pay("approvals", user="U0ADA")
    await rig.pay(f"show {(await newest(rig)).reference}")
    await rig.press("approve")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(2)
    allowed = re.compile(r"@U0(MARIA|ADA)|#C0APPROVE|!date\^\d+\^\{date_short_pretty\} \{time(_secs)?\}\|[-0-9: ]+UTC")
    everything = [m for channel in rig.workspace.channels for m in rig.workspace.messages(channel)]
    everything += [m for user in rig.workspace.users for m in rig.workspace.ephemerals(user)]
    assert len(everything) >= 5
    for message in everything:
        marked = [message.text, *mrkdwn(message.blocks)]
        for found in (call for part in marked for call in re.findall(r"<([^>]*)>", part)):
            assert allowed.fullmatch(found), (found, message.text)
        assert not [part for part in marked if "*bold*" in part or "`code`" in part]
        assert not set("\u202e\u2066\u2069") & set(message.plain)


def mrkdwn(node: object) -> list[str]:
    """The texts in which Slack acts on markup."""
    if isinstance(node, list):
        return [text for item in node for text in mrkdwn(item)]
    if not isinstance(node, dict):
        return []
    own = [str(node["text"])] if node.get("type") == "mrkdwn" else []
    return own + [text for value in node.values() for text in mrkdwn(value)]


@pytest.mark.rig(policy=POLICY.replace('requesters = ["S0FINANCE"]', "requesters = []"))
async def test_empty_requesters_list_allows_nobody(rig: Rig) -> None:
    await rig.pay()
    assert "You don't have permission to request payments." in ephemerals(rig, MARIA)[0]
    await untouched(rig)


FIELDS = [
    (forms.EMAIL, "ana", "e-mail address"),
    (forms.AMOUNT, "0", "more than 0"),
    (forms.AMOUNT, "25,00", "Use a point for cents: 25.00"),
    (forms.AMOUNT, "25000.01", "daily limit of $25,000.00"),
    (forms.DESCRIPTION, "", "Add a description: what is this for?"),
    (forms.DESCRIPTION, "x" * 3000, "at most 500 characters"),
]


async def test_error_in_the_pay_form_is_at_its_field(rig: Rig) -> None:
    await rig.pay("send")
    right = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March"}
    examples = {**right, forms.DESCRIPTION: "March translation"}
    for field, value, rule in FIELDS:
        await rig.workspace.submit(MARIA, {**right, field: value}, force=True)
        form = rig.form()
        assert list(form.errors) == [field], value
        assert rule in form.errors[field], value
        assert examples[field] in form.errors[field], value
        assert value in str(form.values[field])  # what was typed stays
        await untouched(rig)
    await rig.submit(MARIA, right)
    assert len(await requests(rig)) == 1


async def test_lost_permission_is_shown_in_the_form(rig: Rig) -> None:
    await rig.pay("send")
    rig.workspace.set_group("S0FINANCE", [])
    await rig.pass_time(61)
    await rig.submit(MARIA, {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March"})
    assert "You don't have permission to request payments." in rig.form().plain
    await untouched(rig)


async def test_unidentified_user_changes_nothing(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "users.info", times=None))
    await rig.pay()
    assert "Slack couldn't say who you are" in await heard(rig, MARIA, "Try again")
    await untouched(rig)


@pytest.mark.rig(command_prefix="sb-")
async def test_prefix_renames_commands_and_examples(rig: Rig) -> None:
    rig.workspace.add_command("/sb-pay")
    await rig.workspace.slash(MARIA, FINANCE, "/sb-pay", "send ana")
    assert '`/sb-pay send ana@example.com 25.00 "March translation"`' in ephemerals(rig, MARIA)[0]
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "help", force=True)
    assert shown(ephemerals(rig, MARIA)[1]) == snapshot(":question: `/pay` isn't a Switchboard command.")
    await rig.workspace.slash(ADA, FINANCE, "/sb-pay", "freeze the bank called")
    await rig.settle()
    assert "To resume: `/sb-pay unfreeze`" in rig.workspace.messages(APPROVALS)[-1].text


@pytest.mark.parametrize("kind", ["bulk", "purchase", "bulk_cancel", "of tomorrow", None])
async def test_form_of_another_kind_requests_nothing(rig: Rig, kind: str | None) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send")
    object.__setattr__(rig.form(), "private_metadata", json.dumps({"channel": FINANCE, "kind": kind}))
    await rig.submit(MARIA, {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "Rent"})
    assert await requests(rig) == []
    assert "This form is out of date." in rig.form().plain
