"""The first row of a dropped table: read at the drop, because the offer depends on the columns, with a time limit."""

import asyncio
import io
from dataclasses import dataclass
from typing import Final

import structlog

from bot.domain.files.dropped import FileInfo
from bot.domain.files.tables import MEBIBYTE, Limits
from bot.tables.apart import Bounds, read_apart
from bot.workflows.context import Context
from bot.workflows.slack.table_files import TROUBLE, fetch_table

log = structlog.get_logger(__name__)

_LIMITS: Final = Limits(size=10 * MEBIBYTE, columns=60, unpacked=80 * MEBIBYTE, sample=1)
_BOUNDS: Final = Bounds(cpu=2, wall=2.0)
_NAME: Final = 100
"""Characters kept of a name: no name that matters here is longer."""


@dataclass(slots=True)
class Patience:
    """Seconds that the offers of some files may wait for first rows, all of them together."""

    left: float = 1.0


async def first_row(ctx: Context, info: FileInfo, head: bytes, patience: Patience) -> tuple[str, ...] | None:
    """The names in the first row; None where they cannot be read, or not at once.

    Args:
        ctx: the workflows' context.
        info: the file.
        head: its first bytes; enough for text, and for a workbook that has no more.
        patience: seconds left; with none left, the offer is made without the first row.
    """
    clock = asyncio.get_running_loop().time
    began = clock()
    try:
        async with asyncio.timeout(patience.left):
            if head.startswith(b"PK") and len(head) < info.size:
                table = (await fetch_table(ctx, info, limits=_LIMITS, bounds=_BOUNDS)).table
            else:
                lines = io.BytesIO(_whole_lines(head, info.size))
                table = await read_apart(lines, name=info.name, limits=_LIMITS, bounds=_BOUNDS)
    except (TimeoutError, *TROUBLE) as reason:
        log.info("the first row of a dropped table is not known", file=info.id, reason=type(reason).__name__)
        return None
    finally:
        patience.left = max(0.0, patience.left - (clock() - began))
    return tuple(name[:_NAME] for name in table.header)


def _whole_lines(head: bytes, size: int) -> bytes:
    """Without the line in which the first bytes of a longer file end."""
    return head if len(head) >= size else head[: head.rfind(b"\n") + 1] or head
