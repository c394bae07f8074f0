"""Every spelling in which a secret may appear in a text, and texts and documents without them."""

import base64
import json
import re
from collections.abc import Collection, Iterable
from typing import Final
from urllib.parse import quote, quote_plus

HIDDEN: Final = "[hidden]"
"""Stands where a secret stood."""

SHORTEST_SECRET: Final = 6
"""Characters. Anything shorter would be found in texts that have nothing to do with it."""

_ESCAPE = re.compile("%[0-9A-F]{2}")


class Secrets:
    """The secret values in force.

    Args:
        values: each; more can be learned. One that is too short is no secret.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._spellings: tuple[str, ...] = ()
        self._known: re.Pattern[str] | None = None
        self.learn(*values)

    def learn(self, *values: str) -> None:
        """Take in more of them; quick where they are known."""
        new = {value for value in values if len(value) >= SHORTEST_SECRET} - self._values
        if not new:
            return
        self._values |= new
        found = {spelling for value in new for spelling in spellings(value)}.union(self._spellings)
        self._spellings = tuple(sorted(found, key=len, reverse=True))
        self._known = re.compile("|".join(map(re.escape, self._spellings)))

    def hidden(self, text: str) -> str:
        """A text without them; quick where there are none."""
        if self._known is None or not any(spelling in text for spelling in self._spellings):
            return text
        return self._known.sub(HIDDEN, text)

    def hidden_body(self, body: str) -> str:
        """The same for a body that may be JSON, where any character may be written as an escape."""
        if "\\" in body:
            try:
                document = json.loads(body)
                clean = self.without(document)
            except (ValueError, RecursionError):
                return self.hidden(body)
            if clean != document:
                body = json.dumps(clean)
        return self.hidden(body)

    def hidden_bytes(self, content: bytes) -> bytes:
        """The same for a file; every other byte stays as it is."""
        return self.hidden(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def without(self, document: object, *, brings: Collection[str] = ()) -> object:
        """A JSON document without them, in names and values.

        Args:
            document: parsed; it is not changed.
            brings: names of fields that hold a key meant for us: left as it is, and a secret from then on.

        Raises:
            RecursionError: it is nested too deeply.
        """
        if isinstance(document, str):
            return self.hidden(document)
        if isinstance(document, list):
            return [self.without(one, brings=brings) for one in document]
        if not isinstance(document, dict):
            return document
        clean: dict[str, object] = {}
        for name, value in document.items():
            if name in brings and isinstance(value, str):
                self.learn(value)
                clean[name] = value
            else:
                clean[self.hidden(name)] = self.without(value, brings=brings)
        return clean


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
    yield text.replace("/", "\\/")


def _inside_base64(secret: bytes) -> Iterable[str]:
    """The characters that do not depend on what stands before and after, for each of the three alignments."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + secret).decode().rstrip("=")
        yield whole[(before * 8 + 5) // 6 : (before + len(secret)) * 8 // 6]
