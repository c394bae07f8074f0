"""The HTTP server: Slack's requests, callbacks of the services, health and metrics; and its file descriptors."""

import errno
import resource
from asyncio import AbstractEventLoop, get_running_loop
from collections.abc import Callable
from typing import Any, Final

import structlog
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from bot.domain.clock import Clock
from bot.domain.errors import OperatorError
from bot.domain.text import Secrets
from bot.settings import Settings
from bot.wiring.database import Database
from bot.wiring.workers import KINDS, QUEUES, WATCHED
from bot.workflows.slack.duplicates import claim_signature
from handlers.callbacks import DeliveryCallbacks, PaymentsCallbacks
from handlers.connections import Bodies, Connections, Site, room
from handlers.metrics import Health, Measures, Metrics
from handlers.slack_http import SlackEndpoint

log = structlog.get_logger(__name__)

_SHUTDOWN_SECONDS: Final = 3.0
_LINGERING_SECONDS: Final = 2.0
"""Time for the rest of a refused body, so that the refusal arrives."""
ENOUGH: Final = 400
"""Twice the connections that may be silent at a time (``handlers.connections``)."""
_PLENTY: Final = 4_096
"""Twice the unverified connections that are kept at most. Systems often begin with 1,024, and allow far more."""
_SECONDS_BETWEEN: Final = 60.0
_NONE_LEFT: Final = frozenset({errno.EMFILE, errno.ENFILE})


def allow_plenty() -> None:
    """Raise the limit to 4,096, or as far as the system lets this user go. One that is higher stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _PLENTY if hard == resource.RLIM_INFINITY else min(_PLENTY, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


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
    """Listen; returns the server, to clean up, and its URL. ``clock`` is this machine's, by which Slack signs."""
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
            claim_signature=lambda signature: claim_signature(database.store, signature=signature, now=clock.now()),
            monotonic=clock.boottime,
            acked=measures.acked,
        )
        app.router.add_post("/slack/events", endpoint.handle)
    shared: dict[str, Any] = {
        "store": database.store,
        "bodies": bodies,
        "vouch": connections.vouch,
        "now": database.clock.now,
        "wake": wake,
        "proxies": settings.trusted_proxies,
        "secrets": secrets,
    }
    payments = PaymentsCallbacks(
        kinds=KINDS, sources=settings.payments_sources, answered=measures.callbacks("payments"), **shared
    )
    app.router.add_route("*", "/callbacks/payments/{token}", payments.handle)
    delivery = DeliveryCallbacks(
        sources=settings.delivery_allowed_sources, answered=measures.callbacks("delivery"), **shared
    )
    app.router.add_route("*", "/callbacks/delivery/{token}", delivery.handle)
    _add_observation(app, settings, database, joined, measures)
    return await _listen(app, connections, settings)


def _add_observation(
    app: web.Application, settings: Settings, database: Database, joined: Callable[[], bool], measures: Measures
) -> None:
    store, clock, token = database.store, database.clock, settings.metrics_token
    health = Health(database=store, slack=joined, now=clock.now)
    app.router.add_get("/healthz", health.alive)
    app.router.add_get("/readyz", health.ready)
    metrics = Metrics(
        database=store,
        measures=measures,
        joined=joined,
        now=clock.now,
        skew=lambda: clock.off,
        services=[one.name for one in WATCHED],
        due=QUEUES,
        token=token.get_secret_value() if token is not None else None,
    )
    app.router.add_get("/metrics", metrics.handle)


async def _listen(app: web.Application, connections: Connections, settings: Settings) -> tuple[web.AppRunner, str]:
    runner = web.AppRunner(
        app,
        access_log=None,
        handle_signals=False,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        max_headers=64,
        lingering_time=_LINGERING_SECONDS,
    )
    await runner.setup()
    host, port = settings.host, settings.port
    try:
        await Site(runner, connections, host, port).start()
    except OSError as refused:
        if refused.errno in (errno.EADDRINUSE, errno.EACCES):
            taken = refused.errno == errno.EADDRINUSE
            word = "is taken by another program" if taken else "may not be used by this user"
            mend = "choose a free one above 1023. Example: PORT=3001"
            raise OperatorError(f"PORT {port} {word}", mend=mend) from None
        mend = "Example: HOST=127.0.0.1, or HOST=0.0.0.0 for all of them"
        raise OperatorError(f"HOST {host!r} is no address of this machine", mend=mend) from None
    host, port = runner.addresses[0][:2]
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    log.info("listening", url=url)
    return runner, url


def limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _PLENTY if soft == resource.RLIM_INFINITY else soft


class Exhaustion:
    """Exception handler of the event loop: one line a minute while no descriptor is left, all else as ever."""

    # asyncio tries to accept each waiting connection many times a second, and logs each failure with its traceback.

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._said = float("-inf")

    def __call__(self, loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        raised = context.get("exception")
        if not isinstance(raised, OSError) or raised.errno not in _NONE_LEFT:
            loop.default_exception_handler(context)
            return
        now = self._monotonic()
        if now - self._said >= _SECONDS_BETWEEN:
            self._said = now
            mend = "raise the limit, e.g. LimitNOFILE=4096 of systemd"
            log.error("no file descriptor is left, so new connections wait", limit=limit(), mend=mend)
