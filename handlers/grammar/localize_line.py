"""The line after a verb of ``/localize``: settings such as ``rate=16000``, and an address or a text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain.errors import PersonError
from bot.domain.localization import Capability, Option, Request
from bot.domain.localization.declaration import Accepts
from handlers.grammar.verbs import too_many, unescape, with_example, without_links
from handlers.replies import MistakesError

_LINK = re.compile(r"<(https?://[^|>\s]+)(?:\|[^>]*)?>")
_SETTING = re.compile(r"([A-Za-z][A-Za-z_-]{1,19})=(\S*)")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_MARKS = frozenset('"“”„')


def line_rule(*, url: bool, text: bool) -> str:
    return "an address or a text" if url and text else "an address that begins with https://" if url else "a text"


@dataclass(slots=True)
class _Taken:
    """Settings taken from a line, and what is wrong with it."""

    options: dict[str, str] = field(default_factory=dict)
    errors: list[PersonError] = field(default_factory=list)


def read_line(capabilities: Sequence[Capability], text: str, *, example: str) -> Request:
    """The line after a verb, as a request: settings such as ``rate=16000`` first or last, the rest is the input.

    Raises:
        MistakesError: with every part that cannot be read.
    """
    said = _LINK.sub(lambda found: found[1], text).strip()
    declared = _meant(capabilities, said)
    if declared.media is not None:
        return _address(declared, unescape(said), example)
    return _text(declared, unescape(without_links(said)), example)


def _meant(capabilities: Sequence[Capability], said: str) -> Capability:
    """The operation meant by a shared verb: the one with media for an address, the one with text otherwise."""
    with_media = [one for one in capabilities if one.media is not None]
    with_text = [one for one in capabilities if one.media is None]
    if with_media and (not with_text or _ADDRESS.fullmatch(said)):
        return with_media[0]
    return with_text[0]


def _address(declared: Capability, said: str, example: str) -> Request:
    line = _Taken()
    left = [word for word in said.split() if not _take(declared, line, word, bare=True)]
    if not left:
        line.errors.append(PersonError(argument="url", rule="it is missing; give the address", example=example))
    if len(left) > 1:
        line.errors.append(too_many(left[1:], example))
    if line.errors:
        raise MistakesError([with_example(error, example) for error in line.errors])
    return Request(operation=declared.operation, url=left[0], options=line.options)


def _text(declared: Capability, said: str, example: str) -> Request:
    """Read settings before the text; the text after its first word is not parsed and stays unchanged.

    A text that begins like a setting must be quoted: a mistyped name of a setting is no text.
    """
    line = _Taken()
    while True:
        first, _, rest = said.partition(" ")
        if not _take(declared, line, first, bare=False):
            break
        said = rest.strip()
    if line.errors:
        raise MistakesError([with_example(error, example) for error in line.errors])
    inner = said[1:-1]  # without quotation marks around the whole text; devices turn them into curly ones
    if len(said) > 1 and {said[0], said[-1]} <= _MARKS and not _MARKS.intersection(inner):
        said = inner
    return Request(operation=declared.operation, text=said, options=line.options)


def _take(declared: Capability, line: _Taken, word: str, *, bare: bool) -> bool:
    """Whether the word is a setting; if so, it is added to the options, or to the mistakes.

    ``bare``: a value without its name counts too, where only one list contains it.
    """
    setting = _SETTING.fullmatch(word)
    name = setting[1].lower().replace("-", "_") if setting is not None else ""
    option = declared.option(name)
    if setting is not None and option is not None:
        _set(line, option, setting[2])
        return True
    if setting is not None:
        known = ", ".join(f"{one.word}=" for one in declared.options) or "none"
        quoted = "" if bare else "; a text that begins like this stands in quotation marks"
        rule = f"there is no such option; there is: {known}{quoted}"
        line.errors.append(PersonError(argument=setting[1], rule=rule, example="", given=word))
        return True
    for one in declared.options if bare else ():
        values = [choice.value for choice in one.choices] if one.accepts is Accepts.CHOICE else []
        if word.lower().removeprefix(".") in values and one.name not in line.options:
            line.options[one.name] = word.lower().removeprefix(".")
            return True
    return False


def _set(line: _Taken, option: Option, value: str) -> None:
    if option.name in line.options:
        line.errors.append(PersonError(argument=option.word, rule="it is given twice", example="", given=value))
        return
    try:
        line.options[option.name] = option.read(value)
    except PersonError as broken:
        line.errors.append(broken)
