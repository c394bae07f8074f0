"""Recovery of a database that may be older than the services: what is known about it, as values.

It happens when a backup is put back, or when a replica takes over that had not heard of everything. Such a database
asks for what was done already to be done again; so nothing is sent until an operator has looked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

HELD = "held: the database may be older than the services, so an operator has to look"
"""Why a request is not carried out meanwhile; shown on its card."""

UNREADABLE = "it cannot be read whether Switchboard may send"
"""Why nothing is sent where that row is damaged."""

ASK_AGAIN = "the database was put back to an earlier moment, so what was decided before needs deciding again"
"""Why a request goes back to its approvers afterwards."""

MOST_NAMED = 200
"""Requests with an effect that are named one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOnly:
    """Since when nothing is sent, and why.

    Attributes:
        since: when it was noticed.
        reason: in words.
        until: the last moment at which something is known to have been about to leave that the database may lack.
        sent: those requests, as far as they are known: the operation, and the code, id or reference it named.
    """

    since: datetime
    reason: str
    until: datetime
    sent: tuple[str, ...] = ()

    def stored(self) -> dict[str, object]:
        """As JSON."""
        return {
            "since": self.since.isoformat(),
            "reason": self.reason,
            "until": self.until.isoformat(),
            "sent": list(self.sent),
        }

    @classmethod
    def read(cls, found: object) -> "ReadingOnly | None":
        """From JSON; None when the flag is not set.

        Raises:
            ValueError, TypeError, KeyError: it is set, and cannot be read.
        """
        if found is None or found == {}:
            return None
        if not isinstance(found, Mapping):
            raise TypeError("no object")
        return cls(
            since=datetime.fromisoformat(found["since"]),
            reason=str(found["reason"]),
            until=datetime.fromisoformat(found["until"]),
            sent=tuple(str(one) for one in found["sent"]),
        )


class Seen(StrEnum):
    """Result of searching the service for one request."""

    FOUND = "found"
    """The service holds more than the database knew; it was taken in."""
    ABSENT = "absent"
    """The service holds nothing of it, and nothing can be on its way any more."""
    NOT_YET = "not yet"
    """It is not there, but a request may still be on its way."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look for a request came to."""

    seen: Seen
    reason: str

    @classmethod
    def of(cls, *, hit: bool, doubt: str, where: str) -> "Finding":
        """Of a list that was searched. ``doubt``: why nothing follows from there being nothing."""
        if hit:
            return cls(Seen.FOUND, f"{where} holds it")
        return cls(Seen.UNREADABLE, doubt) if doubt else cls(Seen.ABSENT, f"{where} does not hold it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The last look for one request. ``again_at`` None: it need not be looked for again."""

    seen: Seen
    reason: str
    again_at: datetime | None

    @property
    def is_over(self) -> bool:
        """Whether the answer is final."""
        return self.again_at is None

    def stored(self) -> dict[str, object]:
        """As JSON."""
        again = self.again_at.isoformat() if self.again_at is not None else ""
        return {"seen": self.seen.value, "reason": self.reason, "again_at": again}

    @classmethod
    def read(cls, found: object) -> "Look | None":
        """From JSON; None when it is none."""
        if not isinstance(found, Mapping):
            return None
        again = str(found["again_at"])
        return cls(
            seen=Seen(found["seen"]),
            reason=str(found["reason"]),
            again_at=datetime.fromisoformat(again) if again else None,
        )
