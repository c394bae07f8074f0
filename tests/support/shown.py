"""What a person reads, whole: ``assert shown(message) == snapshot("…")``.

After a change of words, ``pytest --inline-snapshot=fix PATH`` writes the new ones into the tests, for you to read.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from bot.playground.workspace import Ack, Message, View

_DRAWN: Final = (
    (re.compile(r"\b([PLXCBV])-[2-9A-Z]{6}\b"), r"\1-······"),
    (re.compile(r"\b([0-9a-f]{24}|[0-9a-f]{64}|01[0-9A-Z]{24})\b"), "······"),
    (re.compile(r"`[0-9a-f]{8}`"), "`········`"),
    (re.compile(r"(?:(?<=Platform operation: )|(?<=Platform user: )|(?<=· user ))\d+"), "······"),
    (re.compile(r"/p\d{16}\b"), "/p······"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1"),
)
"""What each run draws anew, and what stands for it: references, ids of services and of log lines, messages, ports."""


def shown(what: Message | View | Ack | str | None) -> str:
    """All readable text, the same in each run; nothing when there is nothing, such as a modal that is closed."""
    match what:
        case None:
            text = ""
        case Message() | View():
            text = what.plain
        case Ack():
            text = _answer(what.body)
        case str():
            text = what
    for pattern, instead in _DRAWN:
        text = pattern.sub(instead, text)
    return text


def _answer(body: Any) -> str:
    """Text of the body that a command was answered with: a message, or only its text."""
    if not isinstance(body, Mapping):
        return str(body)
    parts = {name: body[name] for name in ("text", "blocks", "attachments") if name in body}
    return Message(channel="", ts="", user="", **parts).plain


def lacking(text: str, *facts: str) -> list[str]:
    """Those of some facts that a text doesn't have."""
    return [fact for fact in facts if fact not in text]
