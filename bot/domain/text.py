"""Text from any source: visible characters, storable characters, error texts, and secrets in any encoding."""

import base64
import json
import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any, Final
from urllib.parse import quote, quote_plus

_BLANKS: Final = frozenset("\r\n\t\v\f\u0085\u2028\u2029\u115f\u1160\u3164\uffa0\u2800\U0001d159")
"""Line breaks, and letters that are invisible: Hangul fillers, the blank Braille pattern, a null notehead."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co"})
_MARKS: Final = frozenset({"Mn", "Me"})
_MOST_MARKS: Final = 4
"""Marks per letter, as many as in Hebrew with accents. More would cover the lines above and below."""


def clean(text: str) -> str:
    """Remove control characters, replace invisible ones by blanks, and keep at most four marks per letter."""
    if text.isascii() and text.isprintable():
        return text.strip()
    kept, marks = [" "], 0
    for letter in text:
        kind = unicodedata.category(letter)
        if kind in _MARKS:
            marks += 1
            if marks <= _MOST_MARKS and not kept[-1].isspace():  # without a letter, a mark is invisible
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
    """Strip invisible characters from an address, amount, number or column name; make full-width letters ASCII."""
    if text.isascii():
        return text.strip()
    seen = (one for one in text if one not in _SELECTORS and unicodedata.category(one) != "Cf")
    return "".join(seen).translate(SPACES | _WIDE).strip()


MAX_WORDS: Final = 500
MAX_SAID: Final = 2_000
_MOST_READ: Final = 16_000
_TOKEN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])")
"""256 bits in base64url, the form of our callback tokens. Hexadecimal hashes are longer."""
PAGE: Final = re.compile(r"<\s*(!doctype|html|head|body|title|script|style|h1|center)\b", re.IGNORECASE)


def one_line(text: str, limit: int = MAX_WORDS) -> str:
    """Return one line of at most ``limit`` storable characters, with addresses and tokens masked. Not escaped."""
    sound = text[:_MOST_READ].encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    if len(text) > _MOST_READ:  # half a token wouldn't be recognized
        sound = sound.rpartition(" ")[0]
    words = " ".join(
        "[address]" if word.casefold().replace("%2f", "/").count("/") > 1 else word for word in sound.split()
    )
    return _TOKEN.sub("[token]", words)[:limit]


_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


def storable(text: str, instead: str = "\ufffd") -> str:
    """Replace characters that PostgreSQL or UTF-8 cannot store."""
    return _UNSTORABLE.sub(instead, text)


def without_unstorable(value: Any) -> Any:
    """Remove such characters from parsed JSON, in names and values; return the same object if there are none."""
    if isinstance(value, str):
        # For ASCII text one call in C is enough: nearly all texts from Slack are ids and names.
        return value if value.isascii() and "\x00" not in value else _UNSTORABLE.sub("", value)
    if isinstance(value, dict):
        return {without_unstorable(name): without_unstorable(one) for name, one in value.items()}
    return [without_unstorable(one) for one in value] if isinstance(value, list) else value


HIDDEN: Final = "[hidden]"
SHORTEST_SECRET: Final = 6
"""Characters. Anything shorter would match in unrelated texts."""
_ESCAPE = re.compile("%[0-9A-F]{2}")


class Secrets:
    """The secret values in use; more can be added. Values that are too short are ignored."""

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
        """Mask secrets like `hidden` in a body that may be JSON, where any character may be escaped."""
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
        """Mask secrets in a JSON document, but keep and learn ``brings``, new keys for us. Raises RecursionError."""
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
    """Return a secret's spellings in logs: plain, escaped, URL-encoded, and in base64 alone or after a user name."""
    plain = {secret}
    for _ in range(2):  # e.g. a dictionary's repr in a line of JSON
        for text in list(plain):
            plain |= {repr(text)[1:-1], repr(text.encode())[2:-1], text.replace("/", "\\/")}
            plain |= {json.dumps(text, ensure_ascii=is_ascii)[1:-1] for is_ascii in (True, False)}
    encoded = {base64.b64encode(secret.encode()).decode().rstrip("=")}
    for before in range(3):  # for each alignment, the characters independent of their neighbors
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
"""In messages, Slack leaves out the names of groups and private channels. People without a name are looked up."""


def without_links(text: str) -> str:
    """Restore links and mentions as typed; a link with another text becomes both, so that approvers see its target."""

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
    """Undo Slack's three escapes. Do this last, so that typed text cannot imitate Slack's markup."""
    return word.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def distance(one: str, other: str) -> int:
    """Return the edit distance: letters added, dropped, replaced, or swapped with a neighbor."""
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
"""Least length of a prefix that identifies a word."""
_SHORT: Final = 5
"""Longest word that may differ in one place only; longer ones may differ in two."""


def is_near(one: str, other: str) -> bool:
    """Whether one word is probably a typo of the other."""
    if one == other:
        return True
    most = 1 if min(len(one), len(other)) <= _SHORT else 2
    return abs(len(one) - len(other)) <= most and distance(one, other) <= most


def closest(word: str, known: Iterable[str]) -> str:
    """Return the word probably meant, by prefix or similarity; empty if there is none or several are as likely."""
    choices = list(dict.fromkeys(known))
    begun = [one for one in choices if len(word) >= _BEGUN and one.casefold().startswith(word.casefold())]
    if len(begun) == 1:
        return begun[0]
    near = sorted(
        (distance(word.casefold(), one.casefold()), one) for one in choices if is_near(word.casefold(), one.casefold())
    )
    is_clear = near and (len(near) == 1 or near[0][0] < near[1][0])
    return near[0][1] if is_clear else ""
