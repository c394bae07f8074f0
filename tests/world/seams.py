"""The boundaries of the process, at which a run counts its effects and injects faults.

The seams are put under the real transports, once for a whole process of the campaign (``sewn``). They act only on
code that runs in a ``Life``, which is what one process of the application is here: a context in which every
task is remembered, so that it can be ended as ``kill -9`` ends one.
"""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from functools import partial, wraps
from types import SimpleNamespace
from typing import Any, NoReturn, Protocol, TypeVar
from weakref import WeakSet

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.clients.transport import PreparedRequest, Transport
from bot.domain import references
from bot.playground.faults import Fault, FaultKind, Faults
from bot.slack.messenger import Ephemerals
from bot.workflows.admin.anchoring import Anchoring
from storage.batches import GroupWriter
from storage.errors import CommitUnknown, StorageBusy
from tests.support.databases import statements_compiled_once
from tests.support.replaced import replaced
from tests.support.threadless import without_threads
from tests.world.plans import Kind, Point, Side

T = TypeVar("T")
Sending = Callable[..., Awaitable[Any]]

WRITER = "group writer"
"""Name of the task that ends by itself once the store is closed."""

_HANG_SECONDS = 30.0
_ARMED = {kind: FaultKind(kind.value) for kind in Kind if kind.value in {one.value for one in FaultKind}} | {
    Kind.TIMED_OUT: FaultKind.DONE_HANGS,
    Kind.FATAL: FaultKind.REFUSED,
}
"""Faults that the simulator or the workspace plays."""
_NAMED_REFUSALS = {"chat.postMessage": "not_in_channel"}


class Crash(BaseException):
    """The process died. Not caught by handlers of ordinary errors."""


class Outside(Protocol):
    payments_faults: Faults
    slack_faults: Faults
    died_before: int
    """Crashes without effect: the process was dead already, or the commit before them failed."""

    def meet(self, side: Side, name: str) -> tuple[Point, Kind | None]:
        """Register an effect that is about to happen; its point, and its fault if any."""
        ...

    async def meanwhile(self, point: Point) -> None:
        """Let people act while a request of ours is under way."""
        ...

    def wrote(self, name: str, result: object) -> None:
        """Register the result of a committed unit of work."""
        ...


class Life:
    def __init__(self, outside: Outside) -> None:
        self.outside = outside
        self.tasks: WeakSet[asyncio.Task[Any]] = WeakSet()
        self.dead = asyncio.Event()
        self.answers: WeakSet[asyncio.Task[Any]] = WeakSet()
        """Private answers that travel beside an ack."""
        self._loop = asyncio.get_running_loop()
        self._committing: deque[Kind | None] = deque()

    def die(self) -> None:
        self._loop.call_soon_threadsafe(self.dead.set)

    async def answered(self) -> None:
        """Wait until the private answers under way have arrived, so that every run counts in the same order."""
        while left := [task for task in self.answers if not task.done()]:
            await asyncio.wait(left)

    async def crash_here(self, *, is_planned: bool = True) -> NoReturn:
        """Let the process die here; this call never returns."""
        self.outside.died_before += is_planned and self.dead.is_set()
        self.dead.set()
        await asyncio.get_running_loop().create_future()
        raise Crash

    async def send(self, side: Side, name: str, faults: Faults, send: Callable[[], Awaitable[T]]) -> T:
        """Send one request of ours, with its fault."""
        if self.dead.is_set():
            await self.crash_here(is_planned=False)
        point, kind = self.outside.meet(side, name)
        if kind is Kind.CRASH_BEFORE:
            await self.crash_here()
        await self.outside.meanwhile(point)
        if kind is Kind.REFUSED and side is Side.SLACK:
            raise _refusal(_NAMED_REFUSALS.get(name, "access_denied"))
        if kind in _ARMED:
            faults.arm(Fault(_ARMED[kind], operation=name, seconds=_HANG_SECONDS))
        try:
            answer = await send()
        except asyncio.CancelledError:
            self.outside.died_before += self.dead.is_set() and kind is Kind.CRASH_AFTER
            raise
        except Exception:
            if kind is Kind.CRASH_AFTER:
                await self.crash_here()
            raise
        if kind is Kind.CRASH_AFTER:
            await self.crash_here()
        return answer

    def probe(self, moment: str) -> None:
        """Called by the group writer: for each unit of a batch before the commit, then for each after it."""
        when, _, name = moment.partition(":")
        if when == "write.before":
            _, kind = self.outside.meet(Side.WRITE, name or "touch")
            if kind in (Kind.CRASH_BEFORE, Kind.BUSY):
                self._ends_here()
            else:
                self._committing.append(kind)
        else:
            kind = self._committing.popleft()
        if (when, kind) in (("write.before", Kind.CRASH_BEFORE), ("write.after", Kind.CRASH_AFTER)):
            self.outside.died_before += self.dead.is_set()
            self.die()
            raise Crash
        if when == "write.before" and kind is Kind.BUSY:
            raise StorageBusy("the database is locked")
        if when == "write.after" and kind is Kind.COMMIT_UNKNOWN:
            self._ends_here()
            raise CommitUnknown("the connection broke while committing")

    def _ends_here(self) -> None:
        """The batch goes no further, so crashes planned for after its commit do not occur."""
        self.outside.died_before += self._committing.count(Kind.CRASH_AFTER)
        self._committing.clear()


def _refusal(error: str) -> SlackApiError:
    answer = SimpleNamespace(data={"ok": False, "error": error}, status_code=200, headers={})
    return SlackApiError("refused", answer)  # type: ignore[no-untyped-call]  # the library has no annotation here


class Chance(random.Random):
    """Stands in for :mod:`secrets` where ids are made."""

    def randbits(self, bits: int) -> int:
        return self.getrandbits(bits)


CHANCE = Chance()
"""Source of ids; seeded at the start of a run, so that the run can be repeated."""
LIFE: ContextVar[Life | None] = ContextVar("life", default=None)


def start_in(life: Life, work: Awaitable[T]) -> asyncio.Task[T]:
    """Run something in this life; the tasks that it starts belong to it, too."""

    async def run() -> T:
        return await work

    token = LIFE.set(life)
    try:
        return asyncio.create_task(run())
    finally:
        LIFE.reset(token)


def remember_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Register every task with the life that starts it."""

    def factory(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **more)
        life = LIFE.get()
        if life is not None:
            life.tasks.add(task)
        return task

    loop.set_task_factory(factory)


@contextmanager
def sewn(*, threads: bool = False) -> Iterator[None]:
    """Install the seams while the context is open; SQLite does without its threads unless told otherwise."""
    seams: list[tuple[Any, str, Callable[..., Any]]] = [
        (Transport, "send", in_a_life(_transport_send)),
        (AsyncWebClient, "api_call", in_a_life(_api_call)),
        (Ephemerals, "begin", _begin),
        (Ephemerals, "_respond", in_a_life(_respond)),
        (Anchoring, "finish", in_a_life(_finish)),
        (GroupWriter, "submit", in_a_life(_submit)),
        (references, "secrets", lambda _: CHANCE),
    ]
    with nullcontext() if threads else without_threads(), statements_compiled_once(), ExitStack() as stack:
        for owner, name, seam in seams:
            stack.enter_context(replaced(owner, name, seam(getattr(owner, name))))
        yield


def in_a_life(seam: Callable[..., Awaitable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Replace a method by ``seam(life, original, *values)`` for code that runs in a life."""

    def replacing(original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        async def call(owner: Any, *values: Any, **more: Any) -> Any:
            life, bound = LIFE.get(), partial(original, owner)
            return await (bound(*values, **more) if life is None else seam(life, bound, *values, **more))

        return call

    return replacing


async def _transport_send(life: Life, send: Sending, request: PreparedRequest, **more: Any) -> Any:
    name = request.operation.rpartition(".")[2]
    return await life.send(Side.PAYMENTS, name, life.outside.payments_faults, lambda: send(request, **more))


async def _api_call(life: Life, send: Sending, api_method: str, **more: Any) -> Any:
    return await life.send(Side.SLACK, api_method, life.outside.slack_faults, lambda: send(api_method, **more))


async def _respond(life: Life, send: Sending, *content: Any, **more: Any) -> str:
    faults = life.outside.slack_faults
    try:
        return str(await life.send(Side.SLACK, "response_url", faults, lambda: send(*content, **more)))
    except SlackApiError as refused:
        return str(refused.response.data["error"])


async def _finish(life: Life, finish: Sending) -> None:
    """Write the last anchor, unless the process died."""
    if not life.dead.is_set():
        await finish()


async def _submit(life: Life, submit: Sending, work: Any, *, name: str) -> Any:
    if life.dead.is_set():
        raise Crash
    result = await submit(work, name=name)
    life.outside.wrote(name or "touch", result)
    return result


def _begin(original: Callable[..., asyncio.Task[Any]]) -> Callable[..., asyncio.Task[Any]]:
    def begin(self: Ephemerals, work: Any) -> asyncio.Task[Any]:
        task = original(self, work)
        life = LIFE.get()
        if life is not None:
            life.answers.add(task)
        return task

    return begin
