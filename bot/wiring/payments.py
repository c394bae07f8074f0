"""Payments: settings in, service out."""

from bot.clients.limiter import SendSlots
from bot.clients.payments import PaymentsClient
from bot.wiring.outside import Outside
from bot.workflows.services.service import Service


def make_payments(outside: Outside, slots: SendSlots) -> Service[PaymentsClient]:
    """The service. ``slots``: rate limit of its requests.

    Raises:
        OperatorError: the file of routes cannot be used.
    """
    settings, routes = outside.settings, outside.routes()
    base_url, partner = settings.payments_base_url, settings.payments_partner_id
    secret = settings.payments_partner_secret
    if base_url is None or partner is None or secret is None:
        return Service(client=None, missing=settings.missing_for_payments)
    client = PaymentsClient(
        routes=routes,
        transport=outside.transport("payments", base_url),
        limiter=slots,
        partner_id=partner,
        partner_secret=secret,
        may_leave=outside.may_leave,
        answers=outside.answers,
    )
    return Service(client=client)
