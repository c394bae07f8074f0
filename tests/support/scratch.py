"""Where tests keep databases."""

import shutil
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ENOUGH = 512 * 1024 * 1024


def scratch() -> Path | None:
    """A folder in memory, where there is room in one: pages forced onto a real disk cost time and prove nothing here.

    None stands for the usual folder of temporary files.
    """
    return _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ENOUGH else None
