"""Where the anchors of the audit are kept."""

from pathlib import Path

from bot.settings import Settings
from storage.anchors import anchors_path


def anchors_of(settings: Settings) -> Path:
    """``ANCHORS_FILE``, or where the database's address says."""
    chosen = settings.anchors_file
    return anchors_path(settings.database_url) if chosen is None else chosen.absolute()
