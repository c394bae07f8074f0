"""The composition root's part for localization: settings in, client and whatever runs out."""

from contextlib import AsyncExitStack
from typing import Final
from urllib.parse import urlsplit

from bot.clients.circuit import Circuit
from bot.clients.localization import LocalizationClient
from bot.clients.localization.client import Pace
from bot.clients.results import Results, open_result_session
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.clients.unread import Answers
from bot.settings import Environment, Settings
from bot.workflows.services.localization import Calls, LocalizationService

_CONNECT_SECONDS: Final = 10.0
_READ_SECONDS: Final = 600.0
"""The service answers when it is done, which may take minutes."""
_MEDIA_SECONDS: Final = 3_600.0
"""For everything: a file of a gigabyte also takes its time to get there."""


def open_localizing(
    settings: Settings, stack: AsyncExitStack, *, text_seconds: float, answers: Answers, circuit: Circuit
) -> LocalizationService:
    """Build what localization needs; the stack closes it.

    Args:
        settings: the configuration.
        stack: of the application.
        text_seconds: for a request without media, as for any other service.
        answers: told which answers were read.
        circuit: whether the service answers.
    """
    base_url, key = settings.localization_base_url, settings.localization_api_key
    own = [host for host in (urlsplit(base_url or "").hostname,) if host]
    fetching = open_result_session(own)
    stack.push_async_callback(fetching.close)
    results = Results(session=fetching, own=own)
    client = None
    if base_url is not None and key is not None:
        session = open_session()
        stack.push_async_callback(session.close)
        texts = Transport(
            session=session, base_url=base_url, service="localization", total=text_seconds, circuit=circuit
        )
        media = Transport(
            session=session,
            base_url=base_url,
            service="localization",
            connect=_CONNECT_SECONDS,
            read=_READ_SECONDS,
            total=_MEDIA_SECONDS,
            circuit=circuit,
        )
        client = LocalizationClient(
            routes=load_routes(settings.services_file, environment=settings.environment.value),
            pace=Pace(texts=texts, media=media),
            key=key,
            own_hosts=own if settings.environment is Environment.SANDBOX else (),
            answers=answers,
        )
    calls = Calls(circuit=circuit)
    stack.push_async_callback(calls.close)
    return LocalizationService(client=client, missing=settings.missing_for_localization, results=results, calls=calls)
