"""Many payouts at once while Slack and the partner are far away, and some requests get no answer.

Run with ``python -m tests.benchmarks.bench_distance``; choose with ``--distances`` and ``--hanging``. Every answer of
the workspace and of the partner takes the distance longer. Requests that hang get no answer for 30 s: half of them are
look-ups, half commits. The bot is a process of its own.

The ideal is what ten requests a second allow: two a payout until its card is there (account, creation), three from the
approval on (a last look, the commit, a look after the callback); in addition the distance twice, for the last answer
and the post. Requests are counted by arrival in a process of their own: one too many is what a partner that counts
strictly would have answered with 429.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.playground.faults import Fault, FaultKind
from bot.playground.process import free_port
from bot.playground.workspace import Message
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.campaigns.gauge import Gauged, pace_of
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, POLICY

GOAL, GOAL_HANGING = 1.3, 1.4
_PAYOUTS = 20
_TO_THE_CARD, _TO_THE_END = 2, 3
"""Requests that a payout needs until its card is there, and from its approval on."""
_ALLOWED = 10
_HANGS = 30.0
_PATIENCE = 120.0


class FarScene(Scene):
    """A scene whose workspace and payments service are far away: ``distance`` seconds, there and back."""

    distance = 0.0
    gauge: Gauged

    async def _open_outside(self) -> None:
        for app in (self.workspace.app, self.payments.app):
            take_away(app, lambda: self.distance)
        await super()._open_outside()
        self.gauge = Gauged(self.payments.port)
        self._stack.callback(self.gauge.stop)

    def _environment(self, changed: Mapping[str, str | None]) -> dict[str, str]:
        return super()._environment({"PAYMENTS_BASE_URL": f"http://127.0.0.1:{self.gauge.ports[0]}", **changed})


def take_away(app: web.Application, distance: Callable[[], float]) -> None:
    """Put a server that does not serve yet at a distance."""

    @web.middleware
    async def travel(request: web.Request, handler: Handler) -> web.StreamResponse:
        await request.read()  # now: the sender may be gone when it has travelled
        await asyncio.sleep(distance() / 2)
        answer = await handler(request)
        await asyncio.sleep(distance() / 2)
        return answer

    app.middlewares.append(travel)


@dataclass(frozen=True)
class Figure:
    """Of one stretch: seconds, those of the ideal, and what the partner saw meanwhile."""

    what: str
    seconds: float
    ideal: float
    hanging: int
    requests: int
    too_many: int

    @property
    def ratio(self) -> Ratio:
        return Ratio(self.what, self.seconds / self.ideal, GOAL_HANGING if self.hanging else GOAL, at_least=False)

    def __str__(self) -> str:
        use = f"{self.requests / self.seconds / _ALLOWED:>8.2f}{self.too_many:>10}"
        return f"{self.what:<58}{self.seconds:>9.1f}{self.ideal:>9.1f}{self.seconds / self.ideal:>8.2f}{use}"


async def _until(scene: Scene, condition: Callable[[], bool]) -> float:
    """Wait until people see it; the moment."""
    await scene.workspace.until(lambda: condition() or None, timeout=_PATIENCE)
    return time.monotonic()


async def payouts(scene: FarScene, distance: float, hanging: int) -> list[Figure]:
    """From asking to all cards, and from approval to all completions."""
    if hanging:
        await _ask(scene, range(1, hanging + 1))
        for operation, times in (("get_operation", hanging // 2), ("commit_payout", hanging - hanging // 2)):
            if times:
                scene.payments.faults.arm(Fault(FaultKind.DONE_HANGS, operation, times=times, seconds=_HANGS))
        await _approve(scene, range(1, hanging + 1))
        await scene.payments.until(lambda: not scene.payments.faults.armed or None, timeout=_PATIENCE)
    scene.distance = distance
    ours = range(100, 100 + _PAYOUTS)
    figures = []
    for what, needed, act in (
        ("all cards", _TO_THE_CARD, _ask),
        ("approval to all completions told", _TO_THE_END, _to_the_end),
    ):
        begun = time.monotonic()
        seconds = await act(scene, ours) - begun
        seen = [one for one in scene.gauge.arrivals() if one.at >= begun]
        told = f"{_PAYOUTS} payouts, {what}, {distance:g} s away" + (f", {hanging} hanging" if hanging else "")
        ideal = _PAYOUTS * needed / _ALLOWED + 2 * distance
        figures.append(Figure(told, seconds, ideal, hanging, len(seen), pace_of(seen).too_many))
    return figures


async def _ask(scene: Scene, amounts: range) -> float:
    await asyncio.gather(*(scene.pay(f'send ana@example.com {one}.00 "No {one}"') for one in amounts))
    return await _until(scene, lambda: len(_cards(scene, amounts)) == len(amounts))


def _of(scene: Scene, channel: str, amounts: range) -> list[Message]:
    """The cards of these amounts."""
    words = [f"${one}.00" for one in amounts]
    return [card for card in scene.cards(channel) if any(one in card.text for one in words)]


def _cards(scene: Scene, amounts: range) -> list[str]:
    """Those that can be decided on, once the channel of the request has as many copies."""
    found = _of(scene, APPROVALS, amounts) if len(_of(scene, FINANCE, amounts)) == len(amounts) else []
    return [card.ts for card in found if any(button.action_id == "payout.approve" for button in card.buttons)]


async def _approve(scene: Scene, amounts: range) -> None:
    clicks = (scene.workspace.click(ADA, APPROVALS, ts, "payout.approve") for ts in _cards(scene, amounts))
    await asyncio.gather(*clicks)


async def _to_the_end(scene: Scene, amounts: range) -> float:
    await _approve(scene, amounts)

    def all_told() -> bool:
        """In the threads: edits of cards are paced over the whole workspace, fifty a minute."""
        return all(len(scene._saying(channel, "completed")) >= len(amounts) for channel in (FINANCE, APPROVALS))

    return await _until(scene, all_told)


async def run(distance: float, hanging: int) -> list[Figure]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="switchboard-bench-"))
        port = str(free_port())
        scene = await FarScene.open(
            Path(folder),
            policy=POLICY,
            simulator={"rate_limit": None},
            PORT=port,
            PUBLIC_URL=f"http://127.0.0.1:{port}",
            POLL_SECONDS="15",
            QUIET_SECONDS="60",
        )
        stack.push_async_callback(scene.close)
        return await payouts(scene, distance, hanging)


def main() -> int:
    given = options(__doc__, distances=[0.05, 0.2, 0.5], hanging=[0, 1, 10])
    figures: list[Figure] = []
    print(f"{'':<58}{'seconds':>9}{'ideal':>9}{'ratio':>8}{'used':>8}{'too many':>10}")  # noqa: T201 - this is what it is for
    for hanging in given.hanging:
        for distance in given.distances:
            for figure in asyncio.run(run(distance, hanging)):
                figures.append(figure)
                print(figure, flush=True)  # noqa: T201
    ratios = [figure.ratio for figure in figures]
    ratios.append(Ratio("requests too many", sum(figure.too_many for figure in figures), 0, at_least=False))
    return verdict(ratios)


if __name__ == "__main__":
    raise SystemExit(main())
