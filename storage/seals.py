"""Seals of rows: an HMAC over the columns that decide about money, against changes by anyone without the key.

A row is sealed by the function that writes it, and checked when it is read for a decision. The audit shows that it
isn't an older copy of itself.
"""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final, TypeVar

from pydantic import BaseModel
from sqlalchemy import Table
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.types import TypeDecorator

from storage.types import canonical_json

R = TypeVar("R", bound=Any)
_Bind = Callable[[Any, Any], Any]

SEALED: Final[Mapping[str, str]] = {
    "instruction": (
        "id reference kind payload code digest requirement state round requester created_at remote_id suspect "
        "expires_at exec_deadline sent_at unknown_since creates commits moves"
    ),
    "vote": "instruction_id round person choice at typed",
    "attempt": "instruction_id n kind request_hash claimed_at boot_at outcome detail finished_at",
}
"""Columns covered by the seal, by table. Leases, due times and display-only columns change without a seal."""
_DIALECT: Final = DefaultDialect()


class Seals:
    """Seals records of the tables in :data:`SEALED`, in their field ``seal``."""

    def __init__(self, key: bytes) -> None:
        self._key = hmac.digest(key, b"switchboard|rows", "sha256")

    def of(self, table: Table, record: Any) -> str:
        held = {name: _stored(getattr(record, name), bind) for name, bind in _columns(table)}
        return hmac.digest(self._key, f"{table.name}{canonical_json(held)}".encode(), "sha256").hex()

    def hold(self, table: Table, record: Any) -> bool:
        """Return whether the row is unchanged since it was written."""
        return hmac.compare_digest(record.seal.encode(), self.of(table, record).encode())

    def sealed(self, table: Table, record: R) -> R:
        return replace(record, seal=self.of(table, record))

    def kept(self, table: Table, before: R, after: R) -> R:
        """Return the changed record, sealed only if it was before: a forged row never gets our seal."""
        if all(getattr(before, name) == getattr(after, name) for name, _ in _columns(table)):
            return after  # its seal is as valid, or invalid, as before
        return self.sealed(table, after) if self.hold(table, before) else after


@cache
def _columns(table: Table) -> Sequence[tuple[str, _Bind | None]]:
    kinds = [(name, table.c[name].type) for name in SEALED[table.name].split()]
    return [(name, kind.process_bind_param if isinstance(kind, TypeDecorator) else None) for name, kind in kinds]


def _stored(value: Any, bind: _Bind | None) -> Any:
    """Return a value in its stored form; models without defaults, so that a later version can add fields."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    return value if bind is None else bind(value, _DIALECT)
