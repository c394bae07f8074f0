"""Answers to commands."""

from bot.playground.workspace import Message
from tests.support.rig import FINANCE, MARIA, Rig


async def ask(rig: Rig, text: str, *, user: str = MARIA, channel: str = FINANCE) -> Message:
    """The final answer to a command; the notice that a service is being asked does not count."""
    before = len(rig.workspace.ephemerals(user))
    ack = await rig.workspace.slash(user, channel, "/pay", text)
    assert ack.ok

    def told() -> Message | None:
        new = [one for one in rig.workspace.ephemerals(user)[before:] if "Asking the" not in one.text]
        return new[-1] if new else None

    return await rig.workspace.until(told)
