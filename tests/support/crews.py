"""Processes that work for a test run.

Not :class:`concurrent.futures.ProcessPoolExecutor`: its queues take semaphores, which a machine without a writable
``/dev/shm`` does not have.
"""

import gc
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Self, TypeVar

import structlog

T = TypeVar("T")

_SPAWNING = get_context("spawn")
_KEPT = ExitStack()
"""What is replaced in this process for as long as it lives."""


def only_work(*contexts: AbstractContextManager[object]) -> None:
    """Prepare a process: silent, in these contexts, and without a search for garbage until a piece of work is done.

    Automatic collection took half of the time.
    """
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    gc.disable()
    for context in contexts:
        _KEPT.enter_context(context)


class Processes:
    """Worker processes for as long as the ``with`` block lasts, each started when it is needed first.

    ``prepare`` is called once in each; a function of a module, like all that is submitted.
    """

    def __init__(self, count: int, *, prepare: Callable[[], object] = gc.collect) -> None:
        self._prepare = prepare
        self._own = threading.local()
        self._ends: list[Connection] = []
        self._threads = ThreadPoolExecutor(count)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(cancel_futures=True)
        for end in self._ends:
            end.close()  # the process reads the end of its work

    def submit(self, work: Callable[..., T], *about: Any) -> Future[T]:
        """Call ``work(*about)`` in one of them; the future raises what it raised, or ``EOFError`` when it died."""
        return self._threads.submit(self._call, work, about)

    def _call(self, work: Callable[..., T], about: tuple[Any, ...]) -> T:
        if not hasattr(self._own, "end"):
            self._own.end = self._started()
        end: Connection = self._own.end
        end.send((work, about))
        result, error = end.recv()
        if error is not None:
            raise error
        done: T = result
        return done

    def _started(self) -> Connection:
        ours, theirs = _SPAWNING.Pipe()
        _SPAWNING.Process(target=_work, args=(theirs, self._prepare)).start()
        theirs.close()
        self._ends.append(ours)
        return ours


def _work(end: Connection, prepare: Callable[[], object]) -> None:
    prepare()
    while True:
        try:
            work, about = end.recv()
        except EOFError:  # whoever asked has closed the other end, or died
            return
        try:
            answer: tuple[Any, Exception | None] = (work(*about), None)
        except Exception as error:  # noqa: BLE001 - it goes to whoever asked
            answer = (None, error)
        if not gc.isenabled():
            gc.collect()
        end.send(answer)
