"""One message for a job, edited in place; its lines and files in the thread; each once, whatever Slack does."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.content import Content
from bot.domain.errors import ServiceNever
from bot.domain.reasons import Exchange, Reason
from bot.playground.faults import Fault, FaultKind
from bot.slack.messenger import Posted
from tests.support.replaced import replaced
from tests.support.rig import ALERTS, FINANCE, MARIA, MONEY, RANDOM, Rig
from tests.workflows.play import Counted, Play


@pytest.fixture
def play(rig: Rig) -> Play:
    return Play(rig)


async def test_board_is_edited_and_results_are_in_its_thread(play: Play) -> None:
    await play.post()
    await play.post()
    [root] = play.messages()
    assert (root.text, root.thread_ts) == ("Job 7 is at 0", "")
    await play.say("half")
    await play.say("half")
    await play.attach("rows")
    await play.count()
    [root, line, file] = play.messages()
    assert root.text == "Job 7 is at 1"
    assert (line.text, line.thread_ts) == ("7: half", root.ts)
    assert (file.text, file.thread_ts) == ("Here it is", root.ts)


async def test_undrawable_board_does_not_block_others(play: Play) -> None:
    class Poisoned(Counted):
        async def board(self, *_: object) -> Content | None:
            raise ZeroDivisionError("a defect")

    known = play.ctx.subjects
    play.ctx = replace(play.ctx, subjects={**known, "bad": Counted()})
    await play.post("bad:8", channel=RANDOM)
    await play.post("job:9")
    play.ctx = replace(play.ctx, subjects={**known, "bad": Poisoned()})
    await play.count("bad:8")
    await play.count("job:9")
    assert [one.text for one in play.messages()] == ["Job 9 is at 2"]
    for _ in range(8):
        await play.pass_time(61)
    [told] = play.messages(ALERTS)
    assert "is out of date" in told.text


async def test_board_without_its_thread_is_posted_alone(play: Play) -> None:
    await play.post(thread_ts="1795165200.999999")
    await play.say("half")
    [root, line] = play.messages()
    assert (root.thread_ts, line.thread_ts) == ("", root.ts)


async def test_file_refused_by_slack_alerts_and_blocks_nothing(play: Play) -> None:
    identity = play.rig.workspace.identity
    scopes = tuple(scope for scope in identity.scopes if scope != "files:write")
    play.rig.workspace._state.identity = replace(identity, scopes=scopes)
    await play.post()
    await play.attach("rows")
    await play.say("half")
    assert [one.text for one in play.messages()] == ["Job 7 is at 0", "7: half"]
    [alert] = play.messages(ALERTS)
    assert "couldn't be posted in <#C0FINANCE>: Slack says missing_scope" in alert.text


async def test_file_is_shared_once_despite_lost_answers(play: Play) -> None:
    for number, kind in enumerate((FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.ERROR_500)):
        play.rig.workspace.faults.arm(Fault(kind, "files.completeUploadExternal"))
        await play.post(f"job:{number}")
        await play.attach("rows", subject=f"job:{number}")
        for _ in range(8):
            await play.pass_time(15)
        assert [one.text for one in play.messages()[2 * number :]] == [f"Job {number} is at 0", "Here it is"], kind


@pytest.mark.parametrize("error", ["is_archived", "restricted_action", "no_permission"])
async def test_unpostable_channel_falls_back_to_a_direct_message(play: Play, error: str) -> None:
    messenger = play.ctx.messenger
    post = messenger.post

    async def closed(*, channel: str, **more: Any) -> Posted:
        if channel == FINANCE:
            raise ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error=error))
        return await post(channel=channel, **more)

    with replaced(messenger, "post", closed):
        await play.post()
    [root] = play.messages(play.rig.workspace.open_dm(MARIA).id)
    assert root.text == "Job 7 is at 0"


async def test_card_without_requester_waits_for_its_channel(play: Play) -> None:
    play.rig.workspace.set_channel(MONEY, archived=True)
    await play.post(channel=MONEY, requester="")
    for _ in range(60):
        await play.pass_time(60)
    [alert] = play.messages(ALERTS)
    assert "`channels.payments`" in alert.text
    play.rig.workspace.set_channel(MONEY, archived=False)
    for _ in range(6):
        await play.pass_time(60)
    assert [message.text for message in play.messages(MONEY)] == ["Job 7 is at 0"]
    assert "can be used again" in play.messages(ALERTS)[-1].text


async def test_unpostable_message_alerts(play: Play) -> None:
    await play.post(channel=RANDOM, requester="")
    for _ in range(20):
        await play.pass_time(61)
    [alert] = play.messages(ALERTS)
    assert alert.text.startswith(f":rotating_light: Action needed: a message couldn't be posted in <#{RANDOM}>: ")
