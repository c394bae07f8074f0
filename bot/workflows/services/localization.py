"""Content localization as the context holds it: the client, and the calls that this process makes."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.clients.circuit import Circuit
from bot.clients.localization import LocalizationClient, Upload
from bot.clients.results import Results
from bot.workflows.services.service import Service


@dataclass(slots=True)
class Sending:
    """A request of this process that waits for its answer.

    Attributes:
        upload: its file, once that goes out.
        ended: set when somebody ends the call.
    """

    upload: Upload | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def percent(self) -> int | None:
        """How much of its file went out; None: unknown, or there is none."""
        if self.upload is None or not self.upload.size:
            return None
        return min(self.upload.sent * 100 // self.upload.size, 100)


class Calls:
    """The requests of this process that wait for their answers, by the ids of their jobs.

    Args:
        circuit: whether the service answers.
        beat_seconds: between two looks whether a call is still wanted, which also show its elapsed time.
        look_seconds: how long a shared file can stay invisible while Slack processes it.
    """

    def __init__(self, *, circuit: Circuit, beat_seconds: float = 5.0, look_seconds: float = 30.0) -> None:
        self.circuit = circuit
        self.beat_seconds = beat_seconds
        self.look_seconds = look_seconds
        self.sending: dict[str, Sending] = {}

    @contextmanager
    def made(self, job_id: str) -> Iterator[Sending]:
        """Around one request."""
        self.sending[job_id] = one = Sending()
        try:
            yield one
        finally:
            del self.sending[job_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalizationService(Service[LocalizationClient]):
    """Attributes: ``results`` fetches what the service made, without its key; ``calls`` are under way."""

    results: Results
    calls: Calls
