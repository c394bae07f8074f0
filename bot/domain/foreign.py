"""Text that a service wrote: made harmless for logs, the audit and people, except for escaping.

A service may quote the callback addresses we gave it, whole, encoded or in parts. They carry secret tokens,
so every address goes, and everything that looks like a token goes.
"""

import re
from typing import Final

MAX_WORDS: Final = 500
"""Characters kept of what a service says."""

_TOKEN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")
"""256 bits in base64url, the form of our callback tokens. Hashes in hexadecimal are longer."""


def one_line(text: str) -> str:
    """One line of at most 500 characters, storable everywhere, without addresses and tokens. Not escaped."""
    sound = text[: 4 * MAX_WORDS].encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    words = " ".join("[address]" if _is_address(word) else word for word in sound.split())
    return _TOKEN.sub("[token]", words)[:MAX_WORDS]


def _is_address(word: str) -> bool:
    folded = word.casefold()
    return folded.count("/") + folded.count("%2f") > 1
