"""A rig with one command, button, form and event more, called ``boom``, that do what a test says."""

from collections.abc import Awaitable, Callable

from bot.playground.workspace import Ack
from bot.presentation import views
from handlers.replies import Reply
from tests.support.rig import FINANCE, MARIA, Rig

Behaviour = Callable[[], Awaitable[Reply]]
Played = tuple[Rig, dict[str, Behaviour]]
KINDS = ["command", "click", "form", "event"]


def replies(reply: Reply) -> Behaviour:
    async def handle() -> Reply:
        return reply

    return handle


async def boom(rig: Rig, kind: str = "command") -> Ack:
    """Do what makes the handler run."""
    if kind == "command":
        return await rig.workspace.slash(MARIA, FINANCE, "/boom")
    if kind == "click":
        message = await rig.workspace.say(MARIA, FINANCE, "anything")
        return await rig.workspace.click(MARIA, FINANCE, message.ts, "boom", force=True)
    if kind == "event":
        return await rig.workspace.send_event({"type": "reaction_added", "user": MARIA, "item": {}})
    view = {**views.notice("Form", "Text"), "callback_id": "boom", "id": "V0BOOM"}
    payload = {"type": "view_submission", "team": {"id": "T0HOME"}, "user": {"id": MARIA}, "view": view}
    return await rig.workspace._delivery.send("interactive", payload)
