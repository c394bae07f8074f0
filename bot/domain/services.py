"""Names of the outside services, as people read them before the word service, and their health by their last calls."""

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
    """What the last call showed to be wrong with a service."""

    NO_ANSWER = "no_answer"
    KEY = "key"
    """It refuses our key or account."""
    ERRORS = "errors"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """``since`` when calls go well, or fail; ``at``: the last call. ``fault``: None while they go well."""

    since: datetime
    at: datetime
    fault: Fault | None = None
