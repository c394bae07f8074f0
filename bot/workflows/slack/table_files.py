"""Tables from Slack: a file is downloaded and read in another process, or refused."""

import hashlib
import tempfile
from dataclasses import dataclass
from typing import BinaryIO, cast

from bot.domain.errors import OperatorError, PersonError, ServiceTrouble
from bot.domain.files.dropped import FileInfo
from bot.domain.files.tables import Limits, Table, TableProblem
from bot.tables.apart import BOUNDS, Bounds, read_apart
from bot.workflows.context import Context

TROUBLE = (PersonError, TableProblem, ServiceTrouble, OperatorError)
"""What can be wrong with a file that should hold a table."""

_IN_MEMORY = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """A file that was read. ``fingerprint``: SHA-256 of its bytes."""

    info: FileInfo
    table: Table
    fingerprint: str


async def read_table_file(ctx: Context, file_id: str, *, limits: Limits) -> TableFile:
    """Download a file and read it as a whole; raises one of :data:`TROUBLE`."""
    return await fetch_table(ctx, await ctx.downloads.info(file_id), limits=limits)


async def fetch_table(ctx: Context, info: FileInfo, *, limits: Limits, bounds: Bounds = BOUNDS) -> TableFile:
    """The same for a file of which all but the content is known."""
    digest = hashlib.sha256()
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spooled:
        async with ctx.downloads.open(info, limit=limits.size) as body:
            async for chunk in body:
                digest.update(chunk)
                spooled.write(chunk)
        table = await read_apart(cast(BinaryIO, spooled), name=info.name, limits=limits, bounds=bounds)
    return TableFile(info=info, table=table, fingerprint=digest.hexdigest())
