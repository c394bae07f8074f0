"""Conversion of typed text as in Slack's clients: escapes, links, mentions, smart quotes."""

import re
from collections.abc import Callable

from bot.playground.workspace.directory import Directory

_URL = re.compile(r"https?://[^\s<>\"'“”‘’]+")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MENTION = re.compile(r"(?<![\w.@])@([\w-]+(?:\.[\w-]+)*)")
_PLACE = re.compile(r"(?<![\w&#])#([\w-]+)")
_MENTIONED = re.compile(r"<@([UW][A-Z0-9]+)>")
_Replace = Callable[[re.Match[str]], str]


def escaped(text: str) -> str:
    """Escape ``&``, ``<`` and ``>``."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def smart(text: str) -> str:
    """Replace quotes and dashes as macOS and iOS do."""
    text = re.sub(r'(^|[\s(\[])"', r"\1“", text).replace('"', "”")
    text = re.sub(r"(^|[\s(\[])'", r"\1‘", text).replace("'", "’")
    return text.replace("--", "—")


def as_command(text: str, directory: Directory, *, should_escape: bool) -> str:
    """The ``text`` of a slash command; with ``should_escape`` URLs, people and channels become references."""
    return _referenced(text, directory, mails=False) if should_escape else text


def as_message(text: str, directory: Directory) -> str:
    """The text of a message a person posts; people, channels, URLs and e-mail addresses become references."""
    return _referenced(text, directory, mails=True)


def mentioned(text: str) -> list[str]:
    """The ids of the people a message mentions."""
    return _MENTIONED.findall(text)


def _referenced(text: str, directory: Directory, *, mails: bool) -> str:
    handles = {user.name: user.id for user in directory.users.values()}

    def person(match: re.Match[str]) -> str:
        user_id = handles.get(match[1])
        return f"<@{user_id}>" if user_id else match[0]

    def place(match: re.Match[str]) -> str:
        channel = directory.channel(match[1])
        return f"<#{channel.id}|{'' if channel.private else channel.name}>" if channel else match[0]

    parts = []
    position = 0
    for url in _URL.finditer(text):
        parts += [_words(text[position : url.start()], person, place, mails=mails), f"<{escaped(url[0])}>"]
        position = url.end()
    return "".join([*parts, _words(text[position:], person, place, mails=mails)])


def _words(text: str, person: _Replace, place: _Replace, *, mails: bool) -> str:
    text = _PLACE.sub(place, _MENTION.sub(person, escaped(text)))
    return _MAIL.sub(lambda match: f"<mailto:{match[0]}|{match[0]}>", text) if mails else text
