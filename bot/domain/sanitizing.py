"""Text that a service wrote: made harmless for logs, the audit and people, except for escaping.

A service may quote the callback addresses we gave it, whole, encoded or in parts. They carry secret tokens,
so every address goes, and everything that looks like a token goes. The secrets in force are taken out before, where an
answer arrives (``bot.clients.transport``). A page of HTML is no word of a service.
"""

import re
from typing import Final

MAX_WORDS: Final = 500
"""Characters kept of what a service says."""

MAX_SAID: Final = 2_000
"""The same for the audit."""

_MOST_READ: Final = 16_000

_TOKEN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")
"""256 bits in base64url, the form of our callback tokens. Hashes in hexadecimal are longer."""


_PAGE: Final = re.compile(r"<\s*(!doctype|html|head|body|title|script|style|h1|center)\b", re.IGNORECASE)


def one_line(text: str, limit: int = MAX_WORDS) -> str:
    """One line of at most ``limit`` characters, storable everywhere, without addresses and tokens. Not escaped."""
    sound = text[:_MOST_READ].encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    if len(text) > _MOST_READ:  # half a token looks like none
        sound = sound.rpartition(" ")[0]
    words = " ".join("[address]" if _is_address(word) else word for word in sound.split())
    return _TOKEN.sub("[token]", words)[:limit]


def is_page(text: str) -> bool:
    """Whether this is a page, such as a proxy's, wherever it was put."""
    return _PAGE.search(text) is not None


def _is_address(word: str) -> bool:
    folded = word.casefold()
    return folded.count("/") + folded.count("%2f") > 1
