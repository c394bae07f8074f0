"""Results of localization calls, independent of the service's field names."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Gender:
    """Of the speaker. ``percent`` is the confidence, 0 to 100, where the service says one."""

    gender: str
    percent: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """Other ways to say it."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A text: a summary, a translation, what was said, what a document holds."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """``label`` is one of the seven, or what the service said where it is none of them."""

    label: str


EMOTIONS = ("Anger", "Joy", "Sadness", "Love", "Fear", "Surprise", "Neutral")
"""The labels that the interface document names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """One file that the service holds for us.

    Attributes:
        name: what it is: ``vocals``, ``music``, ``audio``.
        url: where it can be fetched for a while; empty when its bytes were the answer.
        extension: of the file, e.g. ``mp3``: what it is, not what was asked for.
    """

    name: str
    url: str
    extension: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracks:
    """Media. ``missing``: names of tracks that should be there and are not."""

    tracks: tuple[Track, ...]
    missing: tuple[str, ...] = ()


SOUNDS = ("mp3", "wav", "ogg", "opus", "flac", "aiff", "aac", "m4a", "webm")
"""Formats of audio files as their names end."""


Result = Gender | Phrases | Written | Emotion | Tracks
