"""The database read independently: plain SQL through the standard library, without ``storage``."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from bot.domain.audit import Stored

Record = dict[str, Any]
"""A row by its columns; times are microseconds since 1970."""

SECOND = 1_000_000
_DUE = """
SELECT due_at, lease_until FROM instruction
WHERE due_at IS NOT NULL AND state NOT IN ('needs_human', 'closed', 'refused')
UNION ALL SELECT NULL, lease_until FROM instruction WHERE state IN ('creating', 'sending')
UNION ALL SELECT due_at, lease_until FROM outbox WHERE state IN ('new', 'unknown')
UNION ALL SELECT NULL, lease_until FROM outbox WHERE state = 'sending'
UNION ALL SELECT due_at, lease_until FROM inbox WHERE state = 'received'
UNION ALL SELECT due_at, lease_until FROM tracked WHERE kind <> 'orphan' OR polls = 0
UNION ALL SELECT due_at, NULL FROM board WHERE due_at IS NOT NULL
"""
_PENDING = """
SELECT CASE state WHEN 'awaiting' THEN 'deadlines' ELSE 'instructions' END FROM instruction WHERE due_at <= :now
UNION SELECT 'callbacks' FROM inbox WHERE state = 'received' AND due_at <= :now
UNION SELECT 'polls' FROM tracked WHERE kind <> 'orphan' AND due_at <= :now
UNION SELECT 'orphans' FROM tracked WHERE kind = 'orphan' AND due_at <= :now
UNION SELECT 'outbox' FROM outbox WHERE state IN ('new', 'unknown') AND due_at <= :now
UNION SELECT 'boards' FROM board WHERE due_at <= :now
UNION SELECT 'leftovers' FROM instruction WHERE state IN ('creating', 'sending')
UNION SELECT 'leftovers' FROM outbox WHERE state = 'sending'
"""
_UNDONE = """
SELECT 'outbox ' || key || ' ' || state || ' ' || last_error FROM outbox WHERE state NOT IN ('sent', 'dead')
UNION ALL SELECT 'inbox ' || id FROM inbox WHERE state = 'received'
UNION ALL SELECT 'board ' || subject FROM board WHERE due_at IS NOT NULL
UNION ALL SELECT 'orphan ' || remote_id FROM tracked WHERE kind = 'orphan' AND polls = 0
"""


class Books:
    """A second connection to the bot's SQLite file; it only reads."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        self._connection.row_factory = sqlite3.Row

    def close(self) -> None:
        self._connection.close()

    def rows(self, query: str, *values: object) -> list[Record]:
        return [dict(row) for row in self._connection.execute(query, values)]

    def instructions(self) -> list[Record]:
        found = self.rows("SELECT * FROM instruction ORDER BY rowid")
        return [{**row, **{name: json.loads(row[name]) for name in ("payload", "requirement")}} for row in found]

    def votes(self, instruction_id: str) -> list[Record]:
        return self.rows('SELECT * FROM vote WHERE instruction_id = ? ORDER BY round, "at", person', instruction_id)

    def attempts(self, instruction_id: str) -> list[Record]:
        return self.rows("SELECT * FROM attempt WHERE instruction_id = ? ORDER BY n", instruction_id)

    def undone(self) -> list[str]:
        return [next(iter(row.values())) for row in self.rows(_UNDONE)]

    def pending(self, now: float) -> set[str]:
        """Names of the workers that may have work; running the others would only take time."""
        found = self._connection.execute(_PENDING, {"now": round(now * SECOND)})
        return {str(row[0]) for row in found}

    def next_due(self, now: float) -> float | None:
        """Next due time after ``now`` in seconds since 1970: a row's own time, or the end of a lease."""
        instants = [value / SECOND for row in self.rows(_DUE) for value in row.values() if value is not None]
        return min((instant for instant in instants if instant > now), default=None)

    def is_frozen(self) -> bool:
        found = self.rows("SELECT value FROM flag WHERE key = 'frozen'")
        return bool(found and json.loads(found[0]["value"]))

    def audit(self, after: int = 0) -> list[Stored]:
        """Rows of the audit after this number, exactly as they are stored."""
        return [Stored(**row) for row in self.rows("SELECT * FROM audit WHERE seq > ? ORDER BY seq", after)]
