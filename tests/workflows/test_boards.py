"""One message for a job, edited in place; its lines and files in the thread; each once, whatever Slack does."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain.content import Content
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.slack.pace import Pace
from bot.wiring.workers import settle
from bot.workflows.context import Attachment, Context, Subject
from bot.workflows.slack.boards import post_board, post_file, post_line, show_board
from tests.support.clock import ManualClock
from tests.support.rig import ALERTS, FINANCE, MARIA, RANDOM, Rig
from tests.workflows.test_delivery import KINDS


class Counted(Subject):
    """A job that counts."""

    def __init__(self) -> None:
        self.count = 0
        self.over = False

    async def board(self, _ctx: Context, id: str) -> Content | None:  # noqa: A002 - the protocol's name
        return None if self.over else Content(text=f"Job {id} is at {self.count}")

    async def line(self, _ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        return None if self.over else Content(text=f"{id}: {payload['word']}")

    async def file(self, _ctx: Context, id: str, payload: Mapping[str, object]) -> Attachment | None:  # noqa: A002
        name = f"{id}-{payload['word']}.csv"
        return Attachment(name=name, content=b"a,b\r\n", title=name, alt="Two letters", comment="Here it is")


class Play:
    """A rig whose context knows one kind of subject."""

    def __init__(self, rig: Rig, *, pace: Pace | None = None) -> None:
        self.rig = rig
        self.job = Counted()
        ctx = rig.switchboard.context
        self.ctx = replace(ctx, subjects={**ctx.subjects, "job": self.job}, pace=pace or ctx.pace)

    async def post(
        self,
        subject: str = "job:7",
        *,
        channel: str = FINANCE,
        thread_ts: str | None = None,
        requester: str = MARIA,
    ) -> None:
        now = self.ctx.clock.now()
        await self.ctx.store.write(
            lambda tx: post_board(
                tx, subject=subject, channel=channel, thread_ts=thread_ts, requester=requester, now=now
            )
        )
        await settle(self.ctx)

    async def say(self, word: str, *, channel: str | None = None) -> None:
        now = self.ctx.clock.now()
        await self.ctx.store.write(
            lambda tx: post_line(tx, subject="job:7", key=word, payload={"word": word}, now=now, channel=channel)
        )
        await settle(self.ctx)

    async def attach(self, word: str) -> None:
        now = self.ctx.clock.now()
        await self.ctx.store.write(lambda tx: post_file(tx, subject="job:7", key=word, payload={"word": word}, now=now))
        await settle(self.ctx)

    async def count(self, subject: str = "job:7", *, progress: bool = False) -> None:
        self.job.count += 1
        now = self.ctx.clock.now()
        await self.ctx.store.write(lambda tx: show_board(tx, subject, now=now, progress=progress))
        await settle(self.ctx)

    async def pass_time(self, seconds: float) -> None:
        assert self.rig.clock is not None
        self.rig.clock.advance(seconds)
        await settle(self.ctx)

    def messages(self, channel: str = FINANCE) -> list[Message]:
        return self.rig.workspace.messages(channel)

    def edits(self) -> int:
        return len([call for call in self.rig.workspace.calls if call.method == "chat.update"])


@pytest.fixture
def play(rig: Rig) -> Play:
    return Play(rig)


async def test_one_message_is_edited_and_the_rest_stands_in_its_thread(play: Play) -> None:
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


async def test_a_board_that_cannot_be_drawn_holds_up_no_other(play: Play) -> None:
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
    assert "shows an older state" in told.text


async def test_a_board_in_a_thread_keeps_its_details_in_that_thread(play: Play) -> None:
    above = await play.rig.workspace.say(MARIA, FINANCE, "a file")
    await play.post(thread_ts=above.ts)
    await play.say("half")
    assert [one.thread_ts for one in play.messages()[1:]] == [above.ts, above.ts]


async def test_a_board_whose_thread_is_gone_stands_by_itself_and_keeps_its_details(play: Play) -> None:
    await play.post(thread_ts="1795165200.999999")
    await play.say("half")
    [root, line] = play.messages()
    assert (root.thread_ts, line.thread_ts) == ("", root.ts)


async def test_a_file_that_slack_refuses_is_told_to_the_alerts_channel_and_holds_up_nothing(play: Play) -> None:
    identity = play.rig.workspace.identity
    scopes = tuple(scope for scope in identity.scopes if scope != "files:write")
    play.rig.workspace._state.identity = replace(identity, scopes=scopes)
    await play.post()
    await play.attach("rows")
    await play.say("half")
    assert [one.text for one in play.messages()] == ["Job 7 is at 0", "7: half"]
    [alert] = play.messages(ALERTS)
    assert "could not be posted" in alert.text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("skip", range(2), ids=["board", "line"])
async def test_each_message_arrives_once_whatever_becomes_of_its_answer(play: Play, kind: FaultKind, skip: int) -> None:
    play.rig.workspace.faults.arm(Fault(kind, "chat.postMessage", skip=skip))
    await play.post()
    await play.say("half")
    await play.count()
    for _ in range(8):
        await play.pass_time(15)
    [root, line] = play.messages()
    assert (root.text, line.text, line.thread_ts) == ("Job 7 is at 1", "7: half", root.ts)


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.ERROR_500])
async def test_a_file_arrives_once_whatever_becomes_of_its_answer(play: Play, kind: FaultKind) -> None:
    play.rig.workspace.faults.arm(Fault(kind, "files.completeUploadExternal"))
    await play.post()
    await play.attach("rows")
    for _ in range(8):
        await play.pass_time(15)
    assert [one.text for one in play.messages()] == ["Job 7 is at 0", "Here it is"]


async def test_where_the_bot_is_no_member_the_requester_gets_it_directly(play: Play) -> None:
    await play.post(channel=RANDOM)
    await play.say("half")
    await play.count()
    assert play.messages(RANDOM) == []
    [root, line] = play.messages(play.rig.workspace.open_dm(MARIA).id)
    assert (root.text, line.text, line.thread_ts) == ("Job 7 is at 1", "7: half", root.ts)


async def test_a_line_elsewhere_stands_by_itself(play: Play) -> None:
    await play.post()
    await play.say("look", channel=ALERTS)
    [line] = play.messages(ALERTS)
    assert (line.text, line.thread_ts) == ("7: look", "")


async def test_what_has_nothing_to_say_any_more_says_nothing(play: Play) -> None:
    play.job.over = True
    await play.post()
    await play.say("half")
    assert play.messages() == []


async def test_what_can_be_posted_nowhere_is_told_to_the_alerts_channel(play: Play) -> None:
    await play.post(channel=RANDOM, requester="")
    for _ in range(20):
        await play.pass_time(61)
    [alert] = play.messages(ALERTS)
    assert "could not be posted" in alert.text
    assert RANDOM in alert.text


async def test_progress_uses_three_quarters_of_the_edits_and_the_end_is_shown_at_once(rig: Rig) -> None:
    assert rig.clock is not None
    play = Play(rig, pace=Pace(monotonic=rig.clock.boottime))
    await play.post()
    for _ in range(58):
        await play.count(progress=True)
        await play.pass_time(1)
    assert play.edits() <= 20, "one in three seconds"
    for number in range(30):
        await play.post(f"job:other{number}")
    before = play.edits()
    for _ in range(4):
        for number in range(30):
            await play.count(f"job:other{number}", progress=True)
        await play.pass_time(3)
    assert 15 <= play.edits() - before <= 36
    await play.count()
    assert play.messages()[0].text == f"Job 7 is at {play.job.count}"
    await play.pass_time(61)
    await play.pass_time(61)
    later = play.ctx.clock.now() + timedelta(days=1)
    assert await play.ctx.store.read(lambda tx: tx.boards.due(later, 99)) == []


async def test_after_a_restart_boards_go_on(sqlite_url: str) -> None:
    rig = await Rig.open(database_url=sqlite_url, clock=ManualClock())
    play = Play(rig)
    await play.post()
    now = play.ctx.clock.now()
    await play.ctx.store.write(lambda tx: show_board(tx, "job:7", now=now))
    await rig.switchboard.stop()
    await rig.start()
    again = Play(rig)
    again.job.count = 5
    await settle(again.ctx)
    assert [one.text for one in again.messages()] == ["Job 7 is at 5"]
    await rig.close()
