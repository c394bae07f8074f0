"""Construction of the external services from settings, with the routes, sessions and circuits that they share."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

import aiohttp

from bot.clients.calls import MayLeave, always
from bot.clients.circuit import Circuit
from bot.clients.delivery import DeliveryClient
from bot.clients.emails import EmailsClient
from bot.clients.emails.client import Quick
from bot.clients.limiter import SendSlots
from bot.clients.localization import LocalizationClient
from bot.clients.payments import PaymentsClient
from bot.clients.results import Results, open_result_session
from bot.clients.routes import RouteTable
from bot.clients.routes_file import load_routes
from bot.clients.short_links import ShortLinks, open_link_session, own_origin
from bot.clients.transport import CONNECT_SECONDS, Transport, Watch, bare_session, open_session
from bot.clients.unread import AnswerObserver
from bot.domain.bookings.record import Desk
from bot.domain.emails.lists import CONCURRENCY_LIMIT
from bot.domain.text import Secrets
from bot.settings import Environment, Settings
from bot.workflows.services import Calls, DeliveryService, EmailsService, LocalizationService, Pressure, Service
from handlers.grammar.verbs import SlashCommand
from storage.sealing import Sealer

_CONNECTIONS: Final = 400
"""Maximum of simultaneous connections to one service: more than all work that can wait for it."""
_MEDIA_SECONDS: Final = 3_600.0
"""Total time-out: uploading a file of a gigabyte also takes time."""
_FILE_SECONDS: Final = 600.0
"""Total time-out: the service may take minutes for a whole list of addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """Shared dependencies of the service clients."""

    settings: Settings
    stack: AsyncExitStack
    total: float
    """Seconds for one request, except for media and whole files."""
    connect: float = CONNECT_SECONDS
    monotonic: Callable[[], float]
    may_leave: MayLeave = always
    answers: AnswerObserver | None = None
    more_routes: tuple[Path, ...] = ()
    """Route files of additional services."""
    watch: Callable[[str], Watch] = lambda _: lambda *_: None
    secrets: Secrets = field(repr=False)
    """Redacted from the services' answers."""

    def routes(self) -> RouteTable:
        settings = self.settings
        return load_routes(settings.services_file, environment=settings.environment.value, more=self.more_routes)

    def session(self) -> aiohttp.ClientSession:
        """Open a session for one service, so that its hanging requests don't use up another's connections."""
        return self.closed_at_the_end(open_session(limit=_CONNECTIONS))

    def transport(self, service: str, base_url: str) -> Transport:
        return Transport(
            session=self.session(),
            base_url=base_url,
            service=service,
            connect=self.connect,
            total=self.total,
            circuit=Circuit(service, clock=self.monotonic),
            watch=self.watch(service),
            secrets=self.secrets,
        )

    def results(self, own: Collection[str]) -> Results:
        """Return a downloader of files that a service made. ``own``: hosts that may be private."""
        return Results(session=self.closed_at_the_end(open_result_session(own)), own=own, secrets=self.secrets)

    def closed_at_the_end(self, session: aiohttp.ClientSession) -> aiohttp.ClientSession:
        self.stack.push_async_callback(session.close)
        return session


def make_payments(outside: Outside, slots: SendSlots) -> Service[PaymentsClient]:
    settings, routes = outside.settings, outside.routes()
    base_url, secret = settings.payments_base_url, settings.payments_partner_secret
    partner = settings.payments_partner_id
    if base_url is None or partner is None or secret is None:
        return Service(client=None, missing=settings.missing_for_payments)
    return Service(
        client=PaymentsClient(
            routes=routes,
            transport=outside.transport("payments", base_url),
            limiter=slots,
            partner_id=partner,
            partner_secret=secret,
            may_leave=outside.may_leave,
            answers=outside.answers,
        )
    )


def make_delivery(outside: Outside) -> Service[DeliveryService]:
    settings, base_url = outside.settings, outside.settings.delivery_base_url
    if base_url is None or settings.missing_for_delivery:
        return Service(client=None, missing=settings.missing_for_delivery)
    own = own_origin(base_url)
    desk = Desk(dashboard=settings.delivery_dashboard_url or "", support=settings.delivery_support_url or "")
    client = DeliveryClient(
        routes=outside.routes(),
        transport=outside.transport("delivery", base_url),
        master_key=settings.delivery_master_key,
        may_leave=outside.may_leave,
        answers=outside.answers,
        desk=desk,
    )
    return Service(
        client=DeliveryService(
            client=client,
            desk=desk,
            sealer=Sealer(key=settings.key_for("stores")),
            given_keys=settings.delivery_store_keys,
            production=settings.environment is Environment.PRODUCTION,
            links=ShortLinks(session=outside.closed_at_the_end(open_link_session(own)), own=own),
            secrets=outside.secrets,
        )
    )


def make_localization(outside: Outside) -> LocalizationService:
    settings, circuit = outside.settings, Circuit("localization", clock=outside.monotonic)
    base_url, key = settings.localization_base_url, settings.localization_api_key
    own = [host for host in (urlsplit(base_url or "").hostname,) if host]
    client = None
    if base_url is not None and key is not None:
        transport = partial(
            Transport,
            session=outside.session(),
            base_url=base_url,
            service="localization",
            circuit=circuit,
            watch=outside.watch("localization"),
            secrets=outside.secrets,
            large=True,
        )
        client = LocalizationClient(
            routes=outside.routes(),
            texts=transport(total=outside.total),
            media=transport(connect=10.0, read=600.0, total=_MEDIA_SECONDS),  # it answers only when done
            key=key,
            own_hosts=own if settings.environment is Environment.SANDBOX else (),
            answers=outside.answers,
        )
    return LocalizationService(
        client=client,
        missing=settings.missing_for_localization,
        sealer=Sealer(key=settings.key_for("replies")),
        results=outside.results(own),
        calls=Calls(circuit=circuit),
        characters=settings.localization_text_characters,
    )


def make_emails(outside: Outside) -> EmailsService:
    settings, key = outside.settings, outside.settings.email_api_key
    single, bulk = settings.email_single_base_url, settings.email_bulk_base_url
    own = [host for host in (urlsplit(url or "").hostname for url in (single, bulk)) if host]
    client = quick = files = None
    if single is not None and key is not None:
        quick = Quick(
            session=outside.closed_at_the_end(bare_session(aiohttp.TCPConnector(limit=CONCURRENCY_LIMIT))),
            base_url=single,
            total=outside.total,
            watch=outside.watch("email_single"),
            secrets=outside.secrets,
        )
    if bulk is not None and key is not None:
        files = Transport(
            session=outside.session(),
            base_url=bulk,
            service="email_bulk",
            read=_FILE_SECONDS,
            total=_FILE_SECONDS,
            watch=outside.watch("email_bulk"),
            secrets=outside.secrets,
        )
    if key is not None and (quick is not None or files is not None):
        client = EmailsClient(
            routes=outside.routes(),
            single=quick,
            bulk=files,
            api_key=key,
            secrets=outside.secrets,
            answers=outside.answers,
        )
    return EmailsService(
        client=client,
        missing=settings.missing_for_emails,
        missing_single=settings.missing_for_single_emails,
        missing_files=settings.missing_for_email_files,
        results=outside.results(own),
        pressure=Pressure(clock=outside.monotonic),
    )


class Extension(Protocol):
    """An additional service."""

    @property
    def routes(self) -> Path:
        """File with its operations, in the format of ``bot/clients/routes.toml``; ``SERVICES_FILE`` can override it."""

    def command(self, outside: Outside) -> SlashCommand:
        """Create its slash command with its client; called once, at start."""


EXTENSIONS: Final[tuple[Extension, ...]] = ()
"""Additional services of this installation."""


def routes_of(extensions: Sequence[Extension] = EXTENSIONS) -> tuple[Path, ...]:
    """Return the extensions' route files, for :func:`bot.clients.routes_file.load_routes`."""
    return tuple(one.routes for one in extensions)
