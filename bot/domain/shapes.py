"""The shape of a JSON document: which fields it has and of what type, without any of its values.

Shown to people and kept, so it holds nothing a value could be: names that look like one are masked.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice, pairwise
from typing import Final

Path = tuple[str, ...]
"""Path of a field: names from the outermost inwards, ``[]`` for any item of a list."""

ITEM: Final = "[]"
MASKED: Final = "(masked)"
"""Stands for the name of a field that looks like a value."""

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
"""Items of a list that are looked at; the others have the same shape."""
_MOST_NAMES: Final = 200
"""Names that are looked at in one object."""
_MOST_NODES: Final = 20_000
"""Looked at to find one object in a document."""

_PLAIN: Final = re.compile(r"[@$#]?[^\W\d][\w$:-]{0,49}")
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f-]{12,}")
_MOST_DIGITS: Final = 4
_MOST_TURNS: Final = 3
"""From letters to digits and back: names have few, tokens and references have many."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: where it lies, and the words for its type."""

    path: Path
    kind: str

    @property
    def dotted(self) -> str:
        """``data.items[].id``: as people read it."""
        return ".".join(self.path).replace(f".{ITEM}", ITEM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A document without its values.

    Attributes:
        kind: words for the type of the document itself.
        level: where the object lies that was looked at in particular.
        fields: of that object first.
        is_cut: there are more fields, or they lie deeper.
    """

    kind: str
    level: Path = ()
    fields: tuple[Field, ...] = ()
    is_cut: bool = False


def shape_of(document: object, *, at: object = None) -> Shape:
    """The shape of a document.

    Args:
        document: parsed JSON.
        at: an object inside it that is looked at in particular, the very same one.
    """
    looked = _Looked()
    found = _path_of(at, document)
    if found:
        looked.take(at, found, len(found))
    looked.take(document, (), 0)
    fields = tuple(Field(path, " or ".join(kinds)) for path, kinds in looked.kinds.items())
    return Shape(kind=kind_of(document), level=found, fields=fields, is_cut=looked.is_cut)


def kind_of(value: object) -> str:
    """Words for the type of a value."""
    if value is None or value == "":
        return EMPTY
    return f"{LIST} of {len(value)}" if isinstance(value, list) else _KINDS.get(type(value), OBJECT)


def masked(name: str) -> str:
    """The name of a field, masked when it looks like a value: an address, a number, a hash, a sentence."""
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
    """What was seen so far, within bounds."""

    kinds: dict[Path, list[str]] = field(default_factory=dict)
    is_cut: bool = False

    def take(self, value: object, path: Path, depth: int) -> None:
        """Note the fields of an object, or of the first items of a list, and of what lies inside them."""
        if depth > _DEEPEST + 1:
            self.is_cut = self.is_cut or (isinstance(value, dict | list) and bool(value))
            return
        if isinstance(value, list):
            for item in value[:_MOST_ITEMS]:
                self.take(item, (*path, ITEM), depth + 1)
        elif isinstance(value, dict):
            self._take_fields(value, path, depth)

    def _take_fields(self, body: Mapping[str, object], path: Path, depth: int) -> None:
        inner = []
        for name, value in islice(body.items(), _MOST_NAMES):
            here = (*path, masked(name))
            if not self._note(here, kind_of(value)):
                self.is_cut = True
                return
            inner.append((value, here))
        self.is_cut = self.is_cut or len(body) > _MOST_NAMES
        for value, here in inner:  # the fields of one object stand together
            self.take(value, here, depth + 1)

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


def stem(kind: str) -> str:
    """A type without its count: all lists are of one type."""
    return kind.partition(" of ")[0]


def _path_of(wanted: object, document: object) -> Path:
    """Where this very object lies in the document; empty when it was not found within bounds."""
    waiting: deque[tuple[object, Path]] = deque([(document, ())])
    for _ in range(_MOST_NODES):
        if not waiting:
            break
        value, path = waiting.popleft()
        if value is wanted:
            return path
        waiting.extend(islice(_inside(value, path), _MOST_NODES))
    return ()


def _inside(value: object, path: Path) -> Iterable[tuple[object, Path]]:
    """Objects and lists that lie right inside this one."""
    if isinstance(value, dict):
        return ((one, (*path, masked(name))) for name, one in value.items() if isinstance(one, dict | list))
    items = value if isinstance(value, list) else []
    return ((one, (*path, ITEM)) for one in items if isinstance(one, dict | list))
