"""One run: the whole product in one process, with people, a service and the faults of a plan.

Time stands still unless the run moves it. A crash ends every task of the application where it stands; a new
application is then started on the same database, and people repeat what nobody acknowledged.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from bot.playground.faults import Faults
from bot.playground.simulators.callbacks import Callback
from bot.playground.workspace import Ack
from bot.playground.workspace.model import SentRequest
from bot.wiring.workers import WORKERS
from tests.chaos.flows import Flow
from tests.chaos.people import Person
from tests.chaos.plans import Kind, Plan, Point, Side
from tests.chaos.records import Books
from tests.chaos.seams import WRITER, Life, remember_tasks, start_in
from tests.chaos.witness import Act, Witness
from tests.support.clock import ManualClock
from tests.support.rig import Rig
from tests.support.settling import run_due

T = TypeVar("T")

_DOWN_SECONDS = 2.0
_MOST_TURNS = 400
_MOST_LIVES = 6
_TIME_OUT = 0.4
"""Time-out of our side in seconds, in runs with a full time-out."""
_QUIET_SECONDS = 240.0
"""Four reads a minute apart; the default of a quarter of an hour only repeats them."""
_UNANSWERED = "operation_timeout"
_UNDELIVERED = "dispatch_failed"
_OVER = frozenset({
    "completed", "canceled", "failed", "rejected", "withdrawn", "expired", "refused", "mismatch", "closed",
    "needs_human",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Crossing:
    """An effect met in a run; ``idle`` for a write that had nothing to do."""

    point: Point
    idle: bool = False


class World:
    """The surroundings of one run. ``async with World(...)`` opens and closes them; ``live`` runs the flow."""

    def __init__(self, *, flow: Flow, plan: Plan, folder: Path) -> None:
        self.flow = flow
        self.plan = plan
        self.clock = ManualClock()
        self.trace: list[Crossing] = []
        self.hits: list[Point] = []
        self.lives = 0
        self.died_before = 0
        """See :class:`tests.chaos.seams.Outside`."""
        self.disturbed_at = self.clock.seconds()
        """Time of the last act of a person or the last fault."""
        self.is_closing = False
        """Set when the run was checked: no more faults, the world is only closed."""
        self.gave_up = ""
        self.troubles: list[str] = []
        """Exceptions of workers; the next tick tries again."""
        self._faults = {**dict(flow.base), **dict(plan.faults)}
        self._counts: Counter[tuple[Side, str]] = Counter()
        self._written: Counter[str] = Counter()
        self._path = folder / "switchboard.db"
        self._life: Life | None = None
        self._down = asyncio.Event()
        self._busy = False

    # opening and closing

    async def __aenter__(self) -> "World":
        remember_tasks(asyncio.get_running_loop())
        hanging = Kind.TIMED_OUT in self._faults.values()
        seconds = {"service_total": _TIME_OUT, "slack_total": _TIME_OUT} if hanging else {}
        self.rig = await Rig.open(
            database_url=f"sqlite+aiosqlite:///{self._path}",
            clock=self.clock,
            simulator={"step_seconds": self.flow.step_seconds},
            around={"probe": self._probe, **seconds},
            start=False,
            quiet_seconds=_QUIET_SECONDS,
        )
        self.payments, self.workspace = self.rig.payments, self.rig.workspace
        self.payments_faults: Faults = self.payments.faults
        self.slack_faults: Faults = self.workspace.faults
        self._tap()
        self.flow.furnish(self.payments)
        await self._boot()
        self.books = Books(self._path)
        self.witness = Witness(self.workspace, self.payments, self.books, self.clock.seconds)
        self.witness.attach()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.is_closing = True
        self.books.close()
        await self.rig.close()

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

    # called by the seams

    def meet(self, side: Side, name: str) -> tuple[Point, Kind | None]:
        self._counts[side, name] += 1
        point = Point(side, name, self._counts[side, name])
        self.trace.append(Crossing(point))
        kind = None if self.is_closing else self._faults.get(point)
        if kind is not None:
            self.hits.append(point)
            self.disturbed_at = self.clock.seconds()
        return point, kind

    async def meanwhile(self, point: Point) -> None:
        person = self.flow.overtaking.get(point)
        if person is not None:
            # In a context of its own: a person's act does not belong to the life in which it happens.
            await asyncio.create_task(person.turn(self), context=Context())

    def wrote(self, name: str, result: object) -> None:
        self._written[name] += 1
        if not result and (name.startswith("claim") or name in ("recover", "tighten")):
            point = Point(Side.WRITE, name, self._written[name])
            index = self.trace.index(Crossing(point))
            self.trace[index] = Crossing(point, idle=True)

    def _probe(self, moment: str) -> None:
        assert self._life is not None
        self._life.probe(moment)

    async def _between(self, request: SentRequest, deliver: Callable[[], Awaitable[Ack]]) -> Ack:
        _, kind = self.meet(Side.PERSON, _kind_of(request))
        if kind is Kind.LOST:
            return Ack(status=0, request=request, error=_UNDELIVERED)
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
        """Kill the process from outside; returns when it is dead."""
        assert self._life is not None
        self.died_before += self._life.dead.is_set()
        self._life.dead.set()
        await self._down.wait()

    # lives

    async def _boot(self) -> None:
        """Start the application; restart it, as a supervisor does, when the start fails."""
        for _ in range(_MOST_LIVES):
            life = Life(self)
            self._life, self._down = life, asyncio.Event()
            self.lives += 1
            starting = start_in(life, self.rig.start())
            if await self._alive(life, starting) and starting.exception() is None:
                port = int(self.rig.switchboard.url.rpartition(":")[2])
                # The service keeps the callback addresses that it was given: the next life must have the same.
                self.rig.settings = self.rig.settings.model_copy(update={"port": port})
                return
            if not life.dead.is_set():
                self.troubles.append(f"start: {starting.exception()!r}")
                await self._bury(life)
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
        """Act from outside of the application; restart it if it dies meanwhile."""
        if self._busy:
            return await doing  # nested call: an outer call watches the life already
        return await self._outlive(asyncio.ensure_future(doing))

    async def _outlive(self, task: "asyncio.Future[T]") -> T | None:
        life = self._life
        assert life is not None
        self._busy = True
        alive = await self._alive(life, task)  # type: ignore[arg-type]
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

    # what happens in a run

    async def live(self) -> None:
        """Run the flow until nothing is left to do, or until the time limit."""
        for _ in range(_MOST_TURNS):
            if await self._somebody_acts():
                self.disturbed_at = self.clock.seconds()
                await self.settle()
                continue
            await self.settle()
            if self._next_actor() is not None:
                continue
            if self.is_over():
                return
            await self._pass_time()
        self.gave_up = f"after {_MOST_TURNS} turns: {self.books.undone()}"

    async def _somebody_acts(self) -> bool:
        person = self._next_actor()
        if person is not None:
            await person.turn(self)
        return person is not None

    def _next_actor(self) -> Person | None:
        """The next person to act: the first with a reason who is not waiting after an earlier act."""
        ready = (p for p in self.flow.people if p.wants(self) and p.looks_at <= self.clock.seconds())
        return next(ready, None)

    def is_over(self) -> bool:
        """Whether no person wants to act and nothing is queued, under way or due, except decisions of people."""
        rows = self.books.rows("SELECT state FROM instruction")
        return (
            all(row["state"] in _OVER for row in rows)
            and not any(person.wants(self) for person in self.flow.people)
            and not self.books.undone()
            and self.payments.book.next_due() is None
        )

    async def settle(self) -> None:
        """Run due work of the application; a worker that fails is tried again at the next tick."""
        for _ in range(200):
            life = self._life
            assert life is not None
            if await self._outlive(start_in(life, self._run_due())) == 0:
                return
        raise RuntimeError("there is no end of what is due")

    async def _run_due(self) -> int:
        found = 0
        pending = self.books.pending(self.clock.seconds())
        for name in WORKERS:
            if name not in pending:
                continue
            try:
                found += await run_due(self.rig.switchboard.context, name)
            except Exception as trouble:  # noqa: BLE001 - as the product's own pump does
                self.troubles.append(f"{name}: {trouble!r}")
        return found

    async def _pass_time(self) -> None:
        """Move the clock to the next event."""
        now = self.clock.seconds()
        moments = [self.books.next_due(now), self.payments.book.next_due()]
        moments += [person.looks_at for person in self.flow.people if person.wants(self)]
        later = [moment for moment in moments if moment is not None and moment > now]
        self.clock.advance(min(later, default=now + 1.0) - now + 0.001)
        await self.act(self._service_moves())

    async def _service_moves(self) -> None:
        self.payments.tick()
        await self.payments.delivered()

    async def _ephemerals_sent(self) -> None:
        """Wait until private answers under way have arrived, so that every run counts in the same order."""
        life = self._life
        assert life is not None
        while life.ephemerals is not None and life.ephemerals._under_way and life is self._life:
            await self.act(asyncio.wait(set(life.ephemerals._under_way)))

    async def person_acts(
        self, user: str, what: str, doing: Awaitable[Ack], *, durable: Callable[[], bool] = lambda: False
    ) -> Ack:
        """Let a person act, and record the answer and the database at that moment."""
        before = frozenset(message.ts for message in self.workspace.ephemerals(user))
        held, already = False, durable()

        async def acting() -> Ack:
            nonlocal held
            ack = await doing
            held = durable()
            return ack

        ack = await self.act(acting()) or Ack(status=0, error=_UNDELIVERED)
        if not self._busy:
            await self._ephemerals_sent()
        view = self.workspace.modal(user)
        opened = view is not None and bool(view.submit)
        self.witness.acts.append(
            Act(
                at=self.clock.seconds(),
                user=user,
                what=what,
                ack=ack,
                durable=held,
                already=already,
                opened=opened,
                before=before,
            )
        )
        return ack


def _kind_of(request: SentRequest) -> str:
    """Name of a delivery: a command, or the type of an interaction with the id of its button or form."""
    if request.kind != "interactive":
        return request.kind
    payload = request.payload
    actions = payload.get("actions") or [{}]
    name = actions[0].get("action_id") or (payload.get("view") or {}).get("callback_id") or ""
    return f"{payload['type']}:{name}"
