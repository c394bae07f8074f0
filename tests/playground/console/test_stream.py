import asyncio

import pytest

from bot.playground.console.feed import KEPT
from tests.playground.console.scene import APPROVALS, FINANCE, NORA, TOMAS, Scene, listening


async def test_events_missed_while_disconnected_are_sent_on_reconnect(scene: Scene) -> None:
    async with listening(scene, NORA) as events:
        await scene.workspace.say(TOMAS, FINANCE, "one")
        seen = await events.until("message")
    await scene.workspace.say(TOMAS, FINANCE, "two")
    async with listening(scene, NORA, last_event_id=seen["_id"]) as events:
        change = await events.until("message")
    assert change["message"]["text"] == "two"
    assert change["position"] == change["_id"] != seen["_id"]


async def test_private_channels_and_whispers_stay_private(scene: Scene) -> None:
    async with listening(scene, NORA) as events:
        await scene.workspace.say(TOMAS, APPROVALS, "secret")
        await scene.workspace.slash(TOMAS, FINANCE, "/pay", "whisper to me")
        await scene.workspace.say(TOMAS, FINANCE, "public")
        first = await events.until("message")
    assert first["message"]["text"] == "public"
    async with listening(scene, TOMAS) as events:
        await scene.workspace.slash(TOMAS, FINANCE, "/pay", "whisper to me")
        whispered = await events.until("message")
    assert whispered["message"]["ephemeral"]


async def test_edits_and_deletions_arrive(scene: Scene) -> None:
    posted = await scene.bot.client.chat_postMessage(channel=FINANCE, text="before")
    async with listening(scene, NORA) as events:
        await scene.bot.client.chat_update(channel=FINANCE, ts=posted["ts"], text="after")
        edited = await events.until("message")
        await scene.bot.client.chat_delete(channel=FINANCE, ts=posted["ts"])
        gone = await events.until("gone")
    assert (edited["message"]["text"], bool(edited["message"]["edited"])) == ("after", True)
    assert gone["key"] == posted["ts"]


async def test_views_are_sent_to_their_person_only(scene: Scene) -> None:
    await scene.workspace.slash(TOMAS, FINANCE, "/pay", "send it")
    card = await scene.workspace.until(lambda: scene.workspace.messages(FINANCE)[-1])
    position = (await scene.state())["position"]
    async with listening(scene, TOMAS, after=position) as his, listening(scene, NORA, after=position) as hers:
        await scene.workspace.click(TOMAS, FINANCE, card.ts, "reject")
        await scene.workspace.open_home(TOMAS)
        view = await his.until("view")
        home = await his.until("home")
        await scene.workspace.say(TOMAS, FINANCE, "end")
        kinds = set()
        while (change := await hers.next())["kind"] != "message":
            kinds.add(change["kind"])
    assert view["view"]["title"] == "Reject it"
    assert view["depth"] == 1
    assert home["home"]["blocks"][0]["text"]["text"] == "Nothing waits for you"
    assert kinds <= {"service"}


async def test_call_is_listed_with_its_changes(scene: Scene) -> None:
    async with listening(scene, NORA) as events:
        await scene.commit()
        async with asyncio.timeout(10):
            while True:
                change = await events.until("service")
                if change["call"] and change["call"]["moved"] and change["call"]["status"]:
                    break
    assert change["name"] == "payments"
    assert change["call"]["moved"] == "$25.00"
    assert {figure["name"]: figure["value"] for figure in change["status"]["figures"]}["moved"] == "$25.00"


async def test_changes_of_people_arrive(scene: Scene) -> None:
    async with listening(scene, NORA) as events:
        scene.workspace.add_channel("C0NEW", "new", members=[NORA])
        change = await events.until("places")
    assert "new" in [channel["name"] for channel in change["channels"]]


@pytest.mark.parametrize("position", ["deadbeef-3", "nonsense", "-3", "00000000-0", "{run}-x", "{run}-99"])
async def test_unknown_stream_position_reloads_everything(scene: Scene, position: str) -> None:
    run = (await scene.state())["position"].rpartition("-")[0]
    async with listening(scene, NORA, after=position.replace("{run}", run)) as events:
        await events.next("gap")


async def test_long_absent_page_reloads_everything(scene: Scene) -> None:
    position = (await scene.state())["position"]
    for _ in range(KEPT + 1):
        scene.workspace.set_user(TOMAS, title="Approver")
        await asyncio.sleep(0)
    async with listening(scene, NORA, after=position) as events:
        await events.next("gap")


async def test_an_open_stream_does_not_hold_up_the_end(scene: Scene) -> None:
    async with listening(scene, NORA):
        await asyncio.wait_for(scene.workspace.stop(), 5)
