"""The outside services: settings in, services out, or ``OperatorError``; and routes, sessions, circuits they share."""

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
"""At a time to one service: more than the slots of all work that waits there."""
_MEDIA_SECONDS: Final = 3_600.0
"""For everything: a file of a gigabyte also takes its time to get there."""
_FILE_SECONDS: Final = 600.0
"""A whole list of addresses may take the service minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The way to the services."""

    settings: Settings
    stack: AsyncExitStack
    total: float
    """Seconds for one request, without media and whole files."""
    connect: float = CONNECT_SECONDS
    monotonic: Callable[[], float]
    may_leave: MayLeave = always
    answers: AnswerObserver | None = None
    more_routes: tuple[Path, ...] = ()
    """Files with the operations of services beside the four."""
    watch: Callable[[str], Watch] = lambda _: lambda *_: None
    secrets: Secrets = field(repr=False)
    """Taken out of whatever a service says."""

    def routes(self) -> RouteTable:
        settings = self.settings
        return load_routes(settings.services_file, environment=settings.environment.value, more=self.more_routes)

    def session(self) -> aiohttp.ClientSession:
        """One session a service: hanging requests of one take no connection of another."""
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
        """Fetches what a service made. ``own``: hosts that may be private."""
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
            media=transport(connect=10.0, read=600.0, total=_MEDIA_SECONDS),  # it answers when it is done
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
    """One service that is plugged in."""

    @property
    def routes(self) -> Path:
        """Its operations, in the form of ``bot/clients/routes.toml``; ``SERVICES_FILE`` is laid over them, too."""

    def command(self, outside: Outside) -> SlashCommand:
        """Its slash command, which holds its client; called once, at start."""


EXTENSIONS: Final[tuple[Extension, ...]] = ()
"""What this installation has beside the four services."""


def routes_of(extensions: Sequence[Extension] = EXTENSIONS) -> tuple[Path, ...]:
    """Files with their operations, for :func:`bot.clients.routes_file.load_routes`."""
    return tuple(one.routes for one in extensions)
