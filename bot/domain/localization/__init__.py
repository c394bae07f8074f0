"""Content localization: operations, their options, and their results."""

from bot.domain.localization.catalog import CAPABILITIES, capability
from bot.domain.localization.declaration import CallOperation, Capability, Media, MediaKind, Option, OptionChoice
from bot.domain.localization.request import Request, request_errors
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written

__all__ = [
    "CAPABILITIES",
    "CallOperation",
    "Capability",
    "Emotion",
    "Gender",
    "Media",
    "MediaKind",
    "Option",
    "OptionChoice",
    "Phrases",
    "Request",
    "Result",
    "Track",
    "Tracks",
    "Written",
    "capability",
    "request_errors",
]
