"""Read a list from Slack, and describe its columns."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from bot.domain.emails.lists import ColumnLook, look_at
from bot.domain.files.dropped import FileInfo
from bot.domain.files.tables import Limits, Table
from bot.workflows.context import Context
from bot.workflows.slack.table_files import read_table_file

T = TypeVar("T")

EXAMPLE = "email,name"
"""A right first row of a list."""

LIMITS = Limits()


async def read_list(ctx: Context, file_id: str, use: Callable[[Table], T]) -> tuple[FileInfo, T]:
    """Download a file, read it as a table and apply a function to the table, outside the event loop.

    Raises:
        TableProblem, PersonError, ServiceTrouble, OperatorError: see
            :func:`bot.domain.troubles.unusable`.
    """
    found = await read_table_file(ctx, file_id, limits=LIMITS)
    return found.info, await asyncio.to_thread(use, found.table)


async def look_at_list(ctx: Context, file_id: str) -> tuple[FileInfo, Table, tuple[ColumnLook, ...]]:
    """Describe the columns of a file."""
    info, (table, looks) = await read_list(
        ctx, file_id, lambda table: (table, look_at(table.header, (row.cells for row in table.rows)))
    )
    return info, table, looks
