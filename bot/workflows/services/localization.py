"""Content localization as the context holds it: the client, and the calls that are under way."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from bot.clients.circuit import Circuit
from bot.clients.localization import LocalizationClient, Upload
from bot.clients.results import Results
from bot.domain.localization.progress import LANES
from bot.workflows.services.service import Service
from storage.rows import Job


@dataclass(slots=True)
class _Running:
    task: asyncio.Task[None]
    upload: Upload | None = None


class Calls:
    """The calls of this process that are under way.

    Args:
        circuit: whether the service answers.
        beat_seconds: between two heartbeats of a call, which also show its elapsed time.
        look_seconds: how long a shared file can stay invisible while Slack processes it.
    """

    def __init__(self, *, circuit: Circuit, beat_seconds: float = 5.0, look_seconds: float = 30.0) -> None:
        self._circuit = circuit
        self.beat_seconds = beat_seconds
        self.look_seconds = look_seconds
        self.closing = False
        self._running: dict[str, _Running] = {}
        self._lanes: dict[str, str] = {}

    def room(self, lane: str) -> int:
        """How many calls of this kind may begin; one at a time while the service is silent."""
        if self._circuit.is_silent:
            return 0 if self._running or self._circuit.rest else 1
        return LANES[lane] - sum(1 for kind in self._lanes.values() if kind == lane)

    def begin(self, job: Job, work: Coroutine[Any, Any, None]) -> None:
        """Start the call as a task."""
        task = asyncio.create_task(work, name=f"localization {job.id}")
        self._running[job.id] = _Running(task)
        self._lanes[job.id] = job.kind
        task.add_done_callback(lambda _: self._forget(job.id))

    def _forget(self, job_id: str) -> None:
        self._running.pop(job_id, None)
        self._lanes.pop(job_id, None)

    def sending(self, job_id: str, upload: Upload) -> None:
        """Its file goes out next."""
        running = self._running.get(job_id)
        if running is not None:
            running.upload = upload

    def percent(self, job_id: str) -> int | None:
        """How much of its file went out; None: unknown here."""
        running = self._running.get(job_id)
        if running is None or running.upload is None or not running.upload.size:
            return None
        return min(running.upload.sent * 100 // running.upload.size, 100)

    def stop(self, job_id: str) -> None:
        """Cancel the call: its connection is closed."""
        running = self._running.get(job_id)
        if running is not None:
            running.task.cancel()

    async def idle(self) -> None:
        """Wait until nothing is under way."""
        while self._running:
            await asyncio.wait({one.task for one in self._running.values()})

    async def close(self) -> None:
        """Cancel all calls; the next process reports them as interrupted."""
        self.closing = True
        tasks = [one.task for one in self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalizationService(Service[LocalizationClient]):
    """Attributes: ``results`` fetches what the service made, without its key; ``calls`` are under way."""

    results: Results
    calls: Calls
