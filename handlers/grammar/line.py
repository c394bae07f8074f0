"""Parser of the line after a verb of ``/localize``: settings, and an address or a text."""

import re
from collections.abc import Sequence

from bot.domain.errors import PersonError
from bot.domain.localization.declaration import Accepts, Capability
from bot.domain.localization.request import Request
from bot.domain.text import unescape, without_links
from handlers.grammar.arguments import too_many, with_example
from handlers.replies import MistakesError

_LINK = re.compile(r"<(https?://[^|>\s]+)(?:\|[^>]*)?>")
_SETTING = re.compile(r"([A-Za-z][A-Za-z_-]{1,19})=(\S*)")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_MARKS = frozenset('"“”„')


def line_rule(*, url: bool, text: bool) -> str:
    return "a link or a text" if url and text else "a link that begins with https://" if url else "a text"


def read_line(capabilities: Sequence[Capability], text: str, *, example: str) -> Request:
    """Parse the line after a verb into a request: settings such as ``rate=16000``, and the input.

    Settings may surround an address but must precede a text. A text that begins like a setting must be quoted, because
    it may be a mistyped setting. Raises MistakesError.
    """
    said = _LINK.sub(lambda found: found[1], text).strip()
    with_media = [one for one in capabilities if one.media is not None]
    with_text = [one for one in capabilities if one.media is None]
    options: dict[str, str] = {}
    errors: list[PersonError] = []
    if with_media and (not with_text or _ADDRESS.fullmatch(said)):
        declared = with_media[0]
        left = [word for word in unescape(said).split() if not _take(declared, word, options, errors, bare=True)]
        if len(left) > 1 and not any(map(_ADDRESS.fullmatch, left)):
            rule = "it isn't a link"
            errors.append(PersonError(argument="url", rule=rule, example=example, given=" ".join(left)))
        elif len(left) > 1:
            errors.append(too_many([word for word in left if not _ADDRESS.fullmatch(word)] or left[1:], example))
        elif not left:
            errors.append(PersonError(argument="url", rule="add a link", example=example))
    else:
        declared = with_text[0]
        text = unescape(without_links(said))
        while _take(declared, text.partition(" ")[0], options, errors, bare=False):
            text = text.partition(" ")[2].strip()
        left = [text]
    if errors:
        raise MistakesError([with_example(error, example) for error in errors])
    if declared.media is not None:
        return Request(operation=declared.operation, url=left[0], options=options)
    text = left[0]
    inner = text[1:-1]  # without quotation marks around the whole text; devices turn them into curly ones
    if len(text) > 1 and {text[0], text[-1]} <= _MARKS and not _MARKS.intersection(inner):
        text = inner
    return Request(operation=declared.operation, text=text, options=options)


def _take(declared: Capability, word: str, options: dict[str, str], errors: list[PersonError], *, bare: bool) -> bool:
    """Add a setting to the options or mistakes; False for other words. ``bare``: a listed value needs no name."""
    setting = _SETTING.fullmatch(word)
    name = setting[1].lower().replace("-", "_") if setting is not None else ""
    option = declared.option(name)
    if setting is not None and option is not None:
        value = setting[2]
        if option.name in options:
            rule = f"give {option.word}= only once"
            errors.append(PersonError(argument=option.word, rule=rule, example="", given=value))
            return True
        try:
            options[option.name] = option.read(value)
        except PersonError as broken:
            errors.append(broken)
        return True
    if setting is not None:
        known = ", ".join(f"{one.word}=" for one in declared.options) or "none"
        quoted = "" if bare else "; put a text that begins like this in quotation marks"
        rule = f"there is no option {setting[1]}=; there is {known}{quoted}"
        errors.append(PersonError(argument=setting[1], rule=rule, example="", given=word))
        return True
    for one in declared.options if bare else ():
        values = [choice.value for choice in one.choices] if one.accepts is Accepts.CHOICE else []
        if word.lower().removeprefix(".") in values and one.name not in options:
            options[one.name] = word.lower().removeprefix(".")
            return True
    return False
