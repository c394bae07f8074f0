"""External services: names as shown before the word *service*, and health by their last calls."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

PAYMENTS: Final = "payments"
DELIVERY: Final = "delivery"
LOCALIZATION: Final = "localization"
EMAILS: Final = "e-mail processing"
EMAILS_ALONE: Final = f"{EMAILS} of single addresses"
EMAIL_FILES: Final = f"{EMAILS} of whole files"


class Fault(StrEnum):
    """Fault of a service shown by its last call."""

    NO_ANSWER = "no_answer"
    KEY = "key"
    """The service refuses our key or account."""
    ERRORS = "errors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Health ``since`` a time, as of the last call ``at``; ``fault`` is None while calls succeed."""

    since: datetime
    at: datetime
    fault: Fault | None = None
