"""E-mail processing: settings in, service out."""

from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.clients.emails import EmailsClient
from bot.clients.emails.quick import Quick, open_quick_session
from bot.clients.transport import Transport
from bot.domain.emails.lists import CONCURRENCY_LIMIT
from bot.wiring.outside import Outside
from bot.workflows.services.emails import EmailsService, Wake

_ALONE: Final = "email_single"
_FILES: Final = "email_bulk"
_FILE_SECONDS: Final = 600.0
"""A whole list of addresses may take the service minutes."""


def make_emails(outside: Outside, wake: Wake) -> EmailsService:
    """The service. ``wake``: wakes the worker of lists.

    Raises:
        OperatorError: the file of routes cannot be used.
    """
    settings, key = outside.settings, outside.settings.email_api_key
    urls = (settings.email_single_base_url, settings.email_bulk_base_url)
    own = [host for host in (urlsplit(url or "").hostname for url in urls) if host]
    return EmailsService(
        client=_client(outside, *urls, key) if key is not None and any(urls) else None,
        missing=settings.missing_for_emails,
        missing_single=settings.missing_for_single_emails,
        missing_files=settings.missing_for_email_files,
        results=outside.results(own),
        wake=wake,
    )


def _client(outside: Outside, single: str | None, bulk: str | None, key: SecretStr) -> EmailsClient:
    files = None
    if bulk is not None:
        files = Transport(
            session=outside.session(),
            base_url=bulk,
            service=_FILES,
            read=_FILE_SECONDS,
            total=_FILE_SECONDS,
            watch=outside.watch(_FILES),
            secrets=outside.secrets,
        )
    return EmailsClient(
        routes=outside.routes(),
        single=_quick(outside, single) if single is not None else None,
        bulk=files,
        api_key=key,
        secrets=outside.secrets,
        answers=outside.answers,
    )


def _quick(outside: Outside, base_url: str) -> Quick:
    session = outside.closed_at_the_end(open_quick_session(limit=CONCURRENCY_LIMIT))
    return Quick(
        session=session,
        base_url=base_url,
        total=outside.total,
        watch=outside.watch(_ALONE),
        secrets=outside.secrets,
    )
