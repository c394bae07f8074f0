"""Text of any origin: what can be seen, what a database stores, what a service said, secrets in any spelling."""

import base64
import json
import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any, Final
from urllib.parse import quote, quote_plus

_BLANKS: Final = frozenset("\r\n\t\v\f\u0085\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\U0001d159")
"""Breaks, and letters in which there is nothing to see: fillers of Hangul, Braille without a dot, an empty note."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})
_MARKS: Final = frozenset({"Mn", "Me"})
_MOST_MARKS: Final = 4
"""Marks on one letter: Hebrew with accents has as many. More of them would cover the lines above and below."""


def clean(text: str) -> str:
    """The text without control characters; invisible ones count as blanks, and a letter has at most four marks."""
    if text.isascii() and text.isprintable():
        return text.strip()
    kept, marks = [" "], 0
    for letter in text:
        kind = unicodedata.category(letter)
        if kind in _MARKS:
            marks += 1
            if marks <= _MOST_MARKS and not kept[-1].isspace():  # on nothing, it could not be seen
                kept.append(letter)
        elif letter in _BLANKS or kind == "Cn":
            kept.append(" ")
            marks = 0
        elif kind not in _UNSEEN:
            kept.append(letter)
            marks = 0
    return "".join(kept).strip()


SPACES: Final = {code: " " for code in range(0x3001) if unicodedata.category(chr(code)) == "Zs"}
"""All spaces, for ``str.translate``: no-break, thin and ideographic ones are typed or pasted by accident."""
_WIDE: Final = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {0xFE6B: "@", 0xFE52: "."}
_SELECTORS: Final = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), 0x034F)))


def bare(text: str) -> str:
    """An address, amount, number or column name without invisible characters, with full-width letters as ASCII."""
    if text.isascii():
        return text.strip()
    seen = (one for one in text if one not in _SELECTORS and unicodedata.category(one) != "Cf")
    return "".join(seen).translate(SPACES | _WIDE).strip()


MAX_WORDS: Final = 500
MAX_SAID: Final = 2_000
_MOST_READ: Final = 16_000
_TOKEN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")
"""256 bits in base64url, the form of our callback tokens. Hashes in hexadecimal are longer."""
PAGE: Final = re.compile(r"<\s*(!doctype|html|head|body|title|script|style|h1|center)\b", re.IGNORECASE)


def one_line(text: str, limit: int = MAX_WORDS) -> str:
    """One line of at most ``limit`` characters, storable everywhere, without addresses and tokens. Not escaped."""
    sound = text[:_MOST_READ].encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    if len(text) > _MOST_READ:  # half a token looks like none
        sound = sound.rpartition(" ")[0]
    words = " ".join(
        "[address]" if word.casefold().replace("%2f", "/").count("/") > 1 else word for word in sound.split()
    )
    return _TOKEN.sub("[token]", words)[:limit]


_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(text: str, instead: str = "\ufffd") -> str:
    """Text with U+FFFD, or something else, for what PostgreSQL or UTF-8 cannot hold."""
    return _UNSTORABLE.sub(instead, text)


def without_unstorable(value: Any) -> Any:
    """Parsed JSON without such characters, in names and values; the same object where there are none."""
    if isinstance(value, str):
        # Slices of ASCII are checked by one call in C: nearly all texts of Slack are ids and names.
        return value if value.isascii() and "\x00" not in value else _UNSTORABLE.sub("", value)
    if isinstance(value, dict):
        return {without_unstorable(name): without_unstorable(one) for name, one in value.items()}
    return [without_unstorable(one) for one in value] if isinstance(value, list) else value


HIDDEN: Final = "[hidden]"
SHORTEST_SECRET: Final = 6
"""Characters. Anything shorter would be found in texts that have nothing to do with it."""
_ESCAPE = re.compile("%[0-9A-F]{2}")


class Secrets:
    """The secret values in force; more can be learned. One that is too short is no secret."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._values: set[str] = set()
        self._spellings: tuple[str, ...] = ()
        self._known: re.Pattern[str] | None = None
        self.learn(*values)

    def learn(self, *values: str) -> None:
        new = {value for value in values if len(value) >= SHORTEST_SECRET} - self._values
        if not new:
            return
        self._values |= new
        found = {spelling for value in new for spelling in spellings(value)}.union(self._spellings)
        self._spellings = tuple(sorted(found, key=len, reverse=True))
        self._known = re.compile("|".join(map(re.escape, self._spellings)))

    def hidden(self, text: str) -> str:
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
        return self.hidden(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    def without(self, document: object, *, brings: Collection[str] = ()) -> object:
        """A JSON document without them; raises RecursionError. ``brings``: fields of a key for us: kept, learned."""
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
        for text in list(plain):
            plain |= {repr(text)[1:-1], repr(text.encode())[2:-1], text.replace("/", "\\/")}
            plain |= {json.dumps(text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)}
    encoded = {base64.b64encode(secret.encode()).decode().rstrip("=")}
    for before in range(3):  # the characters that do not depend on what stands before and after, for each alignment
        whole = base64.b64encode(bytes(before) + secret.encode()).decode().rstrip("=")
        encoded.add(whole[(before * 8 + 5) // 6 : (before + len(secret.encode())) * 8 // 6])
    safe = {text.replace("+", "-").replace("/", "_") for text in encoded}
    quoted = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    quoted |= {_ESCAPE.sub(lambda found: found[0].lower(), text) for text in quoted}
    return plain | quoted | encoded | safe


_LINKED = re.compile(r"<(?P<address>(?:mailto|tel|sms):[^|>]+|[a-z][a-z0-9+.-]*://[^|>]+)(?:\|(?P<label>[^>]*))?>")
_NAMED = re.compile(
    r"<(?!@\w+>)(?:(?P<sign>[@#])|!(?:subteam\^)?)(?P<id>\w+)(?:\|@?(?P<name>[^>]*))?>|<![^|>]+\|(?P<shown>[^>]+)>",
    re.ASCII,
)
"""Slack leaves out the names of groups in messages, and of private channels. People without one are looked up."""


def without_links(text: str) -> str:
    """Slack's links and mentions as they were typed; a link with another text becomes both, for approvers to see."""

    def shown(found: re.Match[str]) -> str:
        address, label = re.sub("^(?:mailto|tel|sms):", "", found["address"]), found["label"]
        if label is None:
            return address
        return label if bare(label) == bare(address) else f"{label} ({address})"

    def bare(text: str) -> str:
        plain = re.sub(r"^https?://", "", text.strip().casefold()).removesuffix("/")
        return re.sub(r"\D", "", plain) if re.fullmatch(r"[-+() \d]+", plain) else plain

    linked = _LINKED.sub(shown, text)
    return _NAMED.sub(lambda found: found["shown"] or f"{found['sign'] or '@'}{found['name'] or found['id']}", linked)


def unescape(word: str) -> str:
    """Undo Slack's escapes of three characters; done last, so that typed text cannot look like Slack's own markup."""
    return word.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def distance(one: str, other: str) -> int:
    """Letters to add, drop, replace or swap with their neighbor, so that one word becomes the other."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            best = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]


_BEGUN: Final = 3
"""Letters with which a word can be told by its beginning."""
_SHORT: Final = 5
"""A word of up to so many letters may differ in one place, a longer one in two."""


def is_near(one: str, other: str) -> bool:
    """Whether one word is probably a mistyped other."""
    if one == other:
        return True
    most = 1 if min(len(one), len(other)) <= _SHORT else 2
    return abs(len(one) - len(other)) <= most and distance(one, other) <= most


def closest(word: str, known: Iterable[str]) -> str:
    """The one of these that was probably meant, by its beginning or a few letters; empty: none, or it is not clear."""
    choices = list(dict.fromkeys(known))
    begun = [one for one in choices if len(word) >= _BEGUN and one.casefold().startswith(word.casefold())]
    if len(begun) == 1:
        return begun[0]
    near = sorted(
        (distance(word.casefold(), one.casefold()), one) for one in choices if is_near(word.casefold(), one.casefold())
    )
    is_clear = near and (len(near) == 1 or near[0][0] < near[1][0])
    return near[0][1] if is_clear else ""
