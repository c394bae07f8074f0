"""kill -9: whatever was acknowledged is there, nothing is there in part, and the next process gets in."""

import asyncio
import signal
import sys

from tests.storage.factories import KEY, opened
from tests.support.rows import audit_rows, callbacks_of, verify

_ROUNDS = 2


async def test_acknowledged_rows_survive_kill_9(database_url: str) -> None:
    acknowledged: set[str] = set()
    for _ in range(_ROUNDS):
        acknowledged |= await _write_and_die(database_url, at_least=100)
    async with opened(database_url) as store:
        rows = await store.read(audit_rows)
        instructions = {row.entry.instruction_id for row in rows}
        held = await store.read(lambda tx: {row.id for one in instructions for row in callbacks_of(tx, one)})
    assert len(acknowledged) >= 100 * _ROUNDS
    assert acknowledged <= held
    assert len(held) - len(acknowledged) <= 8 * _ROUNDS  # those committed whose answer the kill cut off
    assert len(instructions) == _ROUNDS
    assert verify(key=KEY, rows=rows).bad_seq is None


async def _write_and_die(url: str, *, at_least: int) -> set[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.storage.writing", url, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    lines = [await process.stdout.readline() for _ in range(at_least)]
    process.send_signal(signal.SIGKILL)
    rest, _ = await process.communicate()
    complete = [line for line in [*lines, *rest.splitlines(keepends=True)] if line.endswith(b"\n")]
    return {line.decode().strip() for line in complete}
