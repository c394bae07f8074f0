"""The composition root's part for delivery booking: settings in, service out."""

import aiohttp

from bot.clients.circuit import Circuit
from bot.clients.delivery import DeliveryClient
from bot.clients.leaving import MayLeave, always
from bot.clients.routes_file import load_routes
from bot.clients.transport import CONNECT_SECONDS, Transport
from bot.clients.unread import NOBODY, Answers
from bot.settings import Environment, Settings
from bot.workflows.services.delivery import DeliveryService
from bot.workflows.services.service import Service
from storage.sealing import Sealer


def make_delivery(
    settings: Settings,
    session: aiohttp.ClientSession,
    *,
    sealing_key: bytes,
    total: float,
    connect: float = CONNECT_SECONDS,
    circuit: Circuit | None = None,
    may_leave: MayLeave = always,
    answers: Answers = NOBODY,
) -> Service[DeliveryService]:
    """The service with its keys, configured or not.

    ``sealing_key`` encrypts the keys of stores in the database; ``total``: seconds for one request;
    ``may_leave`` is asked before each that changes something; ``answers`` is told which answers were read.
    """
    base_url = settings.delivery_base_url
    if base_url is None or settings.missing_for_delivery:
        return Service(client=None, missing=settings.missing_for_delivery)
    client = DeliveryClient(
        routes=load_routes(settings.services_file, environment=settings.environment.value),
        transport=Transport(
            session=session, base_url=base_url, service="delivery", connect=connect, total=total, circuit=circuit
        ),
        master_key=settings.delivery_master_key,
        may_leave=may_leave,
        answers=answers,
    )
    service = DeliveryService(
        client=client,
        sealer=Sealer(key=sealing_key),
        given_keys=settings.delivery_store_keys,
        production=settings.environment is Environment.PRODUCTION,
    )
    return Service(client=service)
