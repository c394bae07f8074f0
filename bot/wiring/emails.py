"""The composition root's part for e-mail processing: settings in, service out."""

from contextlib import AsyncExitStack
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from bot.clients.emails import EmailsClient
from bot.clients.emails.quick import Quick, open_quick_session
from bot.clients.results import Results, open_result_session
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.clients.unread import Answers
from bot.domain.emails.lists import CONCURRENCY_LIMIT
from bot.logs import Redaction
from bot.settings import Settings
from bot.workflows.services.emails import EmailsService, Wake

_FILE_SECONDS: Final = 600.0
"""A whole list of addresses may take the service minutes."""


def open_emailing(
    settings: Settings,
    stack: AsyncExitStack,
    *,
    check_seconds: float,
    wake: Wake,
    answers: Answers,
) -> EmailsService:
    """Build what e-mail processing needs; the stack closes its sessions.

    Args:
        settings: the configuration.
        stack: of the application.
        check_seconds: for a request about one address.
        wake: tells who works on lists that there may be something to do.
        answers: told which answers were read.
    """
    single, bulk, key = settings.email_single_base_url, settings.email_bulk_base_url, settings.email_api_key
    own = [host for host in (urlsplit(url or "").hostname for url in (single, bulk)) if host]
    fetching = open_result_session(own)
    stack.push_async_callback(fetching.close)
    client = None
    if key is not None and (single is not None or bulk is not None):
        quick, session = open_quick_session(limit=CONCURRENCY_LIMIT), open_session()
        stack.push_async_callback(quick.close)
        stack.push_async_callback(session.close)
        client = EmailsClient(
            routes=load_routes(settings.services_file, environment=settings.environment.value),
            single=Quick(session=quick, base_url=single, total=check_seconds) if single is not None else None,
            bulk=_patient(session, bulk) if bulk is not None else None,
            api_key=key,
            hide=Redaction([key.get_secret_value()]).known,
            answers=answers,
        )
    return EmailsService(
        client=client,
        missing=settings.missing_for_emails,
        missing_single=settings.missing_for_single_emails,
        missing_files=settings.missing_for_email_files,
        results=Results(session=fetching, own=own),
        wake=wake,
    )


def _patient(session: aiohttp.ClientSession, base_url: str) -> Transport:
    return Transport(session=session, base_url=base_url, service="email_bulk", read=_FILE_SECONDS, total=_FILE_SECONDS)
