"""The composition root's part for payments: settings in, client out."""

import aiohttp

from bot.clients.circuit import Circuit
from bot.clients.leaving import MayLeave, always
from bot.clients.limiter import SendSlots
from bot.clients.payments import PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import CONNECT_SECONDS, Transport
from bot.clients.unread import NOBODY, Answers
from bot.settings import Settings
from bot.workflows.services.service import Service


def make_payments(
    settings: Settings,
    session: aiohttp.ClientSession,
    slots: SendSlots,
    *,
    total: float,
    connect: float = CONNECT_SECONDS,
    circuit: Circuit | None = None,
    may_leave: MayLeave = always,
    answers: Answers = NOBODY,
) -> Service[PaymentsClient]:
    """Payments, configured or not. ``total``, ``connect``: seconds for a request, its connection.

    ``may_leave`` is asked before each request that changes something; ``answers`` is told which answers were read.

    Raises:
        OperatorError: the file of routes cannot be used.
    """
    base_url, partner, secret = (
        settings.payments_base_url,
        settings.payments_partner_id,
        settings.payments_partner_secret,
    )
    routes = load_routes(settings.services_file, environment=settings.environment.value)
    if base_url is None or partner is None or secret is None:
        return Service(client=None, missing=settings.missing_for_payments)
    client = PaymentsClient(
        routes=routes,
        transport=Transport(
            session=session, base_url=base_url, service="payments", connect=connect, total=total, circuit=circuit
        ),
        limiter=slots,
        partner_id=partner,
        partner_secret=secret,
        may_leave=may_leave,
        answers=answers,
    )
    return Service(client=client)
