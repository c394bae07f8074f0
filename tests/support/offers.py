"""Dropped files on a rig, and the offers for them."""

from bot.playground.workspace import Message
from bot.playground.workspace.model import View
from tests.support.rig import FINANCE, MARIA, Rig


def said(rig: Rig, channel: str = FINANCE) -> list[Message]:
    return [message for message in rig.workspace.messages(channel) if message.bot_id and not message.ephemeral_to]


async def use_file(rig: Rig, message: Message, *, user: str = MARIA) -> View:
    """Use the shortcut on a message; returns the form that it opens."""
    await rig.workspace.shortcut(user, "use_file", channel=message.channel, ts=message.ts)

    def answered() -> View | None:
        view = rig.workspace.modal(user)
        return view if view is not None and "Looking" not in words_of(view) else None

    return await rig.workspace.until(answered)


def words_of(view: View) -> str:
    return "\n".join(block["text"]["text"] for block in view.blocks if block["type"] == "section")


def choices(view: View) -> dict[str, str]:
    """Options of the form: labels and values."""
    elements = [block["element"] for block in view.blocks if block["type"] == "input"]
    groups = [group for element in elements for group in element.get("option_groups", [element])]
    return {option["text"]["text"]: option["value"] for group in groups for option in group["options"]}
