"""Bookings, calls and a list that are busy together, in a workspace that counts strictly; a second at a time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.domain.content import Content
from bot.workflows.context import Context, Subject, Unit
from bot.workflows.slack.boards import post_board, post_line, show_board
from storage.transaction import Tx
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.settling import settle
from tests.support.strict import Referee

BOOKINGS = [f"booking:{number}" for number in range(12)]
CALLS = [f"job:{number}" for number in range(8)]
LISTS = ["list:1"]
EVERYTHING = [*BOOKINGS, *CALLS, *LISTS]
OVER = "over"


@pytest.fixture
def referee() -> Referee:
    return Referee()


@pytest.fixture
def variations(referee: Referee) -> dict[str, Any]:
    return {"prepare": referee.watch, "around": {"pace": None}}


@dataclass
class Busy(Subject):
    """What is under way, and the second in which each edit was made and each end was told."""

    rig: Rig
    states: dict[str, str] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)
    shown: dict[str, int] = field(default_factory=dict)
    told: dict[str, int] = field(default_factory=dict)
    edits: list[int] = field(default_factory=list)
    second: int = 0

    async def board(self, _ctx: Context, id: str) -> Content | None:  # noqa: A002 - the protocol's name
        return Content(text=f"{id} {self.states[id]}")

    async def line(self, _ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        return Content(text=f"{id} told {payload['word']}")

    @property
    def ctx(self) -> Context:
        ctx = self.rig.switchboard.context
        return replace(ctx, subjects={**ctx.subjects, **{kind: _Of(self, kind) for kind in ("booking", "job", "list")}})

    async def begin(self) -> None:
        """Post the boards, and let the limits of posts recover."""
        now = self.ctx.clock.now()

        def post(tx: Tx) -> None:
            for name in EVERYTHING:
                post_board(Unit(tx, now=now), subject=name, channel=FINANCE, thread_ts=None, requester=MARIA)

        self.states = dict.fromkeys(EVERYTHING, "0")
        await self.ctx.store.write(post)
        for _ in range(60):
            self.rig.clock.advance(1)
            await settle(self.ctx)

    async def pass_second(self, ending: Sequence[str] = ()) -> None:
        self.second += 1
        self.rig.clock.advance(1)
        before = len(self.rig.workspace.calls)
        await self.ctx.store.write(lambda tx: self._go_on(tx, ending))
        await settle(self.ctx)
        for call in list(self.rig.workspace.calls)[before:]:
            if call.ok:
                self._note(call.method, str(call.args.get("text")))

    def _go_on(self, tx: Tx, ending: Sequence[str]) -> None:
        """Some end, a booking changes every nine seconds, calls and lists make progress."""
        now, word = self.ctx.clock.now(), str(self.second)
        for number, name in enumerate(EVERYTHING):
            last, changes = name in ending, name in BOOKINGS and (self.second + number) % 9 == 0
            if name in self.ends or (name in BOOKINGS and not changes and not last):
                continue
            self.states[name] = said = OVER if last else word
            show_board(Unit(tx, now=now), name, progress=not changes and not last, last=last)
            if last or changes:
                post_line(Unit(tx, now=now), subject=name, key=said, payload={"word": said}, last=last)
            if last:
                self.ends[name] = self.second

    def _note(self, method: str, text: str) -> None:
        name, is_end = text.partition(" ")[0], text.endswith(OVER)
        if method == "chat.update":
            self.edits.append(self.second)
            if is_end:
                self.shown.setdefault(name, self.second)
        elif is_end:
            self.told.setdefault(name, self.second)

    def late(self, done: Mapping[str, int]) -> dict[str, int]:
        """After how many seconds each end was told or shown."""
        return {name: done[name] - at for name, at in self.ends.items()}

    def longest_pause(self) -> int:
        return max(later - earlier for earlier, later in zip(self.edits, self.edits[1:], strict=False))


class _Of(Subject):
    def __init__(self, busy: Busy, kind: str) -> None:
        self._busy = busy
        self._kind = kind

    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - the protocol's name
        return await self._busy.board(ctx, f"{self._kind}:{id}")

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        return await self._busy.line(ctx, f"{self._kind}:{id}", payload)


async def test_last_states_are_shown_and_told_first_and_the_edits_never_stand_still(rig: Rig, referee: Referee) -> None:
    """With six and then twelve that end at once, after a minute with more changes and progress than Slack takes."""
    busy = Busy(rig)
    await busy.begin()
    six = [*BOOKINGS[1:4], *CALLS[1:3], *LISTS]
    twelve = [*BOOKINGS[4:], *CALLS[3:7]]
    ends = {60: [BOOKINGS[0], CALLS[0]], 75: six, 100: twelve}
    for second in range(1, 140):
        await busy.pass_second(ends.get(second, ()))
    shown, told = busy.late(busy.shown), busy.late(busy.told)
    assert [shown[name] for name in (BOOKINGS[0], CALLS[0], *six)] == [0] * 8
    assert max(shown.values()) <= 12, "six of twelve at once, the others two seconds apart"
    assert [told[name] for name in (BOOKINGS[0], CALLS[0])] == [0, 0]
    assert max(told[name] for name in six) <= 6, "a message a second in one channel, before those that wait there"
    assert max(told.values()) <= 20, "and eight of twelve have lines of their own to tell before"
    assert busy.longest_pause() <= 4
    assert max(sum(1 for at in busy.edits if second - 60 < at <= second) for second in range(140)) <= 48
    assert not referee.refused["chat.update"]
    assert not referee.too_early


async def test_the_pause_that_slack_named_is_kept_and_no_longer_one(rig: Rig, referee: Referee) -> None:
    """Another process uses most of the edits: Slack takes one in five seconds, and says so."""
    referee.slow_down("chat.update", per_minute=12)
    busy = Busy(rig)
    await busy.begin()
    await busy.pass_second()
    in_flight = referee.too_early.total()
    assert in_flight < 10, "they were sent before the first answer"
    for second in range(2, 80):
        await busy.pass_second({30: [BOOKINGS[0]], 50: [CALLS[0], LISTS[0]]}.get(second, ()))
    assert referee.refused["chat.update"] > 5
    assert referee.too_early.total() == in_flight
    assert busy.longest_pause() <= 6, "five seconds, to the next whole one"
    shown = busy.late(busy.shown)
    assert shown[BOOKINGS[0]] <= 6
    assert max(shown.values()) <= 12
