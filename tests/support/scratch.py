"""Folder for the tests' databases."""

import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ENOUGH = 512 * 1024 * 1024


def scratch() -> Path | None:
    """A folder in memory if it has room, because syncing to a real disk costs time and proves nothing here.

    None means the usual folder of temporary files.
    """
    return _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ENOUGH else None
