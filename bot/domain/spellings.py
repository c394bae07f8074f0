"""Every spelling in which a secret may appear in a text."""

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

SHORTEST_SECRET = 6
"""Characters. Anything shorter would be found in texts that have nothing to do with it."""

_ESCAPE = re.compile("%[0-9A-F]{2}")


def spellings(secret: str) -> set[str]:
    """A secret as it may stand in a line: plain, escaped, in an address, in base64 alone or behind a user name."""
    plain = {secret}
    for _ in range(2):  # a dictionary's repr in a line of JSON
        plain |= {escaped for text in plain for escaped in _escaped(text)}
    encoded = {base64.b64encode(secret.encode()).decode().rstrip("="), *_inside_base64(secret.encode())}
    safe = {text.replace("+", "-").replace("/", "_") for text in encoded}
    quoted = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    quoted |= {_ESCAPE.sub(lambda found: found[0].lower(), text) for text in quoted}
    return plain | quoted | encoded | safe


def _escaped(text: str) -> Iterable[str]:
    yield repr(text)[1:-1]
    yield repr(text.encode())[2:-1]
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]


def _inside_base64(secret: bytes) -> Iterable[str]:
    """The characters that do not depend on what stands before and after, for each of the three alignments."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + secret).decode().rstrip("=")
        yield whole[(before * 8 + 5) // 6 : (before + len(secret)) * 8 // 6]
