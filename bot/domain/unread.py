"""Answers that couldn't be parsed: the shape of each, without values, and likely fixes."""

import json
import re
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from difflib import SequenceMatcher
from functools import lru_cache
from hashlib import sha256
from itertools import islice, pairwise
from typing import Any, Final

Path = tuple[str, ...]
"""Names from the outermost field inwards; ``[]`` means any item of a list."""

ITEM: Final = "[]"
MASKED: Final = "(masked)"
"""Replaces a field name that looks like a value."""

TEXT: Final = "text"
WHOLE: Final = "whole number"
NUMBER: Final = "number"
FLAG: Final = "true/false"
EMPTY: Final = "empty"
OBJECT: Final = "object"
LIST: Final = "list"
_KINDS: Final = {bool: FLAG, int: WHOLE, Decimal: NUMBER, str: TEXT}
MOST_FIELDS: Final = 60
_DEEPEST: Final = 4
_MOST_ITEMS: Final = 3
"""Items of a list that are inspected; the rest are assumed to have the same shape."""
_MOST_NAMES: Final = 200
_MOST_NODES: Final = 20_000

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN: Final = re.compile(r"[@$#]?[^\W\d][\w$:-]{0,49}")
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f-]{12,}")
_MOST_DIGITS: Final = 4
_MOST_TURNS: Final = 3
"""Changes between letters and digits: names have few, tokens and references many."""


@dataclass(frozen=True, slots=True)
class Field:
    path: Path
    kind: str

    @property
    def dotted(self) -> str:
        """The path for people, e.g. ``data.items[].id``."""
        return ".".join(self.path).replace(f".{ITEM}", ITEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentShape:
    """Structure of a document without its values; the fields of the object at ``level`` come first."""

    kind: str
    level: Path = ()
    fields: tuple[Field, ...] = ()
    is_cut: bool = False
    """Whether there are more fields, or deeper ones."""


def shape_of(document: object, *, at: object = None) -> DocumentShape:
    """Return the shape of parsed JSON; ``at`` is the object in it (by identity) whose fields come first."""
    looked = _Looked()
    found: Path = ()
    waiting: deque[tuple[object, Path]] = deque([(document, ())])
    for _ in range(_MOST_NODES if at is not None else 0):  # find the path of that object
        if not waiting:
            break
        value, path = waiting.popleft()
        if value is at:
            found = path
            break
        inside: Iterable[tuple[str, object]] = ()
        if isinstance(value, dict):
            inside = ((masked(name), one) for name, one in value.items() if isinstance(one, dict | list))
        elif isinstance(value, list):
            inside = ((ITEM, one) for one in value if isinstance(one, dict | list))
        waiting.extend((one, (*path, name)) for name, one in islice(inside, _MOST_NODES))
    if found:
        looked.take(at, found, len(found))
    looked.take(document, (), 0)
    fields = tuple(Field(path, " or ".join(kinds)) for path, kinds in looked.kinds.items())
    return DocumentShape(kind=kind_of(document), level=found, fields=fields, is_cut=looked.is_cut)


def kind_of(value: object) -> str:
    if value is None or value == "":
        return EMPTY
    return f"{LIST} of {len(value)}" if isinstance(value, list) else _KINDS.get(type(value), OBJECT)


def masked(name: str) -> str:
    """Return a field name, masked if it looks like a value: an address, a number, a hash, a sentence."""
    digits = sum(letter.isdigit() for letter in name)
    turns = sum(one.isdigit() != other.isdigit() for one, other in pairwise(name))
    is_value = (
        _PLAIN.fullmatch(name) is None
        or digits > _MOST_DIGITS
        or turns > _MOST_TURNS
        or _HEXADECIMAL.fullmatch(name) is not None
    )
    return MASKED if is_value else name


@dataclass(slots=True)
class _Looked:
    kinds: dict[Path, list[str]] = field(default_factory=dict)
    is_cut: bool = False

    def take(self, value: object, path: Path, depth: int) -> None:
        """Record the fields of an object, or of a list's first items, recursively."""
        if depth > _DEEPEST + 1:
            self.is_cut = self.is_cut or (isinstance(value, dict | list) and bool(value))
            return
        inner: list[tuple[object, Path]] = []
        if isinstance(value, list):
            inner = [(item, (*path, ITEM)) for item in value[:_MOST_ITEMS]]
        elif isinstance(value, dict):
            for name, one in islice(value.items(), _MOST_NAMES):
                here = (*path, masked(name))
                if not self._note(here, kind_of(one)):
                    self.is_cut = True
                    return
                inner.append((one, here))
            self.is_cut = self.is_cut or len(value) > _MOST_NAMES
        for one, here in inner:  # keep the fields of one object together
            self.take(one, here, depth + 1)

    def _note(self, path: Path, kind: str) -> bool:
        if path not in self.kinds:
            if len(self.kinds) == MOST_FIELDS:
                return False
            self.kinds[path] = [kind]
            return True
        known = self.kinds[path]
        if stem(kind) not in map(stem, known) and kind != EMPTY:
            self.kinds[path] = [kind] if known == [EMPTY] else [*known, kind]
        return True


def toml_key(word: str) -> str:
    """Return a service's word as a TOML key."""
    return word if _BARE.fullmatch(word) else json.dumps(word, ensure_ascii=False)


def stem(kind: str) -> str:
    """Return a kind without its count, so that all lists are equal."""
    return kind.partition(" of ")[0]


_SCALARS: Final = frozenset({TEXT, WHOLE, NUMBER})
_FIGURES: Final = frozenset({TEXT, WHOLE})
_HOLDERS: Final = frozenset({OBJECT, LIST})
_ANYTHING: Final = frozenset({TEXT, LIST, OBJECT})
_TYPES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("data", "partner", "payments", "operations", "bulk_payments", "webhooks", "events"), _HOLDERS),
    **dict.fromkeys(("items", "successful", "driver", "orders"), _HOLDERS),
    **dict.fromkeys(("page", "pages", "last_page", "per_page", "total", "first", "last"), _FIGURES),
    **dict.fromkeys(("count", "payments_count", "pending", "completed", "failed"), _FIGURES),
    **dict.fromkeys(("text", "sentences", "emotion", "audio", "vocals", "music"), _ANYTHING),
}
"""Kinds of values accepted for our field, if not text or number."""
_OF_ERRORS: Final = frozenset(
    {"message", "messages", "messagekey", "error", "errors", "error_description", "detail", "code", "status", "state"}
)
"""Lower-case names of fields about the answer itself, which never hold a record's renamed field."""
_IDENTIFIERS: Final = frozenset({"id", "ids", "uuid", "hash", "token", "key", "reference", "url"})
"""Last words of identifiers' names, which are only candidates for identifier fields of ours."""
WRAPPERS: Final = ("data", "partner")
"""Our fields that may wrap the record."""

_SAME, _CONTAINED, _SIMILAR = 3, 2, 1
_ALIKE: Final = 0.7
_MOST_CANDIDATES: Final = 5
_TURN: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
"""End of a word: ``operationId``, ``operation_id`` and ``OPERATION-ID`` consist of the same two words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A field that is missing in an answer or has a value of the wrong type."""

    section: str
    """Operation whose table of names contains the field."""
    name: str
    known: tuple[str, ...]
    """Names that were tried."""
    is_there: bool = False
    candidates: tuple[str, ...] = ()
    """Unused fields of a fitting type, only those with a similar name if there are any."""
    deeper: str = ""
    """Path of a likely field that is nested too deep."""

    def likely(self, taken: Collection[str], *, by_name: bool) -> str:
        """Return the only likely candidate, or an empty string; ``by_name`` requires a similar name."""
        ranks = {one: _best(one, (self.name, *self.known)) for one in self.candidates if one not in taken}
        best = max(ranks.values(), default=0)
        if best == 0 and (by_name or self.is_there):
            return ""
        first, *others = [one for one, rank in ranks.items() if rank == best] or [""]
        return "" if others else first


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadAnswer:
    """A successful answer that couldn't be parsed; ``body`` is e.g. ``no JSON (HTML page of 512 bytes)``."""

    operation: str
    status: int
    body: str
    fields: tuple[Field, ...] = ()
    """Fields of the object that lacked something come first."""
    wanted: tuple[Wanted, ...] = ()
    is_cut: bool = False

    @property
    def fingerprint(self) -> str:
        """Hash of the answer's form, regardless of values and lengths of lists."""
        parts = [self.operation, self.status, stem(self.body), sorted(field.path for field in self.fields)]
        form = json.dumps([*parts, [(one.section, one.name, one.is_there) for one in self.wanted]])
        return sha256(form.encode()).hexdigest()[:32]

    @property
    def proposed(self) -> Mapping[tuple[str, str], str]:
        """Map our section and name to the likely name at the service; each of theirs is used once."""
        found: dict[tuple[str, str], str] = {}
        for by_name in (True, False):
            for one in self.wanted:
                likely = one.likely(found.values(), by_name=by_name)
                if likely and (one.section, one.name) not in found:
                    found[one.section, one.name] = likely
        return found

    def as_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "body": self.body,
            "fields": [[list(field.path), field.kind] for field in self.fields],
            "wanted": [asdict(one) for one in self.wanted],
            "is_cut": self.is_cut,
        }

    @classmethod
    def from_json(cls, operation: str, stored: Mapping[str, Any]) -> "UnreadAnswer":
        return cls(
            operation=operation,
            status=stored["status"],
            body=stored["body"],
            fields=tuple(Field(tuple(path), kind) for path, kind in stored["fields"]),
            wanted=tuple(
                Wanted(**{**one, "known": tuple(one["known"]), "candidates": tuple(one["candidates"])})
                for one in stored["wanted"]
            ),
            is_cut=stored["is_cut"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """A stored unread answer: when and how often it occurred, and when its operation could be parsed again."""

    answer: UnreadAnswer
    first_seen: datetime
    last_seen: datetime
    count: int
    mended_at: datetime | None = None


def looked_for(
    shape: DocumentShape, *, section: str, name: str, known: tuple[str, ...], read: Collection[str]
) -> Wanted:
    """Describe one field missing at ``shape.level``; ``read`` are the names that already have another meaning."""
    types, names, depth = _TYPES.get(name, _SCALARS), (name, *known), len(shape.level)
    below = [field for field in shape.fields if len(field.path) > depth and field.path[:depth] == shape.level]
    here = [field for field in below if len(field.path) == depth + 1]
    is_there = any(field.path[-1] in known and field.kind != EMPTY for field in here)
    fitting = [field for field in below if types & {stem(kind) for kind in field.kind.split(" or ")}]
    # A field under the expected name is probably the right one; only similar names may replace it.
    beside = [field.path[-1] for field in fitting if field in here and field.path[-1] not in (*read, MASKED)]
    others = set[str]() if any(_last_word(one) in _IDENTIFIERS for one in names) else _IDENTIFIERS
    possible = (one for one in beside if one.casefold() not in _OF_ERRORS and _last_word(one) not in others)
    unlike = [] if is_there else list(possible)
    likely = [one for one in beside if _best(one, names)] or unlike
    deeper = (field for field in fitting if field not in here and _best(field.path[-1], names) >= _CONTAINED)
    return Wanted(
        section=section,
        name=name,
        known=known,
        is_there=is_there,
        candidates=tuple(sorted(likely, key=lambda one: -_best(one, names))[:_MOST_CANDIDATES]),
        deeper=next((field.dotted for field in deeper), ""),
    )


def _best(theirs: str, names: Collection[str]) -> int:
    return max(_likeness(theirs, name) for name in names)


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", _TURN.sub(" ", name).casefold())


def _last_word(name: str) -> str:
    return next(reversed(_words(name)), "")


@lru_cache(maxsize=4_096)  # answers to one operation repeat the same names
def _likeness(theirs: str, ours: str) -> int:
    """Compare two names: equal letters, all words of one in the other, or mostly equal letters."""
    one, other = _words(theirs), _words(ours)
    if not one or not other:
        return 0
    if "".join(one) == "".join(other):
        return _SAME
    if set(one) <= set(other) or set(other) <= set(one):
        return _CONTAINED
    return _SIMILAR if SequenceMatcher(None, "".join(one), "".join(other)).ratio() >= _ALIKE else 0
