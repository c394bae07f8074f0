"""Reasons why a localization call ended without its result. Plain text with foreign words."""

from bot.domain.errors import ServiceNever

RESTARTED = "Switchboard was restarted before the answer came"
RESULT_LOST = "a restart lost what the service had made"
BROKEN = "something went wrong here; the operator finds it in the log"
FILE_CUT_OFF = "the file could not be read to its end"
TEXT_ONLY = "this takes a text, no file"
NOT_CONFIGURED = "localization is not configured"
CANCEL_ONE = "press Cancel on a call that waits"


def queue_full(most: int) -> str:
    """Somebody has as many open calls as one person may."""
    return f"you have {most} calls under way or waiting, which is the most; wait for one, or cancel one"


def unknown(reason: str) -> str:
    """Whether the service did it is unknown; ``reason``: as :class:`bot.domain.outcome.Unknown` tells it."""
    return f"the localization service gave {reason}"


def not_handed_over(refused: ServiceNever) -> str:
    """A file of the result did not get into the thread."""
    if refused.service == "Slack":
        return f"Slack does not take the file ({refused.reason})"
    return f"it was done, but the {refused.service} service {refused.reason}"


def handing_over_failed(reason: str) -> str:
    """Its files did not get into the thread, however often it was tried."""
    return f"it was done, but its files could not be handed over: {reason}"
