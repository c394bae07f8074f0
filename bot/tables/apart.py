"""Read untrusted files in a separate process with limits on time and memory."""

import asyncio
import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import IO, Any, BinaryIO, Final, TypeVar

from pydantic import TypeAdapter

from bot.domain.files.dropped import FileTrouble, UnusableFile
from bot.domain.files.tables import MEBIBYTE, Flaw, Hidden, Limits, Rows, Table, TableProblem
from bot.tables.prose import read_prose
from bot.tables.reading import read_table

T = TypeVar("T")

LOG = logging.getLogger(__name__)
_SMALL: Final = 512 * 1024
"""Bytes of text up to which a thread reads a file: that is cheaper than starting a process."""
_RUN: Final = "import sys; from bot.tables.{} import main; sys.exit(main(sys.argv[1:]))"
_BLOCK: Final = 256 * 1024
_HIDDEN: Final = TypeAdapter(Hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits for reading one file: CPU seconds, wall-clock seconds, bytes of memory."""

    cpu: int = 20
    wall: float = 60.0
    memory: int = 512 * MEBIBYTE


BOUNDS: Final = Bounds()
_OF_DOCUMENT: Final = Bounds(memory=256 * MEBIBYTE)
_READERS: Final = ThreadPoolExecutor(max_workers=2, thread_name_prefix="tables")
"""Reads two tables at a time; further ones wait without blocking anything else."""
_DOCUMENT_READER: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="documents")


async def read_apart(file: BinaryIO, *, name: str, limits: Limits | None = None, bounds: Bounds = BOUNDS) -> Table:
    """Read a file like :func:`bot.tables.reading.read_table`; raises TableProblem if it exceeds ``bounds``."""
    limits = limits or Limits()
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    if size <= _SMALL and not file.read(2).startswith(b"PK"):
        return await asyncio.to_thread(read_table, file, name=name, limits=limits)
    if size > limits.size:
        raise TableProblem(Flaw.TOO_LARGE, allowed=limits.size)
    asked = {"name": name, "limits": asdict(limits)}
    found = await _apart(_READERS, "reading", asked, file, bounds, _table)
    if found is None:
        raise TableProblem(Flaw.TOO_COMPLEX)
    return found


async def read_document(content: bytes, *, name: str, form: str, bounds: Bounds = _OF_DOCUMENT) -> str:
    """Read the text of a file like :func:`bot.tables.prose.read_prose`, for a DOCX in a separate process.

    Raises:
        UnusableFile: it can't be read, or it exceeds ``bounds``.
    """
    if form != "docx":
        return await asyncio.to_thread(read_prose, content, name=name, form=form)
    asked = {"name": name, "form": form}
    text = await _apart(_DOCUMENT_READER, "prose", asked, io.BytesIO(content), bounds, lambda lines: _text(lines, name))
    if text is None:
        raise UnusableFile(FileTrouble.TOO_COMPLEX, name=name)
    return text


async def _apart(
    threads: ThreadPoolExecutor,
    module: str,
    asked: Mapping[str, object],
    file: BinaryIO,
    bounds: Bounds,
    take: Callable[[IO[bytes]], T | None],
) -> T | None:
    """Run a module in a process and return what ``take`` reads from its output; None if it exceeded its limits."""
    reader = _Reader()
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(threads, _read, module, asked, file, bounds, reader, take)
    except asyncio.CancelledError:
        reader.kill()  # otherwise shutdown would wait for the thread, which waits for the process
        raise


class _Reader:
    """Handle of the process that reads one file. Killing it before it starts ends it right after the start."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self.killed = False

    def started(self, child: "subprocess.Popen[bytes]") -> None:
        with self._changing:
            self._child = child
            if self.killed:
                child.kill()

    def kill(self) -> None:
        with self._changing:
            self.killed = True
            if self._child is not None:
                self._child.kill()


def _read(
    module: str,
    asked: Mapping[str, object],
    file: BinaryIO,
    bounds: Bounds,
    reader: _Reader,
    take: Callable[[IO[bytes]], T | None],
) -> T | None:
    """Start the process and consume its output; blocks, so call it in a thread."""
    argument = json.dumps({**asked, "cpu": bounds.cpu, "memory": bounds.memory})
    with tempfile.TemporaryFile() as copy:
        file.seek(0)
        while block := file.read(_BLOCK):
            copy.write(block)
        copy.seek(0)
        child = subprocess.Popen(  # noqa: S603 - ourselves
            [sys.executable, "-s", "-S", "-P", "-c", _RUN.format(module), argument],
            stdin=copy,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            close_fds=True,
            start_new_session=True,
        )
        reader.started(child)
        end = threading.Timer(bounds.wall, child.kill)
        end.start()
        try:
            assert child.stdout is not None
            with child.stdout as lines:
                found = take(lines)
        finally:
            end.cancel()
            with suppress(ProcessLookupError):
                child.kill()
            code = child.wait()
    if found is None and not reader.killed:
        LOG.warning("file exceeded the reading limits (exit %s)", code)
    return found


def _table(lines: IO[bytes]) -> Table | None:
    """Read the process's output; None if it ended early."""
    about: dict[str, Any] | None = None
    rows = Rows()
    for line in lines:
        if not line.endswith(b"\n"):
            return None
        found = json.loads(line)
        if isinstance(found, int):
            return None if about is None or found != len(rows) else Table(rows=rows, **about)
        if isinstance(found, list):
            for number, cells in found:
                rows.add(number, tuple(cells))
        elif "flaw" in found:
            raise TableProblem(Flaw(found.pop("flaw")), counts=dict(found.pop("counts")), **found)
        else:
            about = {**found, "header": tuple(found["header"]), "hidden": _HIDDEN.validate_python(found["hidden"])}
    return None


def _text(lines: IO[bytes], name: str) -> str | None:
    line = lines.readline()
    if not line.endswith(b"\n"):
        return None
    found = json.loads(line)
    if "trouble" in found:
        raise UnusableFile(FileTrouble(found["trouble"]), name=name)
    return str(found["text"])
