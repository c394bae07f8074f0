"""Open, read and press an App Home."""

import re

from bot.playground.workspace import View
from bot.playground.workspace.limits.surfaces import checked_view
from tests.presentation.checks import check_markup, check_with_sdk, text_objects
from tests.support.rig import Rig
from tests.support.shown import shown

_MOMENT = re.compile(r"<!date\^\d+\^[^|]*\|([^>]*)>")
_LINK = re.compile(r"<http[^|>]*\|([^>]*)>")


def home_of(rig: Rig, user: str) -> View:
    view = rig.workspace.home(user)
    assert view is not None
    return view


def lines(view: View) -> str:
    """What is seen, one block a line or several: buttons in brackets, instants in UTC, links by their words."""
    checked_view(view.source, "home")
    check_with_sdk(view.blocks)
    check_markup(view.blocks)
    told = []
    for block in view.blocks:
        pressed = [*block.get("elements", []), *([block["accessory"]] if "accessory" in block else [])]
        buttons = [f"[{one['text']['text']}]" for one in pressed if one["type"] == "button"]
        texts = [text["text"] for text in text_objects({**block, "accessory": {}, "elements": []})]
        texts += [text["text"] for one in pressed if one["type"] != "button" for text in text_objects(one)]
        told.append(" ".join([*texts, *buttons]))
    return shown(_LINK.sub(r"\1", _MOMENT.sub(r"\1", "\n".join(told))))


async def opened(rig: Rig, user: str) -> str:
    await rig.workspace.open_home(user)
    return lines(await rig.workspace.until(lambda: rig.workspace.home(user)))


async def press(rig: Rig, user: str, action: str, *, draws: bool = True, **more: str | bool) -> None:
    """Press in the home; wait until it is drawn again, where that follows, and until all is done that follows."""
    before = len(calls(rig))
    await rig.workspace.click_in_view(user, action, home=True, **more)  # type: ignore[arg-type]
    if draws:
        await rig.workspace.until(lambda: len(calls(rig)) > before)
    await rig.settle()


def calls(rig: Rig) -> list[object]:
    return [call for call in rig.workspace.calls if call.method == "views.publish"]
