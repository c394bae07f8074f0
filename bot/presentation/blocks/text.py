"""Text and its blocks. Foreign text enters messages only through these functions.

Slack's control sequences begin with ``<``, so escaping ``&``, ``<`` and ``>`` disables all of them. Formatting
characters can't be escaped: text that must be shown as typed goes into ``plain_text`` or through :func:`typed`.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.content import Block, Content
from bot.domain.text import clean

SECTION_LIMIT = 2_900  # characters per section, a little under Slack's 3,000
HEADER_LIMIT = 150
QUOTE_LIMIT = 1_000  # characters of foreign text in our sentences, including escapes
UNKNOWN = "unknown"  # replaces an invisible name
SPOKEN_LIMIT = 4_000  # characters of a message's ``text``: Slack's limit for an edit
_MARK = " … (shortened)"
_REST = "… and more in the message itself."
INSTANT = "{date_short_pretty} {time}"  # Slack's format of an instant
_NAME_LIMIT = 80
_CELLS = 20
_FORMATTING = re.compile(r"(?<![A-Za-z0-9])[*_~`]|[*_~`](?![A-Za-z0-9])|:(?=[\w'+-]+:)")
"""Characters that format adjacent text, unless within a word. A colon starts an emoji code."""
_LIKE = str.maketrans("*_~`:", "\u2217\uff3f\u223c\u02cb\ua789")
_PICTURES = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\u20e3]")
"""Parts of an emoji that remain without its picture: variation selectors, skin tones, the keycap frame."""


def escape(text: str) -> str:
    """Escape foreign text for mrkdwn or a message's ``text``: no mention, link or command in it has an effect."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shorten(text: str, limit: int, *, mark: str = _MARK) -> str:
    """Cut a text to ``limit`` characters including a mark. Never use it for amounts or addresses."""
    return text if len(text) <= limit else text[: limit - len(mark)] + mark


def choice(text: str, limit: int) -> str:
    """Shorten one of many options with a short mark, so that a long form doesn't repeat the long one."""
    return shorten(text, limit, mark="…")


def fields(*found: tuple[str, str]) -> list[Block]:
    """Show labels in bold above their values (mrkdwn) in two columns, ten per section."""
    told = [mrkdwn(f"*{label}*\n{value}") for label, value in found]
    return [{"type": "section", "fields": told[start : start + 10]} for start in range(0, len(told), 10)]


def linked(url: str, label: str = "") -> str:
    """Format a link; characters that would end it are encoded in addresses anyway."""
    return f"<{escape(url).replace('|', '%7C')}{f'|{label}' if label else ''}>"


def quote(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Return foreign text for mrkdwn: one line, escaped, at most ``limit`` characters including escapes."""
    cleaned = clean(text)
    whole = escape(cleaned)
    if len(whole) <= limit:
        return whole
    kept, room = [], limit - len(_MARK)
    for letter in cleaned:
        room -= len(escape(letter))
        if room < 0:
            break
        kept.append(escape(letter))
    return "".join(kept) + _MARK


def typed(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Quote text typed by a person, with look-alikes of formatting characters. Never use it for text to copy."""
    return quote(_unformatted(clean(text)), limit)


def name_of(text: str) -> str:
    """Return the visible letters of a name, or *unknown*. It is still foreign text: :func:`quote` it."""
    letters = "".join(letter for letter in clean(text) if unicodedata.category(letter) != "So")
    return _unformatted(" ".join(clean(_PICTURES.sub("", letters)).split())) or UNKNOWN


def _unformatted(text: str) -> str:
    return _FORMATTING.sub(lambda found: found[0].translate(_LIKE), text)


def sentence_of(text: str) -> str:
    """Turn a text into a sentence with a capital letter and a period; empty text stays empty."""
    return capital(as_said(text))


def quote_sentence(text: str, limit: int = QUOTE_LIMIT) -> str:
    return sentence_of(quote(text, limit))


def capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def as_said(text: str) -> str:
    """Add a period to a person's own words; empty text stays empty."""
    return f"{text}{'' if text.rstrip('*').endswith(('.', '!', '?', '…')) else '.'}" if text else ""


def bar(done: int, total: int) -> str:
    """Draw a bar of twenty cells with a percentage, which is full only if nothing is left."""
    filled, percent = (done * _CELLS // total, done * 100 // total) if total > 0 else (0, 0)
    return f"{'█' * filled}{'░' * (_CELLS - filled)} {percent} %"


def listed(lines: Sequence[str], most: int, *, of: int | None = None) -> list[str]:
    """Return the first lines, and the number of further ones; ``of`` is the total if not all lines are given."""
    more = (len(lines) if of is None else of) - min(most, len(lines))
    return [*lines[:most], f"and {more} more"] if more > 0 else list(lines)


def series(found: Sequence[object], of: int) -> str:
    """Format as ``a, b and 3 more``, from the first elements and their total number."""
    more = of - len(found)
    return ", ".join(map(str, found)) + (f" and {more} more" if more > 0 else "")


def numbered(rows: Sequence[int], count: int, most: int = 10) -> str:
    """Format as ``row 2``, ``rows 2 and 4``, ``rows 2, 4, 5 and 7 more``, from the first rows and their total."""
    shown = [*map(str, rows[:most]), *([f"{count - most} more"] if count > most else [])]
    return f"row {shown[0]}" if count == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def mention(user: str) -> str:
    return f"<@{user}>"


def named(user: str, names: Mapping[str, str], *, handle: str = "") -> str:
    """Name a person without notifying them, or mention them if the name is unknown. ``handle`` follows the name."""
    if user not in names:
        return mention(user)
    behind = f" ({quote(handle, _NAME_LIMIT)})" if clean(handle) else ""
    return f"{quote(name_of(names[user]), _NAME_LIMIT)}{behind}"


def addressed(name: str) -> str:
    return f"<!subteam^{name}>" if name.startswith("S") else mention(name)


def mentions(users: list[str]) -> str:
    return ", ".join(mention(user) for user in users)


def channel(channel_id: str) -> str:
    return f"<#{channel_id}>"


def moment(at: datetime) -> str:
    """Format an instant in the reader's time zone, with UTC as the client's fallback."""
    return f"<!date^{int(at.timestamp())}^{INSTANT}|{in_utc(at)}>"


def in_utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def duration(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), unit)
    return counted(int(seconds), "second")


def clock(seconds: float) -> str:
    """Format as ``0:42``, ``12:05``, ``1:00:07``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def counted(number: int, one: str, several: str = "") -> str:
    """Format a count with its noun: ``1 row``, ``2 rows``. ``several`` is an irregular plural."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}


def mrkdwn(text: str) -> Block:
    """Build a text object with our own formatting; escape foreign parts first."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def section(text: Block) -> Block:
    return {"type": "section", "text": text}


def paragraph(text: str) -> Block:
    """Build a section of mrkdwn; escape foreign parts first."""
    return section(mrkdwn(text))


def message(text: str) -> Content:
    return Content(text=text, blocks=[paragraph(text)])


def fallback_text(lines: Sequence[str]) -> str:
    """Join whole lines up to the limit, with a note about the rest: cutting would break our escapes and links."""
    whole = "\n".join(lines)
    if len(whole) <= SPOKEN_LIMIT:
        return whole
    kept, room = [], SPOKEN_LIMIT - len(_REST)
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, _REST])


def paragraphs(lines: Sequence[str]) -> list[Block]:
    """Join lines of mrkdwn into as few paragraphs as possible; each line must fit in one."""
    found: list[str] = []
    for line in lines:
        if found and len(found[-1]) + 1 + len(line) <= SECTION_LIMIT:
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return [paragraph(text) for text in found]


def context(text: str) -> Block:
    return {"type": "context", "elements": [mrkdwn(text)]}


def header(text: str) -> Block:
    """Build a headline, or a paragraph if it is too long, because a headline would be cut."""
    if len(text) <= HEADER_LIMIT:
        return {"type": "header", "text": plain(text)}
    return section(plain(shorten(text, SECTION_LIMIT)))
