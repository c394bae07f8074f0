"""Reading a list out of Slack: downloaded to a file, read beside us, refused with one sentence."""

import asyncio
import tempfile
from collections.abc import Callable
from typing import BinaryIO, TypeVar, cast

from bot.clients.service_errors import told
from bot.domain.emails import ColumnLook, look_at
from bot.domain.errors import OperatorError, OutcomeUnknown, PersonError, ServiceNever, ServiceNow
from bot.domain.files import FileInfo
from bot.domain.tables import Limits, Table, TableProblem
from bot.presentation.table_problems import table_problem
from bot.workflows.context import Context
from bot.workflows.tables import read_apart

T = TypeVar("T")

EXAMPLE = "email,name"
"""A right first row of a list."""

LIMITS = Limits()
_IN_MEMORY = 1024 * 1024

Trouble = PersonError | TableProblem | ServiceNow | ServiceNever | OperatorError | OutcomeUnknown
"""What can be wrong with a list."""
TROUBLE = (PersonError, TableProblem, ServiceNow, ServiceNever, OperatorError, OutcomeUnknown)


async def read_list(ctx: Context, file_id: str, use: Callable[[Table], T]) -> tuple[FileInfo, T]:
    """Download a file, read it as a table and do something with the table, all beside the event loop.

    Raises:
        TableProblem, PersonError, ServiceNow, ServiceNever, OperatorError, OutcomeUnknown: see :func:`words_for`.
    """
    info = await ctx.downloads.info(file_id)
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spooled:
        file = cast(BinaryIO, spooled)
        async with ctx.downloads.open(info, limit=LIMITS.size) as body:
            async for chunk in body:
                file.write(chunk)
        table = await read_apart(file, name=info.name, limits=LIMITS)
        return info, await asyncio.to_thread(use, table)


async def look_at_list(ctx: Context, file_id: str) -> tuple[FileInfo, Table, tuple[ColumnLook, ...]]:
    """What is in the columns of a file."""
    info, (table, looks) = await read_list(
        ctx, file_id, lambda table: (table, look_at(table.header, (row.cells for row in table.rows)))
    )
    return info, table, looks


def words_for(trouble: Trouble) -> str:
    """One sentence, plain text."""
    match trouble:
        case TableProblem():
            return table_problem(trouble, example=EXAMPLE)
        case PersonError(rule=rule):
            return f"{rule[:1].upper()}{rule[1:]}."
        case OperatorError(mend=mend):
            return f"The operator of Switchboard has to mend this: {told(trouble)}{f'; {mend}' if mend else ''}."
        case ServiceNow(service=service):
            return f"{service} {told(trouble)}. Try again in a minute."
        case _:
            return f"{trouble.service} {trouble.reason}."
