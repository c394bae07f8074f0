"""Characters that no database of ours holds: NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 lacks.

Slack's JSON can carry both, and so can a file's name. They are taken out where something comes in, so that a text
is the same on either database, and may be looked up, hashed and sent.
"""

import re
from typing import Any, Final

_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(text: str, instead: str = "\ufffd") -> str:
    """Text with U+FFFD, or something else, for what PostgreSQL or UTF-8 cannot hold."""
    return _UNSTORABLE.sub(instead, text)


def without_unstorable(value: Any) -> Any:
    """Parsed JSON without such characters, in names and values; the same object where there are none."""
    if isinstance(value, str):
        # Slices of ASCII are checked at the speed of C: nearly all texts of Slack are ids and names.
        return value if value.isascii() and "\x00" not in value else _UNSTORABLE.sub("", value)
    if isinstance(value, dict):
        return {without_unstorable(name): without_unstorable(one) for name, one in value.items()}
    return [without_unstorable(one) for one in value] if isinstance(value, list) else value
