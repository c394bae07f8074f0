"""Files dropped together: which ones share an offer, and how their results are named in an archive."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from bot.domain.files.dropped import DroppedFile

MOST_FILES: Final = 100
"""Files per offer."""
FULL: Final = 10
"""Files per Slack message: Slack splits larger drops into several messages."""
WITHIN: Final = 20.0
"""Maximum seconds between the messages of two files dropped together."""
_LONGEST, _ENDING = 100, 12
"""Characters of a name, and of its extension."""
_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
"""Device names, which Windows opens instead of a file."""
_FORBIDDEN: Final = frozenset('<>:"/\\|?*')


def belong_together(one: DroppedFile, other: DroppedFile, *, full: Collection[str] = ()) -> bool:
    """Whether a person dropped both files at once: in one message, or in one thread within seconds.

    Other offers are posted in the thread of their own file. A message in ``full`` has the maximum number of files, so
    the next message within seconds continues it.
    """
    if (one.user, one.channel) != (other.user, other.channel):
        return False
    if one.message_ts == other.message_ts:
        return True
    by_themselves = one.thread_ts == one.message_ts and other.thread_ts == other.message_ts
    continues = by_themselves and min(one.message_ts, other.message_ts, key=float) in full
    if not continues and one.thread_ts != other.thread_ts:
        return False
    return abs(float(one.message_ts) - float(other.message_ts)) <= WITHIN


def plain_name(name: str) -> str:
    """Return a name that is valid on every file system, without folders, so that it can't be unpacked elsewhere."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join("-" if one in _FORBIDDEN or unicodedata.category(one).startswith("C") else one for one in last)
    whole = kept.strip(" .") or "file"
    stem, suffix = _parted(f"_{whole}" if _RESERVED.match(whole) else whole)
    return f"{stem[: _LONGEST - len(suffix)]}{suffix}"


def _parted(name: str) -> tuple[str, str]:
    """Split a name into stem and extension with its dot; ``.profile`` has no extension."""
    stem, point, ending = name.rpartition(".")
    return (stem, f"{point}{ending[:_ENDING]}") if stem else (name, "")


class Names:
    """Names in one archive, unique regardless of case."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        plain = plain_name(name)
        (stem, ending), number, free = _parted(plain), 1, plain
        while free.casefold() in self._taken:
            number += 1
            free = f"{stem} ({number}){ending}"
        self._taken.add(free.casefold())
        return free
