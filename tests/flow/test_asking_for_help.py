"""How people find out what there is: a command typed alone, its help, a message to the bot as to a person."""

import json
import re
from html import unescape

import pytest

from handlers.grammar.verbs import SlashCommand
from handlers.registry import COMMANDS
from tests.support.deliveries import open_rig
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, OLGA, Rig
from tests.workflows.looking import requests

VERBS = [(slash.name, verb.name) for slash in COMMANDS for verb in slash.verbs]


@pytest.mark.parametrize("slash", COMMANDS, ids=lambda slash: slash.name)
async def test_command_alone_is_one_line_with_a_few_buttons(rig: Rig, slash: SlashCommand) -> None:
    await rig.workspace.slash(MARIA, FINANCE, f"/{slash.name}", "")
    answer = rig.workspace.ephemerals(MARIA)[-1]
    assert f"`/{slash.name} help`" in answer.text
    assert len(answer.text.split()) < 20
    lines = [one.value.removeprefix(f"- {slash.name} ") for one in answer.buttons]
    assert 2 <= len(lines) <= 5
    assert {*lines} <= {verb.name for verb in slash.verbs}


async def test_buttons_of_a_command_alone_open_its_forms(rig: Rig) -> None:
    for label, title in (("Pay someone", "New payout"), ("Pay in bulk", "Pay in bulk")):
        await rig.pay("")
        answer = rig.workspace.ephemerals(MARIA)[-1]
        pressed = next(one for one in answer.buttons if one.text == label)
        await rig.workspace.click(MARIA, FINANCE, answer.ts, pressed.action_id)
        assert rig.form().title == title
    assert await requests(rig) == []


@pytest.mark.parametrize(("command", "verb"), VERBS)
async def test_help_explains_each_part_of_a_line(rig: Rig, command: str, verb: str) -> None:
    await rig.workspace.slash(MARIA, FINANCE, f"/{command}", f"help {verb}")
    usage, *lines = unescape(rig.workspace.ephemerals(MARIA)[-1].plain).splitlines()
    parts = [found[1] for line in lines if (found := re.match(r"• `([^/`]+)`:", line))]
    assert all(part.count("[") == part.count("]") and part.count("<") == part.count(">") for part in parts)
    assert [option for option in re.findall(r"\w+=(?=…)", usage) if not any(option in part for part in parts)] == []


@pytest.mark.parametrize("text", ["help", "Hello, how do I pay Ana?"])
async def test_message_to_the_bot_is_answered_with_its_commands(rig: Rig, text: str) -> None:
    direct = await rig.switchboard.context.messenger.direct_message(MARIA)
    await rig.workspace.say(MARIA, direct, text)
    await rig.workspace.mention(MARIA, FINANCE, text)
    found = await rig.workspace.until(lambda: found if len(found := rig.workspace.ephemerals(MARIA)) > 1 else None)
    assert [one.channel for one in found] == [direct, FINANCE]
    assert all("`/pay`" in one.text for one in found)


async def test_messages_among_people_are_not_answered(rig: Rig) -> None:
    await rig.workspace.say(MARIA, FINANCE, "help")
    await rig.workspace.say(MARIA, APPROVALS, "Ask @switchboard for help")
    await rig.settle()
    assert rig.workspace.ephemerals(MARIA) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("translate to=spanich Hello there", "`to=spanich` isn't right: it must be"),
        ("convert https://example.com/a.wav target=ogg", "`target=ogg` isn't right: it must be wav or mp3."),
    ],
)
async def test_wrong_option_is_named_as_it_was_typed(rig: Rig, line: str, told: str) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/localize", line)
    assert told in rig.workspace.ephemerals(MARIA)[-1].text


def without_prefix(rig: Rig) -> set[str]:
    """Commands without the prefix in whatever was sent to Slack."""
    sent = json.dumps([call.args for call in rig.workspace.calls])
    seen = [
        one for user in (MARIA, ADA, OLGA) for one in (*rig.workspace.ephemerals(user), *rig.workspace.modals(user))
    ]
    every = "\n".join([sent, *(str(one) for one in seen)])
    assert "/sb-" in every
    return set(re.findall(r"(?<![\w/.<-])/(?:pay|deliver|localize|email|switchboard)\b.{0,30}", every))


@pytest.mark.rig(opened_by=open_rig, command_prefix="sb-")
async def test_prefix_is_named_by_help_mistakes_and_forms(rig: Rig) -> None:
    for slash in COMMANDS:
        rig.workspace.add_command(f"/sb-{slash.name}")
        verbs = [verb.name for verb in slash.verbs]
        lines = [f"{verb}{tail}" for verb in verbs for tail in ("", " ?", " 1 2 3 4")]
        for line in ("", "help", "nonsense", *(f"help {verb}" for verb in verbs), *lines):
            rig.clock.advance(10)
            await rig.workspace.slash(
                OLGA if slash.name == "switchboard" else MARIA, FINANCE, f"/sb-{slash.name}", line
            )
            await rig.settle()
    assert without_prefix(rig) == set()


@pytest.mark.rig(command_prefix="sb-")
async def test_prefix_is_named_by_cards_alerts_and_app_home(rig: Rig) -> None:
    rig.workspace.add_command("/sb-pay")
    await rig.workspace.slash(MARIA, FINANCE, "/sb-pay", 'send ana@example.com 25.00 "March translation"')
    await rig.settle()
    await rig.workspace.slash(OLGA, FINANCE, "/sb-pay", "freeze the bank called")
    await rig.press("approve")
    for user in (MARIA, ADA, OLGA):
        await rig.workspace.open_home(user)
    await rig.workspace.slash(ADA, FINANCE, "/sb-pay", "unfreeze")
    await rig.pass_time(3_600, steps=20)
    assert without_prefix(rig) == set()
