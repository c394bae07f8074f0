"""Recovery of a database that may be older than the services, so that it asks for what was done already."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.reasons import Reason

MOST_NAMED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOnly:
    """Since when nothing is sent, and why. ``sent``: operation, and code, id or reference, of what may have left."""

    since: datetime
    reason: Reason
    until: datetime
    """The last moment at which something is known to have been about to leave that the database may lack."""
    sent: tuple[str, ...] = ()

    def stored(self) -> dict[str, object]:
        return {
            "since": self.since.isoformat(),
            "reason": self.reason.stored(),
            "until": self.until.isoformat(),
            "sent": list(self.sent),
        }

    @classmethod
    def read(cls, found: object) -> "ReadingOnly | None":
        """From JSON; None when the flag is not set. Raises ValueError, TypeError or KeyError when it cannot be read."""
        if found is None or found == {}:
            return None
        if not isinstance(found, Mapping):
            raise TypeError("no object")
        return cls(
            since=datetime.fromisoformat(found["since"]),
            reason=read_reason(found["reason"]),
            until=datetime.fromisoformat(found["until"]),
            sent=tuple(str(one) for one in found["sent"]),
        )


class Seen(StrEnum):
    FOUND = "found"
    """The service holds more than the database knew; it was stored."""
    ABSENT = "absent"
    """The service holds nothing of it, and nothing can be on its way any more."""
    NOT_YET = "not yet"
    """It is not there, but a request may still be on its way."""
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class SearchResult:
    seen: Seen
    reason: Reason

    @classmethod
    def of(cls, *, hit: bool, doubt: Reason | None, holds: Reason, lacks: Reason) -> "SearchResult":
        """Of a list that was searched. ``doubt``: why nothing follows from there being nothing."""
        if hit:
            return cls(Seen.FOUND, holds)
        return cls(Seen.UNREADABLE, doubt) if doubt is not None else cls(Seen.ABSENT, lacks)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSearch:
    """The last look for one request. ``again_at`` None: it need not be looked for again."""

    seen: Seen
    reason: Reason
    again_at: datetime | None

    @property
    def is_over(self) -> bool:
        return self.again_at is None

    def stored(self) -> dict[str, object]:
        again = self.again_at.isoformat() if self.again_at is not None else ""
        return {"seen": self.seen.value, "reason": self.reason.stored(), "again_at": again}

    @classmethod
    def read(cls, found: object) -> "LastSearch | None":
        if not isinstance(found, Mapping):
            return None
        again = str(found["again_at"])
        return cls(
            seen=Seen(found["seen"]),
            reason=read_reason(found["reason"]),
            again_at=datetime.fromisoformat(again) if again else None,
        )


def read_reason(found: object) -> Reason:
    """A reason that is always there; raises ValueError where it is none."""
    reason = Reason.read(found)
    if reason is None:
        raise ValueError("no reason")
    return reason
