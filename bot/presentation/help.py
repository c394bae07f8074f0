"""Help, printed from the declaration that parses."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.content import Content
from bot.presentation.text import escape, mrkdwn, paragraphs, section, shorten

_GIVEN = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """One verb: how it is typed, what it does, an example."""

    typed: str
    summary: str
    example: str


def usage(command: str, summary: str, verbs: Sequence[Usage]) -> Content:
    """All verbs of a command, in their order."""
    lines = [
        f"• `{escape(f'{command} {verb.typed}')}`: {escape(verb.summary)}\n"
        f"    for example `{escape(f'{command} {verb.example}')}`"
        for verb in verbs
    ]
    text = "\n".join([f"*{command}*: {escape(summary)}", *lines])
    return Content(text=text, blocks=paragraphs([f"*{command}*: {escape(summary)}", *lines]))


def no_such_verb(given: str, command: str, verbs: Sequence[Usage]) -> Content:
    """What was typed after the command is not one of its verbs."""
    known = ", ".join(f"`{verb.typed.split()[0]}`" for verb in verbs)
    text = (
        f":pencil2: *verb*: `{escape(shorten(given, _GIVEN))}` is not something `{command}` can do. It is one of "
        f"{known} or `help`.\nFor example: `{escape(f'{command} {verbs[0].example}')}`"
    )
    return Content(text=text, blocks=[section(mrkdwn(text))])
