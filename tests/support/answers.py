"""Answers to commands."""

from bot.playground.workspace import Ack, Message
from bot.playground.workspace.limits.blocks import check_blocks
from tests.presentation.checks import check_markup
from tests.support.rig import FINANCE, MARIA, Rig


async def ask(rig: Rig, text: str, *, command: str = "/pay", user: str = MARIA, channel: str = FINANCE) -> Message:
    """The one answer to a command; the notice that a service is being asked does not count."""
    before = len(rig.workspace.ephemerals(user))
    ack = await rig.workspace.slash(user, channel, command, text)
    assert ack.ok

    def told() -> list[Message]:
        return [one for one in rig.workspace.ephemerals(user)[before:] if ": Asking " not in one.text]

    [answer] = await rig.workspace.until(told)
    assert check_blocks(answer.blocks, "message") == []
    check_markup(answer.blocks)
    return answer


def is_accepted(ack: Ack) -> bool:
    """Whether a request was stored: its line says so, or the answer, where that says more."""
    return ack.ok and (not ack.body or "Request sent: " in str(ack.body))
