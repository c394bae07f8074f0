"""What the clients of all services share: routes, sessions, circuits, the log of unread answers."""

from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp

from bot.clients.circuit import Circuit
from bot.clients.leaving import MayLeave, always
from bot.clients.results import Results, open_result_session
from bot.clients.routes import RouteTable
from bot.clients.routes_file import load_routes
from bot.clients.transport import CONNECT_SECONDS, Transport, Watch, open_session, unwatched
from bot.clients.unread import NOBODY, Answers
from bot.domain.spellings import Secrets
from bot.settings import Settings

_CONNECTIONS: Final = 400
"""Connections at a time to one service: more than the slots of all work that waits there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The way to the services.

    Attributes:
        stack: closes what is opened here.
        total: seconds for one request, without media and whole files.
        connect: seconds for its connection.
        monotonic: seconds of a monotonic clock.
        may_leave: asked before each request that changes something.
        answers: records which answers were read.
        more_routes: files with the operations of services beside the four.
        watch: what keeps the figures of the service of a name.
        secrets: taken out of whatever a service says.
    """

    settings: Settings
    stack: AsyncExitStack
    total: float
    connect: float = CONNECT_SECONDS
    monotonic: Callable[[], float]
    may_leave: MayLeave = always
    answers: Answers = NOBODY
    more_routes: tuple[Path, ...] = ()
    watch: Callable[[str], Watch] = lambda _: unwatched
    secrets: Secrets = field(repr=False)

    def routes(self) -> RouteTable:
        """The route table.

        Raises:
            OperatorError: the file of routes cannot be used.
        """
        settings = self.settings
        return load_routes(settings.services_file, environment=settings.environment.value, more=self.more_routes)

    def session(self) -> aiohttp.ClientSession:
        """One session a service: hanging requests of one take no connection of another."""
        return self.closed_at_the_end(open_session(limit=_CONNECTIONS))

    def transport(self, service: str, base_url: str) -> Transport:
        """The way to a service that answers within ``total``."""
        return Transport(
            session=self.session(),
            base_url=base_url,
            service=service,
            connect=self.connect,
            total=self.total,
            circuit=self.circuit(service),
            watch=self.watch(service),
            secrets=self.secrets,
        )

    def results(self, own: Collection[str]) -> Results:
        """Fetches what a service made. ``own``: hosts that may be private."""
        return Results(session=self.closed_at_the_end(open_result_session(own)), own=own, secrets=self.secrets)

    def circuit(self, service: str) -> Circuit:
        """Whether a service answers."""
        return Circuit(service, clock=self.monotonic)

    def closed_at_the_end(self, session: aiohttp.ClientSession) -> aiohttp.ClientSession:
        """The session, registered with the stack for closing."""
        self.stack.push_async_callback(session.close)
        return session
