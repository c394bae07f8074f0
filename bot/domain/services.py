"""Names of the outside services, as people read them before the word service."""

from typing import Final

PAYMENTS: Final = "payments"
DELIVERY: Final = "delivery"
LOCALIZATION: Final = "localization"
EMAILS: Final = "e-mail processing"
EMAILS_ALONE: Final = f"{EMAILS} of single addresses"
EMAIL_FILES: Final = f"{EMAILS} of whole files"
