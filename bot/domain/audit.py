"""The audit chain: every row carries an HMAC over its content and the row before it.

Changing, removing, inserting or reordering rows breaks the chain at the first row concerned. The key
is derived from ``SECRET_KEY`` and never stored beside the rows.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

GENESIS = "0" * 64
"""What the first row names as the hash before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What happened: who did what to which instruction. ``detail`` is JSON-ready and holds no secret."""

    at: datetime
    instruction_id: str
    actor: str
    action: str
    before: str
    after: str
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An entry in its place. ``seq`` counts from 1 without gaps; hashes are hex."""

    seq: int
    entry: Entry
    previous: str
    hash: str


def canonical(seq: int, entry: Entry) -> bytes:
    """The one form of a row that is hashed."""
    content = {
        "seq": seq,
        "at": entry.at.isoformat(),
        "instruction": entry.instruction_id,
        "actor": entry.actor,
        "action": entry.action,
        "before": entry.before,
        "after": entry.after,
        "detail": dict(entry.detail),
    }
    return json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode()


def link(*, key: bytes, previous: str, seq: int, entry: Entry) -> str:
    """Hash of a row, given the hash of the row before it."""
    return hmac.new(key, previous.encode() + canonical(seq, entry), hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a chain holds; the first bad row and what is wrong with it, when it does not."""

    rows: int
    head: str
    bad_seq: int | None = None
    problem: str = ""


def verify(*, key: bytes, rows: Iterable[Row]) -> Verdict:
    """Walk the chain from its first row; stops at the first row that does not fit."""
    previous, count = GENESIS, 0
    for expected, row in enumerate(rows, start=1):
        if row.seq != expected:
            return Verdict(count, previous, expected, f"row {expected} is missing")
        if not hmac.compare_digest(row.previous, previous):
            return Verdict(count, previous, row.seq, "it does not follow the row before it")
        if not hmac.compare_digest(row.hash, link(key=key, previous=previous, seq=row.seq, entry=row.entry)):
            return Verdict(count, previous, row.seq, "its content is not what was written")
        previous, count = row.hash, expected
    return Verdict(count, previous)
