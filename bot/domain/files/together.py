"""Files that were dropped together: which ones share an offer, and how their results are named in one archive."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from bot.domain.files.dropped import DroppedFile

MOST_FILES: Final = 100
"""Files of one offer."""
FULL: Final = 10
"""Files that Slack takes in one message; of more that are dropped at once it makes several."""
WITHIN: Final = 20.0
"""Seconds between the messages of two files that count as dropped together."""
_LONGEST, _ENDING = 100, 12
"""Characters of a name, and of its ending."""
_RESERVED: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\.|$)")
"""Names of devices, which Windows opens instead of a file."""
_FORBIDDEN: Final = frozenset('<>:"/\\|?*')


def belong_together(one: DroppedFile, other: DroppedFile, *, full: Collection[str] = ()) -> bool:
    """Whether somebody dropped both at once: in one message, or in one thread within a moment.

    Otherwise an offer is in its own file's thread. ``full``: messages with as many files as Slack takes in one, which
    the next message of that moment continues.
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
    """A name that every disk takes, without any folder: nothing is unpacked elsewhere."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join("-" if one in _FORBIDDEN or unicodedata.category(one).startswith("C") else one for one in last)
    whole = kept.strip(" .") or "file"
    stem, suffix = _parted(f"_{whole}" if _RESERVED.match(whole) else whole)
    return f"{stem[: _LONGEST - len(suffix)]}{suffix}"


def _parted(name: str) -> tuple[str, str]:
    """Stem and ending, with its point; of ``.profile`` no ending."""
    stem, point, ending = name.rpartition(".")
    return (stem, f"{point}{ending[:_ENDING]}") if stem else (name, "")


class Names:
    """Names in one archive, each once, whatever the case of their letters."""

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
