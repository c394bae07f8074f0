"""Anchors: records of the audit chain's end, stored outside the database and sealed with our key.

They expose a chain that was truncated or replaced. One is also written before each request with an effect is sent.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

EVERY_ROWS = 100
EVERY = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """The chain ended at row ``seq`` with hash ``head``; ``about`` is the request to be sent next, if any."""

    at: datetime
    seq: int
    head: str
    about: str = ""
    torn: str = field(default="", compare=False)
    """Hash of a partial line left before this one by a power failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchors:
    """Contents of a file: anchors with our seal, in order, and numbers of torn, unreadable and forged lines."""

    held: tuple[Anchor, ...] = ()
    torn: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()
    forged: tuple[int, ...] = ()


def is_due(last: Anchor | None, *, seq: int, now: datetime) -> bool:
    """Whether a chain that ends at row ``seq`` needs an anchor. One shorter than its last anchor was replaced."""
    if seq == 0 or (last is not None and seq == last.seq):
        return False
    if last is None or not 0 < seq - last.seq < EVERY_ROWS:
        return True
    return not timedelta(0) <= now - last.at < EVERY


def line(anchor: Anchor, *, key: bytes) -> str:
    """Format an anchor as a line of JSON with its seal, without a line break."""
    content: dict[str, Any] = {"at": anchor.at.astimezone(UTC).isoformat(), "seq": anchor.seq, "head": anchor.head}
    content |= {name: said for name, said in (("about", anchor.about), ("torn", anchor.torn)) if said}
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return json.dumps({**content, "seal": hmac.new(key, text.encode(), hashlib.sha256).hexdigest()})


def read_lines(text: str, *, key: bytes, earlier: Iterable[tuple[int, bytes]] = ()) -> Anchors:
    """Parse a whole file; never raises. ``earlier`` has former keys, each with the last row it is valid for."""
    spoken, lines = tuple(earlier), text.split("\n")
    held: list[Anchor] = []
    torn: list[int] = []
    unreadable: list[int] = []
    forged: list[int] = []
    for number, written in enumerate(lines, start=1):
        if not written.strip():
            continue
        found = parse(written)
        if found is None:
            unreadable.append(number)
        elif any(
            hmac.compare_digest(written.strip().encode(), line(found, key=one).encode())
            for one in (key, *(old for until, old in spoken if found.seq <= until))
        ):
            held.append(found)
            if found.torn and unreadable[-1:] == [number - 1] and torn_hash(lines[number - 2]) == found.torn:
                torn.append(unreadable.pop())
        else:
            forged.append(number)
    if unreadable[-1:] == [len(lines)]:  # no line break at the end
        torn.append(unreadable.pop())
    return Anchors(held=tuple(held), torn=tuple(torn), unreadable=tuple(unreadable), forged=tuple(forged))


def torn_hash(half: str) -> str:
    return hashlib.sha256(half.encode()).hexdigest()[:32]


def parse(written: str) -> Anchor | None:
    """Parse a line without verifying its seal; None if it isn't an anchor."""
    try:
        found = json.loads(written)
        at, seq, head = datetime.fromisoformat(found["at"]), found["seq"], found["head"]
        about, torn = found.get("about", ""), found.get("torn", "")
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if at.tzinfo is None or type(seq) is not int or not all(isinstance(one, str) for one in (head, about, torn)):
        return None
    return Anchor(at=at, seq=seq, head=head, about=about, torn=torn)
