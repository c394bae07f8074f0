"""What a command is answered with."""

from bot.playground.workspace import Message
from tests.support.rig import FINANCE, MARIA, Rig


async def ask(rig: Rig, text: str, *, user: str = MARIA, channel: str = FINANCE) -> Message:
    """The answer to a command, once it is there; that somebody is asked is none."""
    before = len(rig.workspace.ephemerals(user))
    ack = await rig.workspace.slash(user, channel, "/pay", text)
    assert ack.ok

    def told() -> Message | None:
        new = [one for one in rig.workspace.ephemerals(user)[before:] if "Asking the" not in one.text]
        return new[-1] if new else None

    return await rig.workspace.until(told)
