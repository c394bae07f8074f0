"""Text and its blocks. Foreign text enters messages only through these functions.

Slack's control sequences begin with ``<``; escaping ``&``, ``<`` and ``>`` disarms all of them. Formatting
characters have no escape, so text that must look as it was typed goes into ``plain_text``, or through :func:`typed`.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.content import Block, Content
from bot.domain.text import clean

SECTION_LIMIT = 2_900  # characters of one section, a little under Slack's 3,000
HEADER_LIMIT = 150
QUOTE_LIMIT = 1_000  # characters that foreign words take at most inside a sentence of ours, escapes included
UNKNOWN = "unknown"  # name of somebody whose name cannot be seen
SPOKEN_LIMIT = 4_000  # characters of a message's ``text``: what Slack takes in an edit
_MARK = " … (shortened)"
_REST = "… and more in the message itself."
INSTANT = "{date_short_pretty} {time}"  # Slack's format of an instant
_NAME_LIMIT = 80
_CELLS = 20
_FORMATTING = re.compile(r"(?<![A-Za-z0-9])[*_~`]|[*_~`](?![A-Za-z0-9])|:(?=[\w'+-]+:)")
"""Characters that format what follows or precedes them; within a word they do not. A colon begins an emoji's code."""
_LIKE = str.maketrans("*_~`:", "\u2217\uff3f\u223c\u02cb\ua789")
_PICTURES = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\u20e3]")
"""What is left of an emoji without its picture: variants, tones of skin, the frame of a key."""


def escape(text: str) -> str:
    """Foreign text inside mrkdwn or a message's ``text``: nothing in it mentions, links or calls."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shorten(text: str, limit: int, *, mark: str = _MARK) -> str:
    """At most ``limit`` characters, with a mark where something is left out. Never for amounts or addresses."""
    return text if len(text) <= limit else text[: limit - len(mark)] + mark


def choice(text: str, limit: int) -> str:
    """A text among many to choose from: a form with fifty of them doesn't say fifty times that they are shortened."""
    return shorten(text, limit, mark="…")


def fields(*found: tuple[str, str]) -> list[Block]:
    """Labels in bold above their values, which are mrkdwn, in two columns; a section takes ten."""
    told = [mrkdwn(f"*{label}*\n{value}") for label, value in found]
    return [{"type": "section", "fields": told[start : start + 10]} for start in range(0, len(told), 10)]


def linked(url: str, label: str = "") -> str:
    """An address as Slack links it: the characters that would end the link are encoded in addresses anyway."""
    return f"<{escape(url).replace('|', '%7C')}{f'|{label}' if label else ''}>"


def quote(text: str, limit: int = QUOTE_LIMIT) -> str:
    """Foreign text inside mrkdwn: one line, escaped, at most ``limit`` characters with its escapes."""
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
    """What a person typed: quoted, its formatting characters as look-alikes. Never for what people copy."""
    return quote(_unformatted(clean(text)), limit)


def name_of(text: str) -> str:
    """What somebody is called: letters alone, *unknown* where none can be seen. Still foreign: :func:`quote` it."""
    letters = "".join(letter for letter in clean(text) if unicodedata.category(letter) != "So")
    return _unformatted(" ".join(clean(_PICTURES.sub("", letters)).split())) or UNKNOWN


def _unformatted(text: str) -> str:
    return _FORMATTING.sub(lambda found: found[0].translate(_LIKE), text)


def sentence_of(text: str) -> str:
    """A sentence: capital first, full stop last; empty stays empty."""
    return capital(as_said(text))


def quote_sentence(text: str, limit: int = QUOTE_LIMIT) -> str:
    return sentence_of(quote(text, limit))


def capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def as_said(text: str) -> str:
    """Somebody's own words with a full stop last; empty stays empty."""
    return f"{text}{'' if text.rstrip('*').endswith(('.', '!', '?', '…')) else '.'}" if text else ""


def bar(done: int, total: int) -> str:
    """A bar of twenty cells with its percentage; full only when nothing is left."""
    filled, percent = (done * _CELLS // total, done * 100 // total) if total > 0 else (0, 0)
    return f"{'█' * filled}{'░' * (_CELLS - filled)} {percent} %"


def listed(lines: Sequence[str], most: int, *, of: int | None = None) -> list[str]:
    """The first lines, and a word about how many more there are; ``of``: how many in all, where not all are given."""
    more = (len(lines) if of is None else of) - min(most, len(lines))
    return [*lines[:most], f"and {more} more"] if more > 0 else list(lines)


def series(found: Sequence[object], of: int) -> str:
    """``a, b and 3 more``: the first of so many."""
    more = of - len(found)
    return ", ".join(map(str, found)) + (f" and {more} more" if more > 0 else "")


def numbered(rows: Sequence[int], count: int, most: int = 10) -> str:
    """``row 2``, ``rows 2 and 4``, ``rows 2, 4, 5 and 7 more``: the first of so many."""
    shown = [*map(str, rows[:most]), *([f"{count - most} more"] if count > most else [])]
    return f"row {shown[0]}" if count == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def mention(user: str) -> str:
    return f"<@{user}>"


def named(user: str, names: Mapping[str, str], *, handle: str = "") -> str:
    """A person by name, who is not notified; a mention where Slack did not say it. ``handle`` follows the name."""
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
    """An instant in the reader's own time zone, UTC where the client cannot do that."""
    return f"<!date^{int(at.timestamp())}^{INSTANT}|{in_utc(at)}>"


def in_utc(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def duration(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            return counted(int(seconds // length), unit)
    return counted(int(seconds), "second")


def clock(seconds: float) -> str:
    """``0:42``, ``12:05``, ``1:00:07``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def counted(number: int, one: str, several: str = "") -> str:
    """A count with its noun: ``1 row``, ``2 rows``. ``several``: an irregular plural."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}


def mrkdwn(text: str) -> Block:
    """A text object with our own formatting; foreign parts must have been escaped."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def section(text: Block) -> Block:
    return {"type": "section", "text": text}


def paragraph(text: str) -> Block:
    """A section of mrkdwn; foreign parts must have been escaped."""
    return section(mrkdwn(text))


def message(text: str) -> Content:
    return Content(text=text, blocks=[paragraph(text)])


def fallback_text(lines: Sequence[str]) -> str:
    """Whole lines up to the limit, and a word about the rest: escapes and links of ours do not survive being cut."""
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
    """Lines of mrkdwn in as few paragraphs as they fit in; none of them longer than one."""
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
    """A headline; longer ones become a paragraph, because a headline would cut them."""
    if len(text) <= HEADER_LIMIT:
        return {"type": "header", "text": plain(text)}
    return section(plain(shorten(text, SECTION_LIMIT)))
