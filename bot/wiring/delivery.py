"""Delivery booking: settings in, service out."""

from bot.clients.delivery import DeliveryClient
from bot.settings import Environment
from bot.wiring.keys import key_for
from bot.wiring.outside import Outside
from bot.workflows.services.delivery import DeliveryService
from bot.workflows.services.service import Service
from storage.sealing import Sealer


def make_delivery(outside: Outside) -> Service[DeliveryService]:
    """The service with the keys of its stores.

    Raises:
        OperatorError: the file of routes cannot be used, or there is no SECRET_KEY.
    """
    settings = outside.settings
    base_url = settings.delivery_base_url
    if base_url is None or settings.missing_for_delivery:
        return Service(client=None, missing=settings.missing_for_delivery)
    client = DeliveryClient(
        routes=outside.routes(),
        transport=outside.transport("delivery", base_url),
        master_key=settings.delivery_master_key,
        may_leave=outside.may_leave,
        answers=outside.answers,
    )
    service = DeliveryService(
        client=client,
        sealer=Sealer(key=key_for(settings, "stores")),
        given_keys=settings.delivery_store_keys,
        production=settings.environment is Environment.PRODUCTION,
        secrets=outside.secrets,
    )
    return Service(client=service)
