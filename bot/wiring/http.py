"""The HTTP server: Slack's requests, callbacks of the services, health and metrics."""

import errno
from asyncio import get_running_loop
from collections.abc import Callable
from typing import Final

import structlog
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from bot.domain.clock import Clock
from bot.domain.errors import OperatorError
from bot.domain.spellings import Secrets
from bot.settings import Settings
from bot.wiring.database import Database
from bot.wiring.descriptors import Exhaustion, limit
from bot.wiring.workers import KINDS, QUEUES, WATCHED
from bot.workflows.admin.replays import first_time
from handlers.callbacks import DeliveryCallbacks, PaymentsCallbacks
from handlers.connections import Bodies, Connections, Site, room
from handlers.health import Health
from handlers.measures import Measures
from handlers.metrics import Metrics, Sources
from handlers.slack_http import SlackEndpoint

log = structlog.get_logger(__name__)

_SHUTDOWN_SECONDS: Final = 3.0
_MOST_HEADERS: Final = 64
_LINGERING_SECONDS: Final = 2.0
"""Time for the rest of a refused body, so that the refusal arrives."""


async def serve(
    settings: Settings,
    database: Database,
    clock: Clock,
    *,
    bolt: Callable[[], AsyncApp | None],
    joined: Callable[[], bool],
    wake: Callable[[], None],
    measures: Measures,
    secrets: Secrets,
) -> tuple[web.AppRunner, str]:
    """Listen.

    Args:
        settings: the configuration.
        database: where what comes in is stored.
        clock: of this machine, by which Slack signs.
        bolt: handles Slack's requests; None until the identity at Slack is known.
        joined: whether Slack's requests are handled.
        wake: wakes the workers for a callback to verify.
        measures: what this process counts.
        secrets: taken out of what the services send.

    Returns:
        The server, to clean up, and its URL.
    """
    loop = get_running_loop()
    loop.set_exception_handler(Exhaustion(loop.time))
    connections = Connections(now=loop.time, most=room(limit()))
    bodies = Bodies(connections)
    app = web.Application(middlewares=[connections.middleware])
    if settings.slack_signing_secret is not None and not settings.socket_mode:
        endpoint = SlackEndpoint(
            signing_secret=settings.slack_signing_secret.get_secret_value(),
            now=lambda: clock.now().timestamp(),
            app=bolt,
            bodies=bodies,
            vouch=connections.vouch,
            first_time=lambda signature: first_time(database.store, signature=signature, now=clock.now()),
            monotonic=clock.boottime,
            acked=measures.acked,
        )
        app.router.add_post("/slack/events", endpoint.handle)
    _add_callbacks(app, settings, database, connections, bodies, wake, measures, secrets)
    _add_observation(app, settings, database, joined, measures)
    runner = web.AppRunner(
        app,
        access_log=None,
        handle_signals=False,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        max_headers=_MOST_HEADERS,
        lingering_time=_LINGERING_SECONDS,
    )
    await runner.setup()
    await _listen(runner, connections, settings)
    host, port = runner.addresses[0][:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    log.info("listening", url=url)
    return runner, url


def _add_callbacks(
    app: web.Application,
    settings: Settings,
    database: Database,
    connections: Connections,
    bodies: Bodies,
    wake: Callable[[], None],
    measures: Measures,
    secrets: Secrets,
) -> None:
    payments = PaymentsCallbacks(
        kinds=KINDS,
        store=database.store,
        bodies=bodies,
        vouch=connections.vouch,
        now=database.clock.now,
        wake=wake,
        sources=settings.payments_sources,
        proxies=settings.trusted_proxies,
        answered=measures.callbacks("payments"),
        secrets=secrets,
    )
    app.router.add_route("*", "/callbacks/payments/{token}", payments.handle)
    delivery = DeliveryCallbacks(
        store=database.store,
        bodies=bodies,
        vouch=connections.vouch,
        now=database.clock.now,
        wake=wake,
        sources=settings.delivery_allowed_sources,
        proxies=settings.trusted_proxies,
        answered=measures.callbacks("delivery"),
        secrets=secrets,
    )
    app.router.add_route("*", "/callbacks/delivery/{token}", delivery.handle)


def _add_observation(
    app: web.Application, settings: Settings, database: Database, joined: Callable[[], bool], measures: Measures
) -> None:
    store, clock = database.store, database.clock
    health = Health(store=store, slack=joined, now=clock.now)
    app.router.add_get("/healthz", health.alive)
    app.router.add_get("/readyz", health.ready)
    token = settings.metrics_token
    sources = Sources(
        measures=measures,
        joined=joined,
        now=clock.now,
        skew=lambda: clock.skew,
        services=[one.name for one in WATCHED],
        due=QUEUES,
    )
    metrics = Metrics(store=store, sources=sources, token=token.get_secret_value() if token is not None else None)
    app.router.add_get("/metrics", metrics.handle)


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
