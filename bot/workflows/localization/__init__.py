"""Content localization: calls that may take minutes; one job each, a message that is edited, results in its thread."""

from bot.workflows.localization.request import (
    RequestedCall,
    cancel,
    make_sure_of_room,
    repeat,
    request_call,
    show_queues,
    sight_of,
)
from bot.workflows.localization.running import WORKS
from bot.workflows.localization.subject import LocalizationSubject

__all__ = [
    "WORKS",
    "LocalizationSubject",
    "RequestedCall",
    "cancel",
    "make_sure_of_room",
    "repeat",
    "request_call",
    "show_queues",
    "sight_of",
]
