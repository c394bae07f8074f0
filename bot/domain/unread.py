"""Service answers that could not be parsed: the shape of each, and the configuration lines that may fix it.

Only names and types are kept. What is proposed is a guess that an operator confirms by writing it.
"""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from difflib import SequenceMatcher
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from bot.domain.shapes import EMPTY, LIST, MASKED, NUMBER, OBJECT, TEXT, WHOLE, Field, Path, Shape, stem

_SCALARS: Final = frozenset({TEXT, WHOLE, NUMBER})
_FIGURES: Final = frozenset({TEXT, WHOLE})
_HOLDERS: Final = frozenset({OBJECT, LIST})
_ANYTHING: Final = frozenset({TEXT, LIST, OBJECT})
_TYPES: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("data", "partner", "payments", "operations", "bulk_payments", "webhooks", "events"), _HOLDERS),
    **dict.fromkeys(("items", "successful", "driver"), _HOLDERS),
    **dict.fromkeys(("page", "pages", "last_page", "per_page", "total", "first", "last"), _FIGURES),
    **dict.fromkeys(("count", "payments_count", "pending", "completed", "failed"), _FIGURES),
    **dict.fromkeys(("text", "sentences", "emotion", "audio", "vocals", "music"), _ANYTHING),
}
"""Types that a field of ours can be read from, where it is not a text or a number."""
WRAPPERS: Final = ("data", "partner")
"""Fields of ours in which the record may lie, and need not."""

_SAME, _CONTAINED, _SIMILAR = 3, 2, 1
_ALIKE: Final = 0.7
_MOST_CANDIDATES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A field that was not found in an answer, or whose value has the wrong type.

    Attributes:
        section: operation whose table of names it is in, ``payments.get_operation``.
        name: ours.
        known: names under which it was looked for.
        is_there: one of them is there, and its value does not fit.
        candidates: fields at that place that nothing reads and whose type fits, those called alike where there are any.
        deeper: a field that is called like it and lies too deep to be named; empty: there is none.
    """

    section: str
    name: str
    known: tuple[str, ...]
    is_there: bool = False
    candidates: tuple[str, ...] = ()
    deeper: str = ""

    def likely(self, taken: Collection[str], *, by_name: bool) -> str:
        """The one candidate that is it, as far as can be told; empty: none, or several.

        Args:
            taken: candidates that are something else.
            by_name: names have to be alike; else one that is left alone is it.
        """
        ranks = {one: _best(one, (self.name, *self.known)) for one in self.candidates if one not in taken}
        best = max(ranks.values(), default=0)
        if best == 0 and (by_name or self.is_there):
            return ""
        first, *others = [one for one, rank in ranks.items() if rank == best] or [""]
        return "" if others else first


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadAnswer:
    """A successful answer that could not be read.

    Attributes:
        operation: ``payments.create_payout``.
        status: of HTTP.
        body: what it was, in words: ``object``, ``no JSON (HTML page of 512 bytes)``.
        fields: with their types, those first among which something was looked for.
        wanted: fields of ours that were not found; empty when the answer does not say.
        is_cut: it has more fields.
    """

    operation: str
    status: int
    body: str
    fields: tuple[Field, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    is_cut: bool = False

    @property
    def fingerprint(self) -> str:
        """The same for answers of one form, whatever their values and however long their lists."""
        parts = [self.operation, self.status, stem(self.body), sorted(field.path for field in self.fields)]
        told = json.dumps([*parts, [(one.section, one.name, one.is_there) for one in self.wanted]])
        return sha256(told.encode()).hexdigest()[:32]

    @property
    def proposed(self) -> Mapping[tuple[str, str], str]:
        """Section and name of ours -> the service's name, where one is likely; each of theirs once."""
        found: dict[tuple[str, str], str] = {}
        for by_name in (True, False):
            for one in self.wanted:
                likely = one.likely(found.values(), by_name=by_name)
                if likely and (one.section, one.name) not in found:
                    found[one.section, one.name] = likely
        return found

    def as_json(self) -> dict[str, Any]:
        """As it is stored."""
        return {
            "status": self.status,
            "body": self.body,
            "fields": [[list(field.path), field.kind] for field in self.fields],
            "wanted": [asdict(one) for one in self.wanted],
            "is_cut": self.is_cut,
        }

    @classmethod
    def from_json(cls, operation: str, stored: Mapping[str, Any]) -> "UnreadAnswer":
        """Back from what was stored."""
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
    """An unread answer as it is kept: when, how often, and since when the operation is read again."""

    answer: UnreadAnswer
    first_seen: datetime
    last_seen: datetime
    count: int
    mended_at: datetime | None = None


def looked_for(shape: Shape, *, section: str, name: str, known: tuple[str, ...], read: Collection[str]) -> Wanted:
    """Describe one missing field for the operator.

    Args:
        shape: of the answer; its ``level`` is where the field was looked for.
        section: operation whose table of names it is in.
        name: ours.
        known: names under which it was looked for.
        read: every name that table reads: those mean something else.
    """
    here = [field for field in shape.fields if field.path[:-1] == shape.level]
    types = _TYPES.get(name, _SCALARS)
    fitting = [field.path[-1] for field in here if _types(field) & types]
    names = (name, *known)
    is_there = any(field.path[-1] in known and field.kind != EMPTY for field in here)
    # What is there under its name is probably that: only what is called much the same may be meant instead.
    beside = [one for one in fitting if one not in read and one != MASKED]
    alike = [one for one in beside if _best(one, names)]
    deeper = (field for field in shape.fields if _is_below(field.path, shape.level) and _types(field) & types)
    return Wanted(
        section=section,
        name=name,
        known=known,
        is_there=is_there,
        candidates=tuple(
            sorted(alike or ([] if is_there else beside), key=lambda one: -_best(one, names))[:_MOST_CANDIDATES]
        ),
        deeper=next((one.dotted for one in deeper if _best(one.path[-1], names) >= _CONTAINED), ""),
    )


def _types(field: Field) -> set[str]:
    return {stem(kind) for kind in field.kind.split(" or ")}


def _is_below(path: Path, level: Path) -> bool:
    return len(path) > len(level) + 1 and path[: len(level)] == level


def _best(theirs: str, names: Collection[str]) -> int:
    return max(_likeness(theirs, name) for name in names)


@lru_cache(maxsize=4_096)  # the answers to one operation have the same names again and again
def _likeness(theirs: str, ours: str) -> int:
    """Similarity of two names: equal letters, all words of the other, or mostly equal letters."""
    one, other = _words(theirs), _words(ours)
    if not one or not other:
        return 0
    if "".join(one) == "".join(other):
        return _SAME
    if set(one) <= set(other) or set(other) <= set(one):
        return _CONTAINED
    return _SIMILAR if SequenceMatcher(None, "".join(one), "".join(other)).ratio() >= _ALIKE else 0


def _words(name: str) -> list[str]:
    """``operationId``, ``operation_id`` and ``OPERATION-ID`` are the same two words."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.findall(r"[^\W_]+", parted.casefold())
