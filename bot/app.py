"""The running application: the order in which everything is started and stopped; its parts come from bot.wiring.

Start: database (migrated), HTTP server (accepts callbacks from now on), the bot's identity from Slack, recovery of
what an earlier process left, workers, Socket Mode. Stop: the same in reverse order.
"""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Final

import structlog
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from bot.clients.transport import Watch
from bot.domain.clock import TOLERATED
from bot.domain.outcome import Reply
from bot.domain.policy import Policy
from bot.domain.proof import Quiet
from bot.domain.text import Secrets
from bot.presentation import home
from bot.settings import Environment, Settings
from bot.slack.pace import Pace
from bot.version import version
from bot.wiring.database import open_database
from bot.wiring.http import serve
from bot.wiring.services import Outside, make_delivery, make_emails, make_localization, make_payments, routes_of
from bot.wiring.slack import Slack, make_bolt, make_people, open_slack, open_socket, require_approvers
from bot.wiring.surroundings import Surroundings
from bot.wiring.workers import KINDS, RECOVERIES, SUBJECTS, WATCHED, Schedule, make_schedule
from bot.workflows import quarantine
from bot.workflows.admin import clocks, silence
from bot.workflows.admin.anchoring import Anchoring, HighWater
from bot.workflows.admin.damage import DamageWatch
from bot.workflows.admin.disk import DiskWatch
from bot.workflows.admin.health import HealthLog
from bot.workflows.admin.home import OpenHomes
from bot.workflows.admin.retention import Retention
from bot.workflows.admin.takeover import recover
from bot.workflows.admin.unread_log import UnreadLog
from bot.workflows.bookings.follow import read_explained
from bot.workflows.context import Context
from bot.workflows.keeping import at_start
from bot.workflows.requests.reach import Reach
from bot.workflows.requests.send import tighten_open
from bot.workflows.workers import Workers
from handlers.metrics import Measures
from handlers.socket_mode import SocketMode
from storage.engine import PostgresServer, parse_address
from storage.leases import Leases

log = structlog.get_logger(__name__)

NOWHERE: Final = "https://switchboard.invalid"
"""Where callbacks reach nobody: the top-level domain ``invalid`` never exists (RFC 2606)."""


class Switchboard:
    """The running application. Built by :meth:`start`, taken down by :meth:`stop`."""

    def __init__(self, *, settings: Settings, policy: Policy, surroundings: Surroundings | None = None) -> None:
        self._settings = settings
        self._policy = policy
        self._around = surroundings or Surroundings.real()
        self._stack = AsyncExitStack()
        self._bolt: AsyncApp | None = None
        self._context: Context | None = None
        self._schedule: Schedule | None = None
        self._socket: SocketMode | None = None
        self._joining: asyncio.Task[None] | None = None
        self._server: web.AppRunner | None = None
        self.url = ""
        """Where the HTTP server listens."""

    @property
    def context(self) -> Context:
        """The workflows' context, once Slack has returned the bot's identity."""
        if self._context is None:
            raise RuntimeError("not joined yet")
        return self._context

    @property
    def joined(self) -> bool:
        """Whether Slack's requests are handled: the bot's identity is known and, in Socket Mode, the socket is up."""
        if self._bolt is None or self._socket is None:
            return self._bolt is not None
        session = self._socket.client.current_session
        return session is not None and not session.closed

    async def start(self) -> None:
        """Start everything that needs no answer from outside, and join Slack in the background."""
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Accept no more requests, let what is under way end, close everything."""
        if self._joining is not None:
            self._joining.cancel()
            await asyncio.gather(self._joining, return_exceptions=True)
        server, self._server = self._server, None
        try:
            if server is not None:
                await server.cleanup()  # first: later requests would find everything else closed
        finally:
            await self._stack.aclose()

    async def until_joined(self) -> None:
        """Wait until Slack has returned the bot's identity. Raises OperatorError where it does not accept our token."""
        if self._joining is not None:
            await asyncio.shield(self._joining)

    async def _start(self) -> None:
        settings, around, stack = self._settings, self._around, self._stack
        self._measures = measures = Measures(
            started=around.clock.now(),
            version=version(),
            database="postgresql" if isinstance(parse_address(settings.database_url), PostgresServer) else "sqlite",
            transport="socket" if settings.socket_mode else "http",
        )
        self._database = database = await open_database(
            settings,
            around,
            stack,
            heard=lambda: self._tell(Schedule.heard),
            ended=lambda: self._tell(lambda schedule: schedule.run("processes")),
            anchored=measures.anchored,
        )
        self._began = database.clock.now()
        self._high_water = HighWater(
            store=database.store, file=database.anchors, clock=database.clock, policy=self._policy
        )
        await at_start(self._high_water.compare)
        self._homes = OpenHomes(home.draw)
        self._health = HealthLog(database.clock)
        self._unread = UnreadLog(store=database.store, clock=database.clock)
        await at_start(self._unread.look)
        stack.push_async_callback(self._unread.finish)
        self._outside = outside = Outside(
            settings=settings,
            stack=stack,
            total=around.service_total,
            connect=around.service_connect,
            monotonic=around.clock.boottime,
            may_leave=self._high_water.may_leave,
            answers=self._unread,
            more_routes=routes_of(around.extensions),
            watch=self._watch,
            secrets=Secrets(settings.hidden_in_words()),
        )
        self._delivery = delivery = make_delivery(outside)
        if delivery.client is not None:
            await at_start(partial(database.store.read, delivery.client.learn_keys))
        self._payments = make_payments(outside, database.slots)
        self._server, self.url = await serve(
            settings,
            database,
            around.clock,
            bolt=lambda: self._bolt,
            joined=lambda: self.joined,
            wake=self._wake,
            measures=measures,
            secrets=outside.secrets,
        )
        self._joining = asyncio.create_task(self._join(), name="join Slack")

    async def _join(self) -> None:
        settings, around, stack = self._settings, self._around, self._stack
        pace = around.pace or Pace(monotonic=around.clock.boottime)
        slack = await open_slack(settings, around, stack, pace, self._measures)
        if self._payments.is_configured:  # a separate reader: nothing read here may be cached for later
            people = make_people(slack, self._policy, around)
            await require_approvers(settings, self._policy, people, home=slack.identity.team_id)
        self._context = ctx = self._make_context(slack)
        # Recover what an earlier process left, and begin what is due.
        await at_start(partial(clocks.begin, ctx))
        await at_start(partial(recover, ctx))
        await at_start(partial(silence.remember, WATCHED, ctx))
        await at_start(partial(tighten_open, ctx))
        await at_start(partial(read_explained, ctx))
        stack.push_async_callback(ctx.workers.stop)
        if around.ticking:
            self._schedule = make_schedule(ctx)
            self._schedule.start()
            stack.push_async_callback(self._schedule.stop)
        bolt = make_bolt(slack, ctx, self._outside, around, self._homes)
        self._socket = await open_socket(settings, around, slack, bolt, stack, self._measures)
        self._bolt = bolt
        log.info("joined", workspace=slack.identity.team, team_id=slack.identity.team_id)

    def _make_context(self, slack: Slack) -> Context:
        settings, around, database, stack = self._settings, self._around, self._database, self._stack
        # The services require a callback address, even without PUBLIC_URL. In production it must not be a loopback
        # address: the service would call a program on its own machine.
        local = NOWHERE if settings.environment is Environment.PRODUCTION else self.url
        people = make_people(slack, self._policy, around)
        counting, clock = make_people(slack, self._policy, around), database.clock
        anchoring = Anchoring(
            store=database.store, file=database.anchors, clock=database.clock, high_water=self._high_water
        )
        for end in (people.close, counting.close, anchoring.finish):
            stack.push_async_callback(end)
        return Context(
            store=database.store,
            payments=self._payments,
            delivery=self._delivery,
            localization=make_localization(self._outside),
            emails=make_emails(self._outside),
            messenger=slack.messenger,
            ephemerals=slack.ephemerals,
            files=slack.files,
            downloads=slack.downloads,
            people=people,
            counting=counting,
            policy=self._policy,
            clock=clock,
            home=slack.identity.team_id,
            owner=around.owner,
            began=self._began,
            token_key=settings.key_for("callbacks"),
            callback_base=settings.public_url or local,
            public=settings.public_url is not None,
            poll_seconds=settings.poll_seconds,
            quiet=Quiet(settings.quiet_seconds, begun=clock.started if clock.unsure > TOLERATED else None),
            wake=self._wake,
            pace=slack.pace,
            turns=slack.turns,
            subjects=SUBJECTS,
            kinds=KINDS,
            recoveries=RECOVERIES,
            file_actions=around.file_actions,
            bot_user=slack.identity.bot_user_id,
            chores={
                "anchors": lambda _: anchoring.due(),
                "disk": DiskWatch().look,
                "unread": lambda _: self._unread.flush(),
                "health": self._health.flush,
                "damage": DamageWatch().look,
                "retention": Retention().prune_due,
                "reach": Reach().look,
                "homes": self._homes.follow,
            },
            assumptions=self._outside.routes().assumptions(),
            server_now=around.server_now,
            leases=Leases(store=database.store, clock=database.clock, owner=around.owner, sleep=around.sleep),
            workers=Workers(run=quarantine.take),
            peers=database.peers,
            command_prefix=settings.command_prefix,
            attempted=self._measures.attempted,
        )

    def _watch(self, service: str) -> Watch:
        measure, note = self._measures.service(service), self._health.watch(service)

        def watch(reply: Reply, seconds: float | None) -> None:
            measure(reply, seconds)
            note(reply)

        return watch

    def _wake(self) -> None:
        self._tell(Schedule.wake)

    def _tell(self, what: Callable[[Schedule], None]) -> None:
        if self._schedule is not None:
            what(self._schedule)
