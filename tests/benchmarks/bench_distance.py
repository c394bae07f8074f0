"""Many at once while Slack and the services are far away, and some of them answer nothing.

Run with ``python -m tests.benchmarks.bench_distance``; choose with ``--what payouts bookings files``, ``--distances``
and ``--hanging``. Every answer of the workspace and of the services takes the distance longer. Those that hang were
asked before and get no answer for 30 s: half of them to a look-up, half to an effect. The bot is a process of its own.

The ideal of payouts is what ten requests a second allow: two a payout until its card is there (account, creation),
three from the approval on (a last look, the commit, a look after the callback); in addition the distance twice, for the
last answer and the post. Nothing bounds bookings and files but that a conversation is told one thing after the other:
the ideal of twenty bookings in one channel is one alone, in the same run, and nineteen posts more, that of a hundred
files in ten channels one alone and nine posts more. Requests are counted by arrival in a process of their own: one too
many is what a partner that counts strictly would have answered with 429.
"""

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.playground.faults import Fault, FaultKind, Faults
from bot.playground.process import free_port
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.workspace import Message
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.campaigns.gauge import Gauged, pace_of
from tests.process.scene import Scene
from tests.support.deliveries import FORM, STORE_KEY
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, POLICY

GOAL, GOAL_HANGING = 1.3, 1.4
_PAYOUTS, _BOOKINGS, _FILES, _CHANNELS = 20, 20, 100, 10
_TO_THE_CARD, _TO_THE_END = 2, 3
"""Requests that a payout needs until its card is there, and from its approval on."""
_ALLOWED = 10
_HANGS = 30.0
_PATIENCE = 120.0
_CSV = b"email,amount,note\nana@example.com,1.00,x\n"


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
    requests: int | None = None
    too_many: int = 0

    @property
    def ratio(self) -> Ratio:
        return Ratio(self.what, self.seconds / self.ideal, GOAL_HANGING if self.hanging else GOAL, at_least=False)

    def __str__(self) -> str:
        use = "" if self.requests is None else f"{self.requests / self.seconds / _ALLOWED:>8.2f}{self.too_many:>10}"
        return f"{self.what:<58}{self.seconds:>9.1f}{self.ideal:>9.1f}{self.seconds / self.ideal:>8.2f}{use}"


async def _until(scene: Scene, condition: Callable[[], bool]) -> float:
    """Wait until people see it; the moment."""
    await scene.workspace.until(lambda: condition() or None, timeout=_PATIENCE)
    return time.monotonic()


def _hang(faults: Faults, look_up: str, effect: str, count: int) -> None:
    """Let so many requests hang, half of them look-ups."""
    for operation, times in ((look_up, count // 2), (effect, count - count // 2)):
        if times:
            faults.arm(Fault(FaultKind.DONE_HANGS, operation, times=times, seconds=_HANGS))


def _where(what: str, distance: float, hanging: int) -> str:
    return f"{what}, {distance:g} s away" + (f", {hanging} hanging" if hanging else "")


# payouts


async def payouts(scene: FarScene, distance: float, hanging: int) -> list[Figure]:
    """From asking to all cards, and from approval to all completions."""
    if hanging:
        await _ask(scene, range(1, hanging + 1))
        _hang(scene.payments.faults, "get_operation", "commit_payout", hanging)
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
        told, ideal = f"{_PAYOUTS} payouts, {what}", _PAYOUTS * needed / _ALLOWED + 2 * distance
        too_many = pace_of(seen).too_many
        figures.append(Figure(_where(told, distance, hanging), seconds, ideal, hanging, len(seen), too_many))
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


# bookings


async def bookings(scene: FarScene, distance: float, hanging: int, *, service: DeliverySimulator) -> list[Figure]:
    """From the last submission of each form to all cards that say that the booking stands; one alone before."""
    people = [f"U0BOOKER{n:02}" for n in range(1 + hanging + _BOOKINGS)]
    for person in people:
        scene.workspace.add_user(person, person.lower(), real_name=person)
    scene.workspace.add_group("S0FINANCE", "finance", users=[MARIA, *people])
    scene.workspace.add_channel(FINANCE, "finance", members=[MARIA, *people])
    await service.until(lambda: service.calls_of("list_stores") or None, timeout=_PATIENCE)
    await scene.workspace.slash(MARIA, FINANCE, "/deliver", "stores")
    await _until(scene, lambda: any("Centro" in said for said in scene.ephemerals(MARIA)))

    async def to_the_price(person: str) -> None:
        await scene.workspace.slash(person, FINANCE, "/deliver", "book")
        await scene.workspace.submit(person, FORM)
        await _until(scene, lambda: "Delivery fee" in str(scene.workspace.modal(person)))

    await asyncio.gather(*map(to_the_price, people))
    scene.distance = distance
    alone = await _book(scene, people[:1])
    victims, ours = people[1 : 1 + hanging], people[1 + hanging :]
    if hanging:
        _hang(service.faults, "create_booking", "create_booking", hanging)
        await asyncio.gather(*(scene.workspace.submit(person, {}) for person in victims))
        await service.until(lambda: not service.faults.armed or None, timeout=_PATIENCE)
    what = _where(f"{_BOOKINGS} bookings, all told", distance, hanging)
    ideal = alone + (_BOOKINGS - 1) * distance
    return [Figure(what=what, seconds=await _book(scene, ours), ideal=ideal, hanging=hanging)]


async def _book(scene: Scene, people: list[str]) -> float:
    def booked() -> int:
        return sum("READY_FOR_PICKUP" in card.text for card in scene.cards(FINANCE))

    before, begun = booked(), time.monotonic()
    await asyncio.gather(*(scene.workspace.submit(person, {}) for person in people))
    return await _until(scene, lambda: booked() >= before + len(people)) - begun


# files


async def files(scene: FarScene, distance: float, hanging: int) -> list[Figure]:
    channels = [f"C0FILES{n}" for n in range(_CHANNELS)]
    for channel in [*channels, "C0ALONE", "C0HANGING"]:
        scene.workspace.add_channel(channel, channel.lower(), members=[MARIA])
    scene.distance = distance
    alone = await _drop(scene, ["C0ALONE"])
    if hanging:
        _hang(scene.workspace.faults, "files.info", "files.info", hanging)
        await asyncio.gather(*(scene.workspace.drop(MARIA, "C0HANGING", "a.csv", _CSV) for _ in range(hanging)))
        await scene.workspace.until(lambda: not scene.workspace.faults.armed or None, timeout=_PATIENCE)
    ideal = alone + (_FILES // _CHANNELS - 1) * distance
    what = _where(f"{_FILES} files, all offers", distance, hanging)
    seconds = await _drop(scene, channels * (_FILES // _CHANNELS))
    return [Figure(what=what, seconds=seconds, ideal=ideal, hanging=hanging)]


async def _drop(scene: Scene, channels: list[str]) -> float:
    def offered() -> int:
        messages = (message for channel in set(channels) for message in scene.workspace.messages(channel))
        return sum(bool(message.bot_id and message.buttons) for message in messages)

    begun = time.monotonic()
    drops = (scene.workspace.drop(MARIA, channel, f"{n}.csv", _CSV) for n, channel in enumerate(channels))
    await asyncio.gather(*drops)
    return await _until(scene, lambda: offered() >= len(channels)) - begun


# all of them

Measure = Callable[..., Awaitable[list[Figure]]]
MEASURES: dict[str, Measure] = {"payouts": payouts, "bookings": bookings, "files": files}


async def run(what: str, distance: float, hanging: int) -> list[Figure]:
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="switchboard-bench-"))
        measure, environment = MEASURES[what], dict[str, Any]()
        scenes: list[FarScene] = []
        if what == "bookings":
            service = DeliverySimulator()
            take_away(service.app, lambda: sum(one.distance for one in scenes))
            await stack.enter_async_context(service)
            service.add_store("Centro", token=STORE_KEY)
            environment = {"DELIVERY_BASE_URL": service.base_url, "DELIVERY_MASTER_KEY": service.master_key}
            measure = partial(bookings, service=service)
        port = str(free_port())
        scene = await FarScene.open(
            Path(folder),
            policy=POLICY,
            simulator={"rate_limit": None},
            PORT=port,
            PUBLIC_URL=f"http://127.0.0.1:{port}",
            POLL_SECONDS="15",
            QUIET_SECONDS="60",
            **environment,
        )
        stack.push_async_callback(scene.close)
        scenes.append(scene)
        return await measure(scene, distance, hanging)


def main() -> int:
    given = options(__doc__, what=list(MEASURES), distances=[0.05, 0.2, 0.5], hanging=[0, 1, 10])
    figures: list[Figure] = []
    print(f"{'':<58}{'seconds':>9}{'ideal':>9}{'ratio':>8}{'used':>8}{'too many':>10}")  # noqa: T201 - this is what it is for
    for what in given.what:
        for hanging in given.hanging:
            for distance in given.distances:
                for figure in asyncio.run(run(what, distance, hanging)):
                    figures.append(figure)
                    print(figure, flush=True)  # noqa: T201
    ratios = [figure.ratio for figure in figures]
    ratios.append(Ratio("requests too many", sum(figure.too_many for figure in figures), 0, at_least=False))
    return verdict(ratios)


if __name__ == "__main__":
    raise SystemExit(main())
