"""E-mail processing as the context holds it."""

from dataclasses import dataclass

from bot.clients.emails import EmailsClient
from bot.clients.results import Results
from bot.workflows.services.pressure import Pressure
from bot.workflows.services.service import Service


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailsService(Service[EmailsClient]):
    """The service of e-mail addresses; each of its two halves may be configured alone.

    Attributes:
        missing_single: names of the variables without which no single address can be asked about; empty: it can.
        missing_files: the same of whole files.
        results: fetches what the service made.
        pressure: limit of requests in flight, for all lists together.
    """

    missing_single: tuple[str, ...]
    missing_files: tuple[str, ...]
    results: Results
    pressure: Pressure
