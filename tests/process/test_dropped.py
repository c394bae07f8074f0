"""``kill -9`` between a dropped file and its offer: the offer is posted exactly once."""

import asyncio

import pytest

from bot.playground.workspace import Message
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.rig import FINANCE, MARIA

CSV = b"email,amount,note\nana@example.com,1.00,x\n"


def offers(scene: Scene) -> list[Message]:
    return [message for message in scene.workspace.messages(FINANCE) if message.bot_id and message.buttons]


@pytest.mark.parametrize(
    ("method", "after_effect"),
    [("files.info", True), ("chat.postMessage", False), ("chat.postMessage", True)],
    ids=["while it is looked at", "before the offer is posted", "after it was posted and not answered"],
)
async def test_a_file_is_offered_once_whenever_the_process_dies(
    open_scene: Opening, method: str, after_effect: bool
) -> None:
    scene = await open_scene(PLAY_SHOWN="1")
    held = scene.slack_gate.hold(method, after_effect=after_effect)
    dropped = await scene.workspace.drop(MARIA, FINANCE, "rows.csv", CSV)
    await held.arrival()
    await scene.bot.kill()
    held.release(vanish=not after_effect)
    await scene.start()
    await scene.workspace.until(lambda: offers(scene)[0], timeout=40)
    await scene.settled(timeout=40)
    await asyncio.sleep(1.5)  # a second offer would have been posted by now
    assert [offer.thread_ts for offer in offers(scene)] == [dropped.ts]
