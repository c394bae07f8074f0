"""Content localization: what can be asked for, what may be given with it, what comes back."""

from bot.domain.localization.catalog import CAPABILITIES, capability
from bot.domain.localization.declaration import Capability, Choice, Media, MediaKind, Operation, Option
from bot.domain.localization.request import Request, option_errors, request_errors
from bot.domain.localization.results import (
    Emotion,
    Gender,
    Phrases,
    Result,
    Track,
    Tracks,
    Written,
)

__all__ = [
    "CAPABILITIES",
    "Capability",
    "Choice",
    "Emotion",
    "Gender",
    "Media",
    "MediaKind",
    "Operation",
    "Option",
    "Phrases",
    "Request",
    "Result",
    "Track",
    "Tracks",
    "Written",
    "capability",
    "option_errors",
    "request_errors",
]
