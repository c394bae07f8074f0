"""Folder for the tests' databases."""

import os
import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ENOUGH = 512 * 1024 * 1024


def scratch() -> Path | None:
    """A folder in memory, because syncing to a real disk costs time and proves nothing here.

    None where it cannot be written or has little room: the usual folder of temporary files.
    """
    usable = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK | os.X_OK)
    return _MEMORY if usable and shutil.disk_usage(_MEMORY).free >= _ENOUGH else None
