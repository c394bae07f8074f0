"""Buttons on dropped files: who may not use what is behind one is refused, and a slow file shows that it is read."""

from pathlib import Path

import pytest

from bot.playground.workspace import Message
from tests.support import bulk, media
from tests.support.rig import EVE, FINANCE, GUS, MARIA, Rig


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
async def test_files_are_offered_to_members_only(rig: Rig, tmp_path: Path, user: str, said: str) -> None:
    table = await offered(rig, "march.csv", bulk.GOOD)
    sound = await offered(rig, "talk.wav", media.make(tmp_path, "wav"))
    buttons = [(table, "Pay in bulk"), (table, "Process e-mails"), (sound, "Detect gender"), (sound, "Convert")]
    for offer, label in buttons:
        assert await pressed(rig, offer, label, user=user) == said
    assert not rig.payments.bulk_payments
