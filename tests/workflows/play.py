"""A board of a test: what it shows is what the test says."""

from collections.abc import Mapping
from dataclasses import replace

from bot.domain.content import Content
from bot.playground.workspace import Message
from bot.slack.pace import Pace
from bot.workflows.context import Attachment, Context, Subject, Unit
from bot.workflows.slack.boards import post_board, post_file, post_line, show_board
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.settling import settle


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
        self, subject: str = "job:7", *, channel: str = FINANCE, thread_ts: str | None = None, requester: str = MARIA
    ) -> None:
        now = self.ctx.clock.now()
        await self.ctx.store.write(
            lambda tx: post_board(
                Unit(tx, now=now), subject=subject, channel=channel, thread_ts=thread_ts, requester=requester
            )
        )
        await settle(self.ctx)

    async def say(self, word: str, *, subject: str = "job:7", channel: str | None = None) -> None:
        now = self.ctx.clock.now()
        await self.ctx.store.write(
            lambda tx: post_line(Unit(tx, now=now), subject=subject, key=word, payload={"word": word}, channel=channel)
        )
        await settle(self.ctx)

    async def attach(self, word: str, *, subject: str = "job:7") -> None:
        now = self.ctx.clock.now()
        await self.ctx.store.write(
            lambda tx: post_file(Unit(tx, now=now), subject=subject, key=word, payload={"word": word})
        )
        await settle(self.ctx)

    async def count(self, subject: str = "job:7", *, progress: bool = False) -> None:
        self.job.count += 1
        now = self.ctx.clock.now()
        await self.ctx.store.write(lambda tx: show_board(Unit(tx, now=now), subject, progress=progress))
        await settle(self.ctx)

    async def pass_time(self, seconds: float) -> None:
        self.rig.clock.advance(seconds)
        await settle(self.ctx)

    def messages(self, channel: str = FINANCE) -> list[Message]:
        return self.rig.workspace.messages(channel)

    def edits(self) -> int:
        return len([call for call in self.rig.workspace.calls if call.method == "chat.update"])
