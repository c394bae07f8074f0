"""The audit chain: every row carries an HMAC over its content and the row before it, so any change breaks it there.

The anchors show whether its end is missing or the chain was replaced. The key may change: the last row under the old
key names the new one, and the first row under the new key the old one. That row's hash seals the hash before it, so a
person who learns the old key later can't change anything written with it.
"""

import csv
import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import chain
from json.encoder import encode_basestring_ascii as quoted
from typing import IO, Any, NamedTuple

from bot.domain.anchors import Anchor

SYSTEM = "switchboard"
GENESIS = "0" * 64
_KEY_ID_LENGTH = 16
_FURTHEST = 100_000
"""Limit of row numbers past the last row that are tried for a removed row, at one hash each."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event: actor, action, and instruction or booking. ``detail`` is JSON-ready and contains no secrets."""

    at: datetime
    instruction_id: str
    actor: str
    action: str
    before: str
    after: str
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRow:
    """An entry in the chain. ``seq`` counts from 1 without gaps; hashes are hex."""

    seq: int
    entry: Entry
    previous: str
    hash: str


class Stored(NamedTuple):
    """An unverified row exactly as stored: ``at`` in microseconds since 1970, ``detail`` as JSON."""

    seq: int
    at: int
    instruction_id: str
    actor: str
    action: str
    before: str
    after: str
    detail: str
    previous: str
    hash: str

    def entry(self) -> Entry | None:
        try:
            at, detail = _EPOCH + timedelta(microseconds=self.at), json.loads(self.detail)
        except (ValueError, TypeError, OverflowError, RecursionError):
            return None
        words = {name: getattr(self, name) for name in ("instruction_id", "actor", "action", "before", "after")}
        if not isinstance(detail, dict) or not all(isinstance(word, str) for word in words.values()):
            return None
        return Entry(at=at, detail=detail, **words)


def stored(row: ChainRow) -> Stored:
    one = row.entry
    at = (one.at - _EPOCH) // _MICROSECOND
    words = (one.instruction_id, one.actor, one.action, one.before, one.after)
    detail = json.dumps(dict(one.detail), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return Stored(row.seq, at, *words, detail, row.previous, row.hash)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRow:
    """A row for people: its entry (None if it can't be parsed), and whether it is unaltered."""

    seq: int
    entry: Entry | None
    is_intact: bool


def link(*, key: bytes, previous: str, seq: int, entry: Entry) -> str:
    return seal(stored(ChainRow(seq=seq, entry=entry, previous=previous, hash="")), key=key)


def seal(row: Stored, *, key: bytes, previous: str | None = None, seq: int | None = None) -> str:
    """Return the correct hash of a row, optionally after another row or under another number; "" if it has none.

    The hashed text is JSON with sorted keys and the detail as stored. A detail can't imitate the text around it: every
    other part is a JSON string, in which quotation marks are escaped.
    """
    previous, seq = row.previous if previous is None else previous, row.seq if seq is None else seq
    try:
        if type(row.at) is not int:
            return ""
        at = (_EPOCH + timedelta(microseconds=row.at)).isoformat()
        content = (
            f'{{"action":{quoted(row.action)},"actor":{quoted(row.actor)},"after":{quoted(row.after)},"at":"{at}",'
            f'"before":{quoted(row.before)},"detail":{row.detail},"instruction":{quoted(row.instruction_id)},'
            f'"seq":{seq}}}'
        )
        return hmac.digest(key, f"{previous}{content}".encode(), "sha256").hex()
    except (TypeError, ValueError, OverflowError):
        return ""  # a value that this program never writes


class ChainDamage(StrEnum):
    """Damage of the first bad row, as far as the rows around it show."""

    REMOVED = "removed"
    CHANGED = "changed"
    INSERTED = "inserted"
    REORDERED = "reordered"
    CUT_OFF = "cut off"
    REPLACED = "replaced"
    """Written with the key, but not the original row: from another database or an older copy."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a check: the number of valid rows, the hash of the last of them, and the first bad row if any."""

    rows: int
    head: str
    bad_seq: int | None = None
    problem: str = ""
    damage: ChainDamage | None = None
    found: Stored | None = None
    """The row now in the place of the bad one."""


@dataclass(frozen=True, slots=True)
class EarlierKey:
    until: int
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Keys:
    key: bytes = field(repr=False)
    earlier: Sequence[EarlierKey] = ()

    def at(self, seq: int) -> bytes:
        return next((one.key for one in self.earlier if seq <= one.until), self.key)


def key_id(key: bytes) -> str:
    return hashlib.sha256(b"switchboard|key id|" + key).hexdigest()[:_KEY_ID_LENGTH]


def check(
    *, keys: Keys, rows: Iterable[Stored], end: tuple[int, str] | None = None, anchors: Iterable[Anchor] = ()
) -> Verdict:
    """Verify the chain from its first row; ``end`` is the recorded last row. Read anchors first, as rows only grow."""
    known = list(anchors)
    anchored: dict[int, list[Anchor]] = {}
    for anchor in known:
        anchored.setdefault(anchor.seq, []).append(anchor)
    previous, count = GENESIS, 0
    walk = iter(rows)
    for row in walk:
        seq = count + 1
        if row.seq != seq or row.previous != previous or seal(row, key=keys.at(seq)) != row.hash:
            bad_seq, damage, problem = _Place(keys, seq, previous, row, end).diagnosis(walk)
            return Verdict(count, previous, bad_seq, problem, damage, row if row.seq == bad_seq else None)
        for anchor in anchored.get(seq, ()):
            if anchor.head != row.hash:
                problem = f"it is not the row that stood here on {anchor.at:%Y-%m-%d %H:%M} UTC, says an anchor"
                return Verdict(count, previous, seq, problem, ChainDamage.REPLACED, row)
        previous, count = row.hash, seq
    last = max(known, key=lambda anchor: anchor.seq, default=None)
    if last is not None and last.seq > count and (end is None or type(end[0]) is not int or last.seq >= end[0]):
        problem = f"row {last.seq} was there on {last.at:%Y-%m-%d %H:%M} UTC, says an anchor"
        return Verdict(count, previous, count + 1, problem, ChainDamage.CUT_OFF)
    if end is not None and type(end[0]) is int and end[0] > count:
        problem = f"there were {end[0]} rows, says the database's own note of its end"
        return Verdict(count, previous, count + 1, problem, ChainDamage.CUT_OFF)
    if end is not None and end != (count, previous):
        problem = "it holds, but the database's own note of where the chain ends is not what was written"
        return Verdict(count, previous, count, problem, ChainDamage.CHANGED)
    return Verdict(count, previous)


@dataclass(frozen=True, slots=True)
class _Place:
    """The first place where the chain is broken: the expected row and the actual one."""

    keys: Keys
    seq: int
    previous: str
    row: Stored
    end: tuple[int, str] | None

    def once(self, most: int) -> int | None:
        """Return the number, up to ``most`` or further, under which the actual row was written; None if it wasn't."""
        row = self.row
        if self.end is not None and type(self.end[0]) is int:
            most = max(most, min(self.end[0], most + _FURTHEST))
        numbers = range(1, most + 1)
        return next((seq for seq in numbers if seal(row, key=self.keys.at(seq), seq=seq) == row.hash), None)

    def diagnosis(self, rest: Iterator[Stored]) -> tuple[int, ChainDamage, str]:
        """Return the first bad row and its damage, as shown by the rows after it."""
        row, seq = self.row, self.seq
        following = next(rest, None)
        elsewhere: int | None = None
        most = seq
        for other in chain([row] if following is None else [row, following], rest):
            most += 1
            if other.seq != seq and elsewhere is None and other.previous == self.previous:
                # The row that was written for this place, whatever its number is now.
                elsewhere = other.seq if seal(other, key=self.keys.at(seq), seq=seq) == other.hash else None
        if type(row.seq) is not int or row.seq < seq:
            bad_seq = row.seq if type(row.seq) is int else seq
            return bad_seq, ChainDamage.INSERTED, "no row of this number was ever written here"
        if row.seq > seq:
            if elsewhere is not None:
                return seq, ChainDamage.REORDERED, f"it has the number {elsewhere} now"
            return seq, ChainDamage.REMOVED, f"after row {seq - 1} comes row {row.seq}"
        if elsewhere is not None:
            moved = self.once(most) is not None
            problem = f"the row that belongs here has the number {elsewhere} now"
            return seq, ChainDamage.REORDERED if moved else ChainDamage.INSERTED, problem
        return seq, *self._in_its_place(most=most, is_last=following is None)

    def _in_its_place(self, *, most: int, is_last: bool) -> tuple[ChainDamage, str]:
        row, seq = self.row, self.seq
        if seal(row, key=self.keys.at(seq), previous=self.previous) == row.hash:
            return ChainDamage.CHANGED, "the hash it names as the one before it is not what was written"
        once = self.once(most)
        if once == seq:
            return ChainDamage.REPLACED, "it was written with our key, but after another row than the one before it"
        if once is not None and once > seq:
            gone = f"row {seq} is" if once == seq + 1 else f"rows {seq} to {once - 1} are"
            return ChainDamage.REMOVED, f"{gone} missing; what has this number now was row {once}"
        if once is not None:
            return ChainDamage.INSERTED, f"it is a copy of row {once}"
        if is_last and self.end == (seq - 1, self.previous):
            return ChainDamage.INSERTED, "the chain ended before it, says the database's own note of its end"
        return ChainDamage.CHANGED, "its content is not what was written"


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Characters with which a spreadsheet formula may begin, and those a spreadsheet skips before one."""

_COLUMNS = {"instruction" if name == "instruction_id" else name: name for name in Stored._fields}


def write_csv(rows: Iterable[Stored], out: IO[str], *, head: bool = True) -> int:
    """Write rows as CSV, after the column names unless ``head`` is False; return the number of rows."""
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    if head:
        writer.writerow(_COLUMNS)
    count = 0
    for row in rows:
        count += 1
        # Text that a spreadsheet doesn't run as a formula, and that can be encoded in any file.
        cells = (str(_moment(row) if name == "at" else getattr(row, name)) for name in _COLUMNS.values())
        texts = (cell.encode("utf-8", "backslashreplace").decode("utf-8") for cell in cells)
        writer.writerow([f"'{text}" if text.startswith(_FORMULA) else text for text in texts])
    return count


def write_json_lines(rows: Iterable[Stored], out: IO[str]) -> int:
    count = 0
    for row in rows:
        count += 1
        entry = row.entry()
        values: dict[str, Any] = {name: getattr(row, field) for name, field in _COLUMNS.items()}
        values |= {"at": _moment(row), "detail": row.detail if entry is None else entry.detail}
        out.write(json.dumps(values, default=repr) + "\n")
    return count


def _moment(row: Stored) -> str:
    """Return ISO 8601 in UTC, as sealed; a value that isn't a time is unchanged."""
    entry = row.entry()
    return str(row.at) if entry is None else entry.at.isoformat()
