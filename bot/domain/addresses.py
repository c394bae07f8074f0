"""E-mail addresses of people who are paid: written in ASCII, at most as long as a card shows whole."""

from typing import Final

from email_validator import EmailNotValidError, validate_email

from bot.domain.errors import RuleError

LONGEST: Final = 120
"""Characters of an address: what a headline shows whole."""
RULE: Final = "an e-mail address such as ana@example.com"


class AddressError(RuleError):
    """The text is not such an address."""


def address(text: str) -> str:
    """Normalize an address: the one form in which it is compared, shown and sent.

    Raises:
        AddressError: it is none, or too long.
    """
    try:
        found = validate_email(
            text.strip(),
            check_deliverability=False,
            globally_deliverable=False,
            allow_smtputf8=False,
        )
    except EmailNotValidError:
        found = None
    if found is None and text.strip().startswith('"'):
        raise AddressError(f"it must have no quotation marks: {RULE}")
    if found is None or "." not in found.ascii_domain:
        raise AddressError(f"it must be {RULE}")
    written = found.ascii_email or found.normalized
    if len(written) > LONGEST:
        raise AddressError(f"it must have at most {LONGEST} characters, so that the approver sees all of it")
    return written
