"""Buttons on dropped files: who may not use what is behind one is refused, and a slow file shows that it is read."""

from pathlib import Path

import pytest

from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import FileKind
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.playground.workspace import Message
from bot.workflows.localization.request import request_call
from handlers import email
from handlers.incoming import Click
from handlers.replies import Later, Open
from handlers.router import Dependencies
from tests.support import bulk, media
from tests.support.rig import EVE, FINANCE, GUS, MARIA, ZOE, Rig


async def offered(rig: Rig, name: str, content: bytes | Path) -> Message:
    await rig.workspace.drop(MARIA, FINANCE, name, content)
    await rig.settle()
    return next(one for one in reversed(bulk.everything(rig, FINANCE)) if one.buttons)


async def pressed(rig: Rig, offer: Message, label: str, *, user: str) -> str:
    """What this person is told."""
    before = len(rig.workspace.ephemerals(user))
    await rig.workspace.click(user, FINANCE, offer.ts, bulk.button(offer, label).action_id)
    await rig.workspace.until(lambda: rig.workspace.ephemerals(user)[before:])
    assert rig.workspace.modal(user) is None
    return rig.workspace.ephemerals(user)[-1].text


GUESTS = ":no_entry_sign: Guests can't do this. Ask a full member of this workspace."
STRANGERS = ":no_entry_sign: Only members of this workspace can do this."


@pytest.mark.parametrize(("user", "said"), [(GUS, GUESTS), (EVE, STRANGERS)])
async def test_a_table_and_a_sound_are_for_members(rig: Rig, tmp_path: Path, user: str, said: str) -> None:
    table = await offered(rig, "march.csv", bulk.GOOD)
    sound = await offered(rig, "talk.wav", media.make(tmp_path, "wav"))
    buttons = [(table, "Pay in bulk"), (table, "Process e-mails"), (sound, "Detect gender"), (sound, "Convert")]
    for offer, label in buttons:
        assert await pressed(rig, offer, label, user=user) == said
    assert not rig.payments.bulk_payments


async def test_paying_is_for_requesters_and_addresses_are_for_every_member(rig: Rig) -> None:
    offer = await offered(rig, "march.csv", bulk.GOOD)
    assert "You don't have permission to request payments." in await pressed(rig, offer, "Pay in bulk", user=ZOE)
    await rig.workspace.click(ZOE, FINANCE, offer.ts, bulk.button(offer, "Process e-mails").action_id)
    await rig.workspace.until(lambda: rig.workspace.modal(ZOE))


async def test_where_the_bot_is_no_member_the_number_in_the_queue_is_told_privately(rig: Rig, tmp_path: Path) -> None:
    offer = await offered(rig, "talk.wav", media.make(tmp_path, "wav"))
    for number in range(4):
        sound = Request(operation=CallOperation.SEPARATION, file="F1").complete()
        await request_call(rig.switchboard.context, sound, by=MARIA, channel=FINANCE, source_key=f"call:{number}")
        rig.clock.advance(0.01)  # calls have an order
    rig.workspace.kick(FINANCE, "U0BOT")
    told = await pressed(rig, offer, "Detect gender", user=MARIA)
    assert "Number 2 in the queue. I'm not in this channel" in told


async def test_while_a_list_is_read_the_form_names_it(rig: Rig) -> None:
    deps = Dependencies(ctx=rig.switchboard.context, messenger=None, ephemerals=None, allowance=None, homes=None)  # type: ignore[arg-type]
    click = Click(
        action_id="use.emails", value="", user=MARIA, channel=FINANCE, ts="", trigger_id="", response_url="", view_id=""
    )
    file = DroppedFile(
        id="F1", name="march.csv", size=9, mimetype="text/csv", kind=FileKind.TABLE, format="csv", channel=FINANCE,
        message_ts="1.2", thread_ts="", user=MARIA,
    )  # fmt: skip
    reply = await email.process(deps, click, file)
    assert isinstance(reply, Later)
    assert isinstance(reply.meanwhile, Open)
    (block,) = reply.meanwhile.view["blocks"]
    assert block["text"]["text"] == ":hourglass_flowing_sand: Reading march.csv…"
