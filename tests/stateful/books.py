"""The database as a stranger reads it: plain SQL through the standard library, nothing of the storage room."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from bot.domain.audit import Stored

Record = dict[str, Any]
"""A row by its columns; times are microseconds since 1970."""

SECOND = 1_000_000

_DUE = """
SELECT due_at FROM instruction WHERE due_at IS NOT NULL AND state NOT IN ('needs_human', 'closed')
UNION ALL SELECT lease_until FROM instruction WHERE lease_until IS NOT NULL
UNION ALL SELECT due_at FROM outbox WHERE state IN ('new', 'unknown')
UNION ALL SELECT lease_until FROM outbox WHERE state = 'sending'
UNION ALL SELECT due_at FROM inbox WHERE state = 'received'
UNION ALL SELECT due_at FROM tracked WHERE due_at IS NOT NULL AND kind <> 'orphan'
UNION ALL SELECT due_at FROM board WHERE due_at IS NOT NULL
"""
_UNDONE = """
SELECT 'outbox ' || key || ' ' || state || ' ' || last_error FROM outbox WHERE state NOT IN ('sent', 'dead')
UNION ALL SELECT 'inbox ' || id FROM inbox WHERE state = 'received'
UNION ALL SELECT 'board ' || subject FROM board WHERE due_at IS NOT NULL
"""


class Books:
    """A second connection to the bot's SQLite file; it only reads."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        self._connection.row_factory = sqlite3.Row

    def close(self) -> None:
        self._connection.close()

    def rows(self, query: str, *values: object) -> list[Record]:
        """What a query gives."""
        return [dict(row) for row in self._connection.execute(query, values)]

    def instructions(self) -> list[Record]:
        """Every instruction in the order of asking, with payload and requirement parsed."""
        found = self.rows("SELECT * FROM instruction ORDER BY rowid")
        return [
            {**row, "payload": json.loads(row["payload"]), "requirement": json.loads(row["requirement"])}
            for row in found
        ]

    def votes(self, instruction_id: str) -> list[Record]:
        """Every vote on an instruction, of all rounds."""
        return self.rows("SELECT * FROM vote WHERE instruction_id = ?", instruction_id)

    def attempts(self, instruction_id: str) -> list[Record]:
        """Every attempt of an instruction, in order."""
        return self.rows("SELECT * FROM attempt WHERE instruction_id = ? ORDER BY n", instruction_id)

    def is_frozen(self) -> bool:
        """Whether the kill switch is on."""
        found = self.rows("SELECT value FROM flag WHERE key = 'frozen'")
        return bool(found and json.loads(found[0]["value"]))

    def undone(self) -> list[str]:
        """What is still queued, in words."""
        return [next(iter(row.values())) for row in self.rows(_UNDONE)]

    def next_due(self, now: float) -> float | None:
        """When (seconds since 1970) something becomes due after ``now``."""
        instants = [value / SECOND for row in self.rows(_DUE) for value in row.values()]
        return min((instant for instant in instants if instant > now), default=None)

    def audit(self, after: int = 0) -> list[Stored]:
        """The audit's rows after this number, exactly as they lie there."""
        found = self.rows("SELECT * FROM audit WHERE seq > ? ORDER BY seq", after)
        return [Stored(**row) for row in found]
