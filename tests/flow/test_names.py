"""Names are anybody's choice: they ring nobody, format nothing, and approvers see the handle besides."""

import re
from html import unescape

import pytest

from tests.support.clock import DAY
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, MARIA, MONEY, Rig
from tests.workflows.looking import ephemerals, requests

LOUD = "<!channel> <@U0ADA> *paid* :white_check_mark: ✅ `x`"
QUIET = "&lt;!channel&gt; &lt;@U0ADA&gt; ∗paid∗ ꞉white_check_mark: ˋxˋ"
EMPTY = "\u3164\u200b"
CHANNELS = (FINANCE, APPROVALS, ALERTS, MONEY)


def everything(rig: Rig) -> str:
    """All that Slack would act on: texts of messages, and their blocks as mrkdwn."""
    return "\n".join(f"{message.text}\n{message.blocks}" for one in CHANNELS for message in rig.workspace.messages(one))


async def test_file_name_cannot_mention_people(rig: Rig) -> None:
    rig.workspace.set_user(MARIA, real_name=LOUD)
    rig.workspace.set_user(ADA, real_name=LOUD)
    await rig.pay()
    await rig.pass_time(DAY / 4)
    await rig.reject("no invoice")
    said = everything(rig)
    assert "more approval" in said, "a reminder"
    assert QUIET in said
    assert not re.search(r"<!(channel|here|everyone)|:white_check_mark: ✅|\*paid\*", said)


async def test_approvers_see_the_handle_besides(rig: Rig) -> None:
    rig.workspace.set_user(MARIA, real_name="Ada Okafor")
    await rig.pay()
    assert "requested by Ada Okafor (maria) · 0 of 1" in (await rig.card(APPROVALS)).plain
    assert "requested by Ada Okafor (maria) · " in (await rig.card(APPROVALS)).text
    assert "requested by Ada Okafor · " in (await rig.card(FINANCE)).text


async def test_empty_name_is_unknown(rig: Rig) -> None:
    rig.workspace.set_user(MARIA, real_name=EMPTY)
    rig.payments.add_account("ana@example.com", full_name=EMPTY)
    await rig.pay()
    assert "requested by unknown · " in (await rig.card(FINANCE)).text
    card = await rig.card(APPROVALS)
    assert "requested by unknown (maria) · 0 of 1" in card.plain
    assert card.blocks[0]["text"]["text"] == "$25.00 USD to ana@example.com", "the address stands instead"


async def test_account_name_cannot_format(rig: Rig) -> None:
    rig.payments.add_account("ana@example.com", full_name=LOUD)
    await rig.pay()
    card = await rig.card(APPROVALS)
    assert card.blocks[0]["text"] == {"type": "plain_text", "text": f"$25.00 USD to {unescape(QUIET)}", "emoji": False}
    assert card.text.startswith(f"Approve $25.00 to {QUIET} (ana@example.com)?")
    await rig.pay("account ana@example.com", user=ADA)
    assert f"Registered name: {QUIET}" in ephemerals(rig, ADA)[-1]


@pytest.mark.parametrize(
    "letter", ["\u115f", "\u1160", "\u3164", "\uffa0", "\u2800", "\u0378", "\u200b", "\u034f", "\u3164\u0301"]
)
async def test_invisible_description_is_missing(rig: Rig, letter: str) -> None:
    await rig.pay(f'send ana@example.com 25.00 "{letter * 3}"')
    assert ephemerals(rig, MARIA)[-1].startswith(":pencil2: Add a description")
    await rig.pay("send")
    await rig.submit(MARIA, {"email": "ana@example.com", "amount": "25.00", "description": letter * 3})
    assert rig.form(MARIA).errors.keys() == {"description"}
    assert not await requests(rig)


async def test_marks_do_not_pile_up(rig: Rig) -> None:
    accents = "\u0301" * 200
    await rig.pay(f"send ana@example.com 25.00 Ma{accents}rch")
    (found,) = await requests(rig)
    assert found.payload.description == "Ma\u0301\u0301\u0301\u0301rch"


async def test_quoted_address_is_refused(rig: Rig) -> None:
    await rig.pay("send")
    await rig.submit(MARIA, {"email": '"a b"@example.com', "amount": "25.00", "description": "March"})
    assert rig.form(MARIA).errors == {"email": "It can have no quotation marks. Example: ana@example.com"}
    assert not await requests(rig)
