"""E-mail processing: settings in, service out."""

from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.clients.emails import EmailsClient
from bot.clients.emails.quick import Quick, open_quick_session
from bot.clients.transport import Transport
from bot.domain.emails.lists import CONCURRENCY_LIMIT
from bot.logs import Redaction
from bot.wiring.outside import Outside
from bot.workflows.services.emails import EmailsService, Wake

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
    quick = outside.closed_at_the_end(open_quick_session(limit=CONCURRENCY_LIMIT))
    files = None
    if bulk is not None:
        files = Transport(
            session=outside.session(), base_url=bulk, service="email_bulk", read=_FILE_SECONDS, total=_FILE_SECONDS
        )
    return EmailsClient(
        routes=outside.routes(),
        single=Quick(session=quick, base_url=single, total=outside.total) if single is not None else None,
        bulk=files,
        api_key=key,
        hide=Redaction([key.get_secret_value()]).known,
        answers=outside.answers,
    )
