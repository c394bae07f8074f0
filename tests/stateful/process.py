"""One process of the application, and how it dies.

Everything that leaves a process crosses one of two borders: an HTTP request of its own, or a commit of its
database. Each crossing is counted before and after, and a lit fuse kills the process at the crossing at which it
has burnt down: whoever stands there never goes on, every other task ends where it stands, and nothing else leaves.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakSet

import aiohttp

import storage.engine
from bot.domain import references
from bot.slack.messenger import Ephemerals
from storage.batches import GroupWriter
from tests.support.compiled import one_compiler

T = TypeVar("T")

_WRITER = "group writer"
"""Ends by itself once the store is closed."""
_CANCELLATIONS = 20
_PATIENCE = 0.1


class Life:
    """One process, from its start to its end or death."""

    def __init__(self) -> None:
        self.tasks: WeakSet[asyncio.Task[Any]] = WeakSet()
        self.answers: WeakSet[asyncio.Task[Any]] = WeakSet()
        """Private answers that travel beside an ack."""
        self.dead = asyncio.Event()
        self.fuse: int | None = None
        """Crossings that are still survived; None: it does not burn."""

    async def cross(self) -> None:
        """Go past a border, or never again anywhere."""
        if self.fuse is not None and not self.dead.is_set():
            self.fuse -= 1
            if self.fuse < 0:
                self.dead.set()
        if self.dead.is_set():
            await asyncio.get_running_loop().create_future()

    def begin(self, work: Awaitable[T]) -> asyncio.Task[T]:
        """Run something as this process; so is whatever it starts."""

        async def run() -> T:
            return await work

        token = LIFE.set(self)
        try:
            return asyncio.create_task(run())
        finally:
            LIFE.reset(token)

    async def outlived_by(self, task: "asyncio.Future[Any]") -> bool:
        """Wait for a task, or for this process to die; whether it lives."""
        dying = asyncio.create_task(self.dead.wait())
        await asyncio.wait({task, dying}, return_when=asyncio.FIRST_COMPLETED)
        dying.cancel()
        await asyncio.gather(dying, return_exceptions=True)
        return not self.dead.is_set()

    async def bury(self) -> None:
        """End every task where it stands."""
        self.dead.set()
        for _ in range(_CANCELLATIONS):
            left = [task for task in self.tasks if not task.done() and task.get_name() != _WRITER]
            if not left:
                return
            for task in left:
                task.cancel()
            await asyncio.wait(left, timeout=_PATIENCE)
        raise RuntimeError("a process does not die")

    async def answered(self) -> None:
        """Wait until the private answers under way have arrived."""
        while left := [task for task in self.answers if not task.done()]:
            await asyncio.wait(left)


class Chance(random.Random):
    """Stands in for :mod:`secrets` where ids are made."""

    def randbits(self, bits: int) -> int:
        """So many random bits."""
        return self.getrandbits(bits)


CHANCE = Chance()
"""Where ids come from; seed it to have a run repeated exactly."""
LIFE: ContextVar[Life | None] = ContextVar("stateful_life", default=None)


def remember_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Have every task that a life starts be known to it."""

    def factory(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **more)
        life = LIFE.get()
        if life is not None:
            life.tasks.add(task)
        return task

    loop.set_task_factory(factory)


@contextmanager
def borders() -> Iterator[None]:
    """Watch both borders, for as long as this lasts. Code outside of a life crosses them freely."""
    watched: list[tuple[Any, str, Callable[..., Any]]] = [
        (aiohttp.ClientSession, "_request", _crossing),
        (GroupWriter, "submit", _crossing),
        (Ephemerals, "begin", _remembering),
        (storage.engine, "create_engine", one_compiler),
        (references, "secrets", lambda _: CHANCE),
    ]
    with ExitStack() as stack:
        for owner, name, watch in watched:
            stack.enter_context(replaced(owner, name, watch(getattr(owner, name))))
        yield


@contextmanager
def replaced(owner: Any, name: str, value: object) -> Iterator[None]:
    """Put something else in the place of an attribute, for a while."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def _crossing(original: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def cross(*values: Any, **more: Any) -> Any:
        life = LIFE.get()
        if life is None:
            return await original(*values, **more)
        await life.cross()
        result = await original(*values, **more)
        await life.cross()
        return result

    return cross


def _remembering(original: Callable[..., asyncio.Task[Any]]) -> Callable[..., asyncio.Task[Any]]:
    def begin(self: Ephemerals, work: Any) -> asyncio.Task[Any]:
        task = original(self, work)
        life = LIFE.get()
        if life is not None:
            life.answers.add(task)
        return task

    return begin
