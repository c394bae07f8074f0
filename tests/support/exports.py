"""Lists sent as CSV files in direct messages."""

from bot.playground.workspace import Message
from tests.support.rig import MARIA, Rig
from tests.support.shown import shown


def files(rig: Rig, user: str) -> list[tuple[str, str]]:
    """Names and contents of the files in the direct messages of one person."""
    found = []
    for message in rig.workspace.messages(rig.workspace.open_dm(user).id):
        for name in message.files:
            stored = rig.workspace.file(name)
            assert stored is not None
            found.append((stored.name, stored.content.decode("utf-8")))
    return found


async def send(rig: Rig, listed: Message, user: str = MARIA, *, value: str | None = None, word: str = "direct") -> str:
    """Press *Send as CSV* below a list; the answer, once it has this word."""
    [button] = [one for one in listed.buttons if one.text == "Send as CSV"]
    before = len(rig.workspace.ephemerals(user))
    await rig.workspace.click(user, listed.channel, listed.ts, button.action_id, value=value, force=user != listed.user)

    def told() -> str | None:
        return next((shown(one.text) for one in rig.workspace.ephemerals(user)[before:] if word in one.text), None)

    return await rig.workspace.until(told)
