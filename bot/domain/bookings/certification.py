"""The points of the operator's certification (interface document 3, section 1), in the order of the meeting."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final


class Point(StrEnum):
    """One thing that the operator wants to see."""

    QUOTE = "quote"
    BOOK = "book"
    CASH = "cash"
    CARD = "card"
    COOK = "cook"
    SEARCH = "search"
    CANCEL = "cancel"
    HOOK = "hook"
    STATUS_EVENT = "status_event"
    DRIVER_EVENT = "driver_event"
    STATES = "states"
    RESTART = "restart"
    STORE = "store"
    STORE_READ = "store_read"
    PREBOOK = "prebook"
    ADDRESS = "address"
    PREBOOK_CANCEL = "prebook_cancel"
    VIEW = "view"


OPTIONAL: Final = frozenset(
    {Point.COOK, Point.SEARCH, Point.CANCEL, Point.RESTART, Point.STORE_READ, Point.PREBOOK_CANCEL}
)
"""Points that the review does not insist on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Evidence of one point: how often it was seen here, when last, and on which booking."""

    count: int
    last: datetime
    what: str
