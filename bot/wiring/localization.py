"""Content localization: settings in, service out."""

from functools import partial
from typing import Final
from urllib.parse import urlsplit

from bot.clients.localization import LocalizationClient
from bot.clients.localization.client import Pace
from bot.clients.transport import Transport
from bot.settings import Environment
from bot.wiring.outside import Outside
from bot.workflows.services.localization import Calls, LocalizationService

_CONNECT_SECONDS: Final = 10.0
_READ_SECONDS: Final = 600.0
"""The service answers when it is done, which may take minutes."""
_MEDIA_SECONDS: Final = 3_600.0
"""For everything: a file of a gigabyte also takes its time to get there."""


def make_localization(outside: Outside) -> LocalizationService:
    """The service, and its calls in flight.

    Raises:
        OperatorError: the file of routes cannot be used.
    """
    settings, circuit = outside.settings, outside.circuit("localization")
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
        )
        media = transport(connect=_CONNECT_SECONDS, read=_READ_SECONDS, total=_MEDIA_SECONDS)
        client = LocalizationClient(
            routes=outside.routes(),
            pace=Pace(texts=transport(total=outside.total), media=media),
            key=key,
            own_hosts=own if settings.environment is Environment.SANDBOX else (),
            answers=outside.answers,
        )
    calls = Calls(circuit=circuit)
    results = outside.results(own)
    outside.stack.push_async_callback(calls.close)
    return LocalizationService(client=client, missing=settings.missing_for_localization, results=results, calls=calls)
