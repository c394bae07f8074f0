"""What can be done with files, in the order in which it is offered. One module a service."""

from handlers.file_actions import bulk, emails, localization
from handlers.file_actions.use import Use

USES: tuple[Use, ...] = (*localization.USES, *bulk.USES, *emails.USES)


def declared() -> tuple[Use, ...]:
    """Every use of every service."""
    return USES
