"""The ZIP around a workbook, opened so that a small file cannot become gigabytes.

The sizes in the archive's directory are checked first. Then each part is measured while it is unpacked, because the
directory may be forged.
"""

import copy
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from lzma import LZMAError
from struct import error as StructError  # noqa: N812 - a class with a lower-case name
from typing import BinaryIO
from zlib import error as ZlibError  # noqa: N812 - a class with a lower-case name

from bot.domain.files.tables import Flaw, Limits, TableProblem

_PARTS = 2_000
_RATIO = 300
_SMALL = 1024 * 1024
"""Bytes up to which a part may have any compression ratio."""
_BLOCK = 64 * 1024

DAMAGE = (
    zipfile.BadZipFile,
    ZlibError,
    LZMAError,
    StructError,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
"""Errors that zipfile raises for a damaged archive."""


class Archive:
    """The parts of a workbook."""

    def __init__(self, *, archive: zipfile.ZipFile, unpacked: int) -> None:
        self._archive = archive
        self._left = unpacked
        self._allowed = unpacked
        self._by_name = {info.filename.lower(): info for info in archive.infolist()}

    def has(self, part: str) -> bool:
        """Whether there is such a part."""
        return part.lower() in self._by_name

    def blocks(self, part: str) -> Iterator[bytes]:
        """A part, unpacked, block by block; nothing when it is missing.

        Raises:
            TableProblem: it is damaged, locked, or unpacks to more than may be read.
        """
        info = self._by_name.get(part.lower())
        if info is None:
            return
        honest = copy.copy(info)
        honest.file_size = self._left + 2 * _BLOCK  # zipfile stops at the size given in the directory
        try:
            with self._archive.open(honest) as file:
                while block := file.read(_BLOCK):
                    self._left -= len(block)
                    if self._left < 0:
                        raise TableProblem(Flaw.BOMB, allowed=self._allowed)
                    yield block
        except DAMAGE:
            raise TableProblem(Flaw.DAMAGED) from None

    def read(self, part: str) -> bytes:
        """A small part as a whole."""
        return b"".join(self.blocks(part))


@contextmanager
def open_archive(file: BinaryIO, *, limits: Limits) -> Iterator[Archive]:
    """Open an archive, unless its directory already exceeds the limits.

    Raises:
        TableProblem: it is damaged, or unpacks to more than may be read.
    """
    file.seek(0)
    try:
        archive = zipfile.ZipFile(file)
    except DAMAGE:
        raise TableProblem(Flaw.DAMAGED) from None
    with archive:
        parts = archive.infolist()
        whole = sum(info.file_size for info in parts)
        steep = any(info.file_size > max(_SMALL, _RATIO * info.compress_size) for info in parts)
        if len(parts) > _PARTS or whole > limits.unpacked or steep:
            raise TableProblem(Flaw.BOMB, allowed=limits.unpacked)
        if any(info.flag_bits & 1 for info in parts):
            raise TableProblem(Flaw.LOCKED)
        _refuse_twice(info.filename for info in parts)
        yield Archive(archive=archive, unpacked=limits.unpacked)


def _refuse_twice(names: Iterable[str]) -> None:
    """Refuse two parts with one name: programs disagree about which of them is opened."""
    seen: set[str] = set()
    for name in names:
        key = posixpath.normpath(f"/{name}".replace("\\", "/")).lower().lstrip("/")
        if key in seen:
            raise TableProblem(Flaw.TWICE, names=[f"Part {name}"])
        seen.add(key)
