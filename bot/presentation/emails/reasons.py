"""Reasons why a list of addresses was not processed to its end. Plain text with foreign names."""

from bot.domain.emails.lists import ColumnLook

ANSWER_LOST = "Switchboard was restarted while the service had the file"
EMPTY_RESULT = "its result is empty"
NO_WORDS = "nothing at all"
NO_COLUMN = "the file has no such column any more"


def hardly_addresses(look: ColumnLook) -> str:
    """The column that was chosen does not hold what is to be processed."""
    return (
        f"the column “{look.name}” hardly holds e-mail addresses ({look.addresses} of {look.filled} cells); "
        "choose the one that does, for example email"
    )


def asked_to_wait(times: int, reason: str) -> str:
    """The service had too much to do again and again."""
    return f"the service asked to wait {times} times in a row ({reason})"


def not_working(reason: str) -> str:
    """The service fails for every address."""
    return f"the service does not work at the moment: {reason}"


def asked_in_vain(times: int, reason: str) -> str:
    """One address never got an answer."""
    return f"asked {times} times: {reason}"
