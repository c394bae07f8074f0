"""The whole product in one process, with people, a service, crashes and a clock that only acts move.

A crash ends every task of the application where it stands; a new application is then started on the same database.
:class:`tests.world.run.Run` adds the faults of a plan and people who act by themselves,
:class:`tests.world.history.History` the acts that random histories are made of.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

from bot.playground.faults import Faults
from bot.playground.simulators.callbacks import Callback
from bot.playground.workspace import Ack, Message
from bot.playground.workspace.model import SentRequest
from tests.support.clock import ManualClock
from tests.support.databases import lay, migrated_file, sqlite_address
from tests.support.rig import POLICY, Rig, is_card
from tests.world.books import Books
from tests.world.checker import Ask, Checker
from tests.world.law import Law, Register
from tests.world.plans import Kind, Point, Side
from tests.world.seams import CHANCE, WRITER, Life, remember_tasks, start_in
from tests.world.witness import Witness

T = TypeVar("T")

_DOWN_SECONDS = 2.0
_MOST_LIVES = 6
_MOST_ROUNDS = 200
_UNANSWERED = "operation_timeout"
UNDELIVERED = "dispatch_failed"


class World:
    """The surroundings of one run; ``async with`` opens and closes them."""

    paid_outside: int = 0
    """Number of payments made at the service without us."""

    def __init__(self, folder: Path, **rig: Any) -> None:
        self.clock = ManualClock()
        self.law = Law(POLICY)
        """The policy of the process that runs."""
        self.asks: dict[str, Ask] = {}
        """What people asked for, by the id of the instruction."""
        self.trace: list[Point] = []
        self._idle: set[Point] = set()
        """Writes that had nothing to do."""
        self.lives = 0
        self.died_before = 0
        """See :class:`tests.world.seams.Outside`."""
        self.disturbed_at = self.clock.seconds()
        """Time of the last act of a person or the last fault."""
        self.is_closing = False
        """Set when the run was checked: no more faults, the world is only closed."""
        self.gave_up = ""
        self.troubles: list[str] = []
        """Exceptions of workers; the next tick tries again."""
        self.life: Life
        self._rig = rig
        self._counts: Counter[tuple[Side, str]] = Counter()
        self._written: Counter[str] = Counter()
        self._path = folder / "switchboard.db"
        self._down = asyncio.Event()
        self._busy = False

    async def __aenter__(self) -> Self:
        CHANCE.seed(0)
        remember_tasks(asyncio.get_running_loop())
        self._rig["around"] = {"probe": self._probe, **self._rig.get("around", {})}
        lay(self._path, migrated_file())
        self.rig = await Rig.open(database_url=sqlite_address(self._path), clock=self.clock, start=False, **self._rig)
        self.payments, self.workspace = self.rig.payments, self.rig.workspace
        self.payments_faults: Faults = self.payments.faults
        self.slack_faults: Faults = self.workspace.faults
        self._tap()
        self.furnish()
        await self._boot()
        self.books = Books(self._path)
        self.register = Register(self.workspace)
        self.register.note(self.clock.seconds())
        self.checker = Checker(self)
        self.witness = Witness(self.workspace, self.payments, self.books, self.clock.seconds, self.checker.arrived)
        self.witness.attach()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.is_closing = True
        self.books.close()
        await self.rig.close()

    def furnish(self) -> None:
        """Set up the service."""

    def asked(self, instruction_id: str) -> Ask | None:
        return self.asks.get(instruction_id)

    def cards(self, reference: str) -> list[Message]:
        everywhere = self.workspace._state.log.everywhere()
        return [one for one in everywhere if not one.ephemeral_to and reference in one.text and is_card(one)]

    def _tap(self) -> None:
        """Intercept deliveries of the workspace and callbacks of the service to the app."""
        delivery, callbacks = self.workspace._delivery, self.payments.callbacks
        deliver, post = delivery._deliver, callbacks._post

        async def delivering(request: SentRequest, retry: int, reason: str) -> Ack:
            return await self._between(request, lambda: deliver(request, retry, reason))

        async def posting(session: Any, callback: Callback) -> None:
            await self._calling_back(callback, lambda sent: post(session, sent))

        delivery._deliver = delivering  # type: ignore[method-assign]
        callbacks._post = posting  # type: ignore[method-assign]

    def meet(self, side: Side, name: str) -> tuple[Point, Kind | None]:
        self._counts[side, name] += 1
        point = Point(side, name, self._counts[side, name])
        self.trace.append(point)
        kind = None if self.is_closing else self.fault_at(point)
        if kind is not None:
            self.disturbed_at = self.clock.seconds()
        return point, kind

    def met(self) -> tuple[str, ...]:
        """Points in the order in which they were met, without writes that had nothing to do."""
        return tuple(str(point) for point in self.trace if point not in self._idle)

    def fault_at(self, point: Point) -> Kind | None:
        raise NotImplementedError

    async def meanwhile(self, point: Point) -> None:
        """Nobody acts while a request of ours is under way, unless a run says so."""

    def wrote(self, name: str, result: object) -> None:
        self._written[name] += 1
        if not result and (name.startswith("claim") or name in ("recover", "tighten")):
            self._idle.add(Point(Side.WRITE, name, self._written[name]))

    def _probe(self, moment: str) -> None:
        self.life.probe(moment)

    async def _between(self, request: SentRequest, deliver: Callable[[], Awaitable[Ack]]) -> Ack:
        _, kind = self.meet(Side.PERSON, _kind_of(request))
        if kind is Kind.LOST:
            return Ack(status=0, request=request, error=UNDELIVERED)
        if kind is Kind.CRASH_BEFORE:
            await self._crash()
        ack = await deliver()
        if kind is Kind.CRASH_AFTER:
            await self._crash()
        if kind is Kind.TWICE:
            await deliver()
        if kind is Kind.DONE_DROPPED:
            return Ack(status=0, request=request, error=_UNANSWERED)
        return ack

    async def _calling_back(self, callback: Callback, post: Callable[[Callback], Awaitable[None]]) -> None:
        _, kind = self.meet(Side.CALLBACK, callback.kind)
        if kind is Kind.LOST:
            return
        if kind is Kind.GARBAGE:
            callback = replace(callback, body="<html>Bad gateway</html>")
        if kind is Kind.FORGED:
            callback = replace(callback, body=self.payments._forged(callback))
        if kind is Kind.CRASH_BEFORE:
            await self._crash()
        await post(callback)
        if kind is Kind.CRASH_AFTER:
            await self._crash()
        if kind is Kind.TWICE:
            await post(callback)

    async def _crash(self) -> None:
        self.died_before += self.life.dead.is_set()
        self.life.dead.set()
        await self._down.wait()

    async def _boot(self) -> None:
        """Start the application; restart it, as a supervisor does, when the start fails."""
        for _ in range(_MOST_LIVES):
            self.life, self._down = Life(self), asyncio.Event()
            self.lives += 1
            starting = start_in(self.life, self.rig.start())
            if await self._alive(self.life, starting) and starting.exception() is None:
                port = int(self.rig.switchboard.url.rpartition(":")[2])
                # The service keeps the callback addresses that it was given: the next life must have the same.
                self.rig.settings = self.rig.settings.model_copy(update={"port": port})
                return
            if not self.life.dead.is_set():
                self.troubles.append(f"start: {starting.exception()!r}")
                await self._bury(self.life)
            self.clock.advance(_DOWN_SECONDS)
        raise RuntimeError(f"the application does not start any more: {self.troubles[-3:]}")

    async def _alive(self, life: Life, task: "asyncio.Task[Any]") -> bool:
        """Wait for a task or the life's death; clean up a dead life. Returns whether it still lives."""
        dying = asyncio.create_task(life.dead.wait())
        await asyncio.wait({task, dying}, return_when=asyncio.FIRST_COMPLETED)
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        if not life.dead.is_set():
            return True
        await self._bury(life)
        await asyncio.gather(task, return_exceptions=True)
        return False

    async def _bury(self, life: Life) -> None:
        """Cancel every task of a life, and close what the end of a real process would close."""
        life.dead.set()
        tasks = [task for task in life.tasks if task.get_name() != WRITER]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(start_in(life, self.rig.switchboard.stop()), return_exceptions=True)
        self._down.set()

    async def act(self, doing: Awaitable[T]) -> T | None:
        """Act from outside of the application; restart it if it dies meanwhile. None: it was not done."""
        if self._busy:
            return await doing  # nested call: an outer call watches the life already
        return await self._outlive(asyncio.ensure_future(doing))

    async def _outlive(self, task: "asyncio.Future[T]") -> T | None:
        self._busy = True
        alive = await self._alive(self.life, task)  # type: ignore[arg-type]
        if not alive:
            self.clock.advance(_DOWN_SECONDS)
            await self._boot()
        self._busy = False
        self.witness.look()
        if task.cancelled():
            return None
        error = task.exception()
        if error is None:
            return task.result()
        if isinstance(error, Exception):
            raise error
        return None

    async def settle(self) -> None:
        for _ in range(_MOST_ROUNDS):
            if await self._outlive(start_in(self.life, self.run_due())) == 0:
                return
        raise RuntimeError("I10: there is no end of what is due")

    async def run_due(self) -> int:
        raise NotImplementedError

    async def service_moves(self) -> None:
        async def moving() -> None:
            self.payments.tick()
            await self.payments.delivered()

        await self.act(moving())

    async def answered(self) -> None:
        life = None
        while life is not self.life:
            life = self.life
            await self.act(life.answered())


def _kind_of(request: SentRequest) -> str:
    """Name of a delivery: a command, or the type of an interaction with the id of its button or form."""
    if request.kind != "interactive":
        return request.kind
    payload = request.payload
    actions = payload.get("actions") or [{}]
    name = actions[0].get("action_id") or (payload.get("view") or {}).get("callback_id") or ""
    return f"{payload['type']}:{name}"
