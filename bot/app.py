"""The composition root: settings in, running application out; here everything is built, started and stopped.

Start: database (migrated), HTTP server (callbacks are taken in from now on), Slack's word on who we are,
recovery of what an earlier process left, drains, Socket Mode. Stop: the same backwards.
"""

import asyncio
import errno
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import structlog
from aiohttp import web
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.clients.circuit import Circuit
from bot.clients.limiter import PartnerTurns, SendSlots
from bot.clients.payments import PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import CONNECT_SECONDS, open_session
from bot.clients.window import SlidingWindow
from bot.domain.clock import Clock, SharedClock, SystemClock
from bot.domain.errors import OperatorError
from bot.domain.payments.payout import Quiet
from bot.domain.policy import Policy
from bot.domain.references import derived_key
from bot.settings import Settings
from bot.slack.calls import call, until_answered
from bot.slack.client import PacedClient
from bot.slack.downloads import Downloads
from bot.slack.files import Files
from bot.slack.identity import Identity, who_we_are
from bot.slack.messenger import Messenger
from bot.slack.pace import Pace
from bot.slack.people import STANDING_TOTAL, People
from bot.slack.turns import Turns
from bot.slack.whispers import Whispers
from bot.wiring import staffing
from bot.wiring.delivery import make_delivery
from bot.wiring.emails import open_emailing
from bot.wiring.localization import open_localizing
from bot.wiring.payments import make_payments
from bot.wiring.schedule import Schedule
from bot.wiring.workers import KINDS, RECOVERIES, SUBJECTS, WATCHED, Drain, plan
from bot.workflows import quarantine
from bot.workflows.admin import clocks, silence
from bot.workflows.admin.audit import Anchoring
from bot.workflows.admin.highwater import HighWater
from bot.workflows.admin.recover import recover
from bot.workflows.admin.replays import first_time
from bot.workflows.admin.retention import Retention
from bot.workflows.admin.unread import UnreadLog
from bot.workflows.context import Context
from bot.workflows.emails.engine import EmailEngine
from bot.workflows.keeping import at_start
from bot.workflows.requests.tighten import tighten_open
from bot.workflows.services.delivery import DeliveryService
from bot.workflows.services.service import Service
from bot.workflows.workers import Workers
from handlers import actions, commands, events, shortcuts, views
from handlers import file_actions as uses
from handlers.bodies import Bodies
from handlers.bolt import HANDLER_TOTAL, MOMENT, build
from handlers.callbacks.delivery import DeliveryCallbacks
from handlers.callbacks.payments import PaymentsCallbacks
from handlers.connections import Connections, Site
from handlers.dependencies import Desk
from handlers.file_actions.use import Use
from handlers.health import Health
from handlers.input.allowance import Allowance
from handlers.metrics import Metrics
from handlers.router import Router
from handlers.slack_http import SlackEndpoint
from handlers.socket_mode import SocketMode
from storage.address import PostgresServer, parse_address
from storage.anchors import AnchorFile, anchors_path
from storage.engine import Patience
from storage.leases import Leases
from storage.migrate import migrate
from storage.peers import Peers
from storage.rows import ClosedKey
from storage.slots import SharedSlots
from storage.store import Store
from storage.writer import Probe

log = structlog.get_logger(__name__)

_SLACK_SECONDS = 10.0
_PATIENCE = Patience(frozen=300.0)
_SHUTDOWN_SECONDS = 3.0
_CONNECTIONS = 400
"""At a time, to one service or to Slack: more than the slots of all work that waits there."""
_MOST_HEADERS = 64
_LINGERING_SECONDS = 2.0
"""That the rest of a body which was refused may take, so that the refusal arrives."""
_SLOWEST_TICK = 1.0
_FASTEST_TICK = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What tests replace: the clock, the random id of this process, the probe around commits, time-outs in seconds."""

    clock: Clock
    owner: str
    probe: Probe | None = None
    service_total: float = 30.0
    service_connect: float = CONNECT_SECONDS
    slack_total: float = _SLACK_SECONDS
    people_total: float = STANDING_TOTAL
    """Seconds to ask Slack who somebody is."""
    handler_total: float = HANDLER_TOTAL
    """Seconds of Slack's three that a handler may take."""
    handler_moment: float = MOMENT
    """Seconds of them until somebody is told that a service is being asked."""
    patience: Patience = _PATIENCE
    limiter: SendSlots | None = None
    pace: Pace | None = None
    server_now: Callable[[], datetime] | None = None
    """The clock of the database's server; None: that one itself."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    """Waits that many seconds of ``clock``."""
    anchors: Path | None = None
    """Where the audit's anchors go; None: where the database's address says."""
    uses: Sequence[Use] | None = None
    """What can be done with files; None: everything there is."""
    ticking: bool = True
    """False: nothing is drained by itself; the test calls :meth:`Switchboard.settle`."""

    @classmethod
    def real(cls) -> "Surroundings":
        """The machine's own."""
        return cls(clock=SystemClock(), owner=secrets.token_hex(8))


class Switchboard:
    """The running application. Built by :meth:`start`, taken down by :meth:`stop`."""

    def __init__(self, *, settings: Settings, policy: Policy, surroundings: Surroundings | None = None) -> None:
        self._settings = settings
        self._policy = policy
        self._around = surroundings or Surroundings.real()
        self._clock: Clock = self._around.clock
        self._pace = self._around.pace or Pace(monotonic=self._clock.boottime)
        self._uses = self._around.uses if self._around.uses is not None else uses.declared()
        self._stack = AsyncExitStack()
        self._bolt: AsyncApp | None = None
        self._context: Context | None = None
        self._delivery: Service[DeliveryService]
        self._lists = EmailEngine(monotonic=self._around.clock.boottime)
        self._high_water: HighWater
        self._unread: UnreadLog
        self._schedule: Schedule | None = None
        self._peers: Peers | None = None
        self._socket: SocketMode | None = None
        self._joining: asyncio.Task[None] | None = None
        self._runner: web.AppRunner | None = None
        self._address = ("", 0)
        self._closed_keys: Sequence[ClosedKey] = ()

    @property
    def url(self) -> str:
        """Where the HTTP server listens."""
        host, port = self._address
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def context(self) -> Context:
        """The workflows' context, once Slack has said who we are."""
        if self._context is None:
            raise RuntimeError("not joined yet")
        return self._context

    @property
    def joined(self) -> bool:
        """Whether what Slack sends is handled: it has said who we are and, in Socket Mode, the socket is up."""
        if self._bolt is None or self._socket is None:
            return self._bolt is not None
        session = self._socket.client.current_session
        return session is not None and not session.closed

    async def start(self) -> None:
        """Start everything that needs no answer from outside, and go on joining Slack in the background."""
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Take no more in, let what is under way end, close everything."""
        if self._joining is not None:
            self._joining.cancel()
            await asyncio.gather(self._joining, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()  # first: what still comes in would find everything else closed
            self._runner = None
        await self._stack.aclose()

    async def until_joined(self) -> None:
        """Wait until Slack has said who we are.

        Raises:
            OperatorError: Slack does not accept our token.
        """
        if self._joining is not None:
            await asyncio.shield(self._joining)

    async def _start(self) -> None:
        settings, around = self._settings, self._around
        audit_key = self._key("audit")
        await migrate(settings.database_url, audit_key=audit_key, patience=around.patience)
        store = await Store.open(
            settings.database_url, audit_key=audit_key, probe=around.probe, patience=around.patience
        )
        self._stack.push_async_callback(store.close)
        self._peers = await self._join_peers(store)
        self._clock = await self._shared_clock(store)
        self._closed_keys = await store.read(lambda tx: tx.audit.closed_keys())
        self._high_water = high_water = HighWater(
            store=store,
            file=self._anchor_file(),
            clock=self._clock,
            policy=self._policy,
            surveys=settings.public_url
            is not None,  # where nothing is public, another installation's may look like ours
        )
        await at_start(high_water.compare)
        self._unread = unread = UnreadLog(store=store, clock=self._clock)
        await at_start(unread.look)
        self._stack.push_async_callback(unread.finish)
        slack_session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
            timeout=aiohttp.ClientTimeout(total=around.slack_total),
            trust_env=False,
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        self._stack.push_async_callback(slack_session.close)
        self._delivery = make_delivery(
            settings,
            self._service_session(),
            sealing_key=self._key("stores"),
            total=around.service_total,
            connect=around.service_connect,
            circuit=self._circuit("delivery"),
            may_leave=high_water.may_leave,
            answers=unread,
        )
        slots = await self._slots(store)
        payments = make_payments(
            settings,
            self._service_session(),
            slots,
            total=around.service_total,
            connect=around.service_connect,
            circuit=self._circuit("payments"),
            may_leave=high_water.may_leave,
            answers=unread,
        )
        await self._serve(store)
        self._joining = asyncio.create_task(self._join(store, slack_session, payments), name="join Slack")

    async def _serve(self, store: Store) -> None:
        settings = self._settings
        clock, shared = self._around.clock, self._clock
        connections = Connections(now=asyncio.get_running_loop().time)
        bodies = Bodies(connections)
        app = web.Application(middlewares=[connections.middleware])
        if settings.slack_signing_secret is not None and not settings.socket_mode:
            endpoint = SlackEndpoint(
                signing_secret=settings.slack_signing_secret.get_secret_value(),
                now=lambda: clock.now().timestamp(),
                app=lambda: self._bolt,
                bodies=bodies,
                vouch=connections.vouch,
                first_time=lambda signature: first_time(store, signature=signature, now=clock.now()),
            )
            app.router.add_post("/slack/events", endpoint.handle)
        callbacks = PaymentsCallbacks(
            store=store,
            bodies=bodies,
            now=shared.now,
            wake=self._wake,
            sources=settings.payments_sources,
            proxies=settings.trusted_proxies,
        )
        app.router.add_route("*", "/callbacks/payments/{token}", callbacks.handle)
        events_in = DeliveryCallbacks(
            store=store,
            bodies=bodies,
            now=shared.now,
            wake=self._wake,
            sources=settings.delivery_allowed_sources,
            proxies=settings.trusted_proxies,
        )
        app.router.add_route("*", "/callbacks/delivery/{token}", events_in.handle)
        health = Health(store=store, slack=lambda: self.joined, now=shared.now)
        app.router.add_get("/healthz", health.alive)
        app.router.add_get("/readyz", health.ready)
        token = settings.metrics_token
        metrics = Metrics(
            store=store,
            joined=lambda: self.joined,
            now=shared.now,
            token=token.get_secret_value() if token is not None else None,
            skew=lambda: shared.skew if isinstance(shared, SharedClock) else 0.0,
            services=[one.name for one in WATCHED],
        )
        app.router.add_get("/metrics", metrics.handle)
        self._runner = runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=_SHUTDOWN_SECONDS,
            max_headers=_MOST_HEADERS,
            lingering_time=_LINGERING_SECONDS,
        )
        await runner.setup()
        await _listen(runner, connections, settings)
        self._address = runner.addresses[0][:2]
        log.info("listening", url=self.url)

    async def _join(self, store: Store, session: aiohttp.ClientSession, payments: Service[PaymentsClient]) -> None:
        """Ask Slack who we are until it answers, then start what depends on it."""
        library: dict[str, Any] = {
            "token": self._token,
            "base_url": self._settings.slack_api_url,
            "session": session,
            "retry_handlers": [],
        }
        # What is asked at the start, and what opens sockets, waits by itself for as long as Slack says.
        patient = AsyncWebClient(**library)
        client = PacedClient(pace=self._pace, **library)
        identity = await until_answered(lambda: who_we_are(patient), setting="SLACK_BOT_TOKEN")
        if payments.is_configured:  # with people of its own: nothing read here may be taken for a later answer
            await staffing.require(self._settings, self._policy, self._make_people(client), home=identity.team_id)
        messenger = Messenger(client=client)
        whispers = Whispers(session=session, messenger=messenger, api_url=self._settings.slack_api_url)
        self._stack.push_async_callback(whispers.drain)
        self._context = ctx = self._make_context(store, client, messenger, session, identity, payments)
        await self._go_on(ctx)
        desk = Desk(
            ctx=ctx,
            messenger=messenger,
            whispers=whispers,
            allowance=Allowance(monotonic=self._around.clock.boottime),
            command_prefix=self._settings.command_prefix,
        )
        bolt = build(
            client=patient,
            token=self._token,
            identity=identity,
            desk=desk,
            router=self._router(),
            patience=self._around.handler_total,
            moment=self._around.handler_moment,
        )
        await self._connect(bolt, patient)
        self._bolt = bolt
        log.info("joined", workspace=identity.team, team_id=identity.team_id)

    async def _go_on(self, ctx: Context) -> None:
        """Take up what an earlier process left, and begin what is due."""
        if isinstance(ctx.clock, SharedClock):
            await at_start(partial(clocks.warn, ctx, ctx.clock))
        await at_start(partial(recover, ctx))
        await at_start(partial(silence.remember, WATCHED, ctx))
        await at_start(partial(tighten_open, ctx))
        self._stack.push_async_callback(ctx.workers.stop)
        if self._around.ticking:
            self._schedule = self._make_schedule(ctx)
            self._schedule.start()
            self._stack.push_async_callback(self._schedule.stop)
            self._stack.push_async_callback(self._lists.stop)

    async def _connect(self, bolt: AsyncApp, client: AsyncWebClient) -> None:
        """In Socket Mode, open the socket; the library keeps it open from then on."""
        if self._settings.slack_app_token is None:
            return
        token = self._settings.slack_app_token.get_secret_value()
        # Asked here, because the library would ask for ever, whatever Slack has against the token.
        opened = await until_answered(
            lambda: call(client.apps_connections_open(app_token=token)), setting="SLACK_APP_TOKEN"
        )
        self._socket = SocketMode(bolt, token)
        self._stack.push_async_callback(self._socket.close_async)
        self._socket.client.wss_uri = str(opened["url"])
        await self._socket.connect_async()  # type: ignore[no-untyped-call]  # the library has no annotation here

    def _make_context(
        self,
        store: Store,
        client: AsyncWebClient,
        messenger: Messenger,
        session: aiohttp.ClientSession,
        identity: Identity,
        payments: Service[PaymentsClient],
    ) -> Context:
        settings, around = self._settings, self._around
        localization = open_localizing(
            settings,
            self._stack,
            text_seconds=around.service_total,
            answers=self._unread,
            circuit=self._circuit("localization"),
        )
        emails = open_emailing(
            settings,
            self._stack,
            check_seconds=around.service_total,
            wake=self._lists.wake,
            answers=self._unread,
        )
        return Context(
            store=store,
            payments=payments,
            delivery=self._delivery,
            localization=localization,
            emails=emails,
            messenger=messenger,
            files=Files(client=client, session=session, api_url=settings.slack_api_url),
            downloads=Downloads(client=client, session=session, token=self._token, api_url=settings.slack_api_url),
            people=self._make_people(client),
            policy=self._policy,
            clock=self._clock,
            home=identity.team_id,
            owner=around.owner,
            token_key=self._key("callbacks"),
            callback_base=settings.public_url or self.url,
            public=settings.public_url is not None,
            poll_seconds=settings.poll_seconds,
            quiet=Quiet(settings.quiet_seconds),
            wake=self._wake,
            high_water=self._high_water,
            pace=self._pace,
            turns=Turns(pace=self._pace, monotonic=around.clock.boottime, sleep=around.sleep),
            subjects=SUBJECTS,
            kinds=KINDS,
            recoveries=RECOVERIES,
            file_actions=self._uses,
            bot_user=identity.bot_user_id,
            chores=self._chores(store),
            assumptions=load_routes(settings.services_file, environment=settings.environment.value).assumptions(),
            server_now=around.server_now,
            leases=Leases(store=store, clock=self._clock, owner=around.owner, sleep=around.sleep),
            workers=Workers(run=quarantine.take),
            peers=self._peers,
        )

    def _chores(self, store: Store) -> Mapping[str, Drain]:
        """What this process does by itself beside its rows."""
        anchoring = Anchoring(store=store, file=self._anchor_file(), clock=self._clock, high_water=self._high_water)
        self._stack.push_async_callback(anchoring.finish)
        return {
            "anchors": lambda _: anchoring.due(),
            "lists": self._lists.drain,
            "unread": lambda _: self._unread.flush(),
            "retention": Retention().prune_due,
        }

    def _make_people(self, client: AsyncWebClient) -> People:
        people = self._policy.people
        return People(
            client=client,
            groups=[name for name in (*people.requesters, *people.approvers, *people.admins) if name[0] == "S"],
            monotonic=self._around.clock.boottime,
            timeout=self._around.people_total,
            is_slowed=self._pace.is_slowed,
        )

    def _anchor_file(self) -> AnchorFile:
        path = self._around.anchors or anchors_path(self._settings.database_url)
        return AnchorFile(
            path, key=self._key("anchor"), earlier=[(one.until, one.anchors) for one in self._closed_keys]
        )

    def _make_schedule(self, ctx: Context) -> Schedule:
        settings = self._settings
        pace = min(_SLOWEST_TICK, settings.poll_seconds / 2, settings.quiet_seconds / 8)
        schedule = Schedule(plan(ctx), tick_seconds=max(_FASTEST_TICK, pace))
        ctx.workers.freed = schedule.run
        return schedule

    async def _join_peers(self, store: Store) -> Peers | None:
        """Be known to the other processes of a PostgreSQL database before anything is held."""
        address, owner = parse_address(self._settings.database_url), self._around.owner
        if not isinstance(address, PostgresServer):
            return None
        peers = Peers(
            server=address,
            owner=owner,
            voice=store.voice,
            heard=self._heard,
            ended=self._somebody_ended,
            clock=time.monotonic,
        )
        await at_start(peers.join)
        self._stack.push_async_callback(peers.leave)
        now = self._around.clock.now()
        await at_start(lambda: store.write(lambda tx: tx.processes.arrive(owner, now), name="arrive"))
        return peers

    async def _shared_clock(self, store: Store) -> Clock:
        """The clock by which rows are written: one process has its own, several share the database's."""
        if store.exclusive:
            return self._around.clock
        shared = SharedClock(self._around.clock)
        await clocks.look(store, shared, server_now=self._around.server_now)
        return shared

    async def _slots(self, store: Store) -> SendSlots:
        """Ten requests a second: kept in memory by one process, in the database by several."""
        if self._around.limiter is not None:
            return self._around.limiter
        if store.exclusive:
            return PartnerTurns(SlidingWindow(clock=time.monotonic), clock=time.monotonic)
        slots = SharedSlots.open(self._settings.database_url)
        self._stack.push_async_callback(slots.close)
        return PartnerTurns(slots, clock=time.monotonic)

    def _service_session(self) -> aiohttp.ClientSession:
        """One a service: what hangs in one takes no connection of the other."""
        session = open_session(limit=_CONNECTIONS)
        self._stack.push_async_callback(session.close)
        return session

    def _circuit(self, service: str) -> Circuit:
        return Circuit(service, clock=self._around.clock.boottime)

    def _router(self) -> Router:
        router = Router()
        commands.register(router, prefix=self._settings.command_prefix)
        actions.register(router, uses=self._uses)
        views.register(router)
        events.register(router)
        shortcuts.register(router)
        return router

    def _heard(self) -> None:
        if self._schedule is not None:
            self._schedule.heard()

    def _somebody_ended(self) -> None:
        if self._schedule is not None:
            self._schedule.run("processes")

    def _wake(self) -> None:
        if self._schedule is not None:
            self._schedule.wake()

    def _key(self, purpose: str) -> bytes:
        secret = self._settings.secret_key
        if secret is None:
            raise OperatorError("SECRET_KEY is missing")
        return derived_key(secret.get_secret_value(), purpose)

    @property
    def _token(self) -> str:
        token = self._settings.slack_bot_token
        if token is None:
            raise OperatorError("SLACK_BOT_TOKEN is missing")
        return token.get_secret_value()


async def _listen(runner: web.AppRunner, connections: Connections, settings: Settings) -> None:
    host, port = settings.host, settings.port
    try:
        await Site(runner, connections, host, port).start()
    except OSError as refused:
        if refused.errno in (errno.EADDRINUSE, errno.EACCES):
            word = (
                "is taken by another program" if refused.errno == errno.EADDRINUSE else "may not be used by this user"
            )
            raise OperatorError(
                f"PORT {port} {word}", mend="choose a free one above 1023. Example: PORT=3001"
            ) from None
        raise OperatorError(
            f"HOST {host!r} is no address of this machine",
            mend="Example: HOST=127.0.0.1, or HOST=0.0.0.0 for all of them",
        ) from None
