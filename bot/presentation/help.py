"""Help, generated from the declarations that parse the commands."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.content import Content
from bot.presentation.blocks.text import escape, message, paragraphs, shorten

_GIVEN = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """One verb: how it is typed, what it does, an example."""

    typed: str
    summary: str
    example: str
    name: str = ""
    """The words that find it; the first of what is typed where it is not given."""


def usage(command: str, summary: str, verbs: Sequence[Usage]) -> Content:
    """All verbs of a command, in their order."""
    lines = [
        f"• `{escape(f'{command} {verb.typed}')}`: {escape(verb.summary)}\n"
        f"    for example `{escape(f'{command} {verb.example}')}`"
        for verb in verbs
    ]
    lead = f"*{command}*: {escape(summary)}"
    text = "\n".join([lead, *lines])
    return Content(text=text, blocks=paragraphs([lead, *lines]))


def no_such_verb(given: str, command: str, verbs: Sequence[Usage]) -> Content:
    """What was typed after the command is not one of its verbs."""
    names = dict.fromkeys(verb.name or verb.typed.split()[0] for verb in verbs)
    known = ", ".join(f"`{name}`" for name in names)
    text = (
        f":pencil2: *verb*: `{escape(shorten(given, _GIVEN))}` is not something `{command}` can do. It is one of "
        f"{known} or `help`.\nFor example: `{escape(f'{command} {verbs[0].example}')}`"
    )
    return message(text)
