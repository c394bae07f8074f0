"""Input that breaks a rule: what was wrong, what is allowed, one right example."""

from collections.abc import Sequence

from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.presentation.text import SECTION_LIMIT, escape, mrkdwn, section, shorten

_GIVEN_LIMIT = 120

NO_REASON = "Give a reason, for example: the invoice is from last year."
WRONG_AMOUNT = "This is not the amount on the card. Type it exactly, for example 25.00."


def at_field(error: PersonError) -> str:
    """The same beside the field of a form, where nothing is formatted."""
    return f"{error.rule[:1].upper()}{error.rule[1:]}."


def mistakes(errors: Sequence[PersonError]) -> Content:
    """Everything that is wrong with one line, and once what a right one looks like."""
    lines = []
    for error in errors:
        given = f" You gave: {escape(shorten(error.given, _GIVEN_LIMIT))}" if error.given else ""
        lines.append(f":pencil2: *{escape(error.argument)}*: {escape(error.rule)}.{given}")
    example = next((error.example for error in errors if error.example), "")
    text = "\n".join([*lines, f"Nothing was requested. For example: `{escape(example)}`"])
    return Content(text=text, blocks=[section(mrkdwn(shorten(text, SECTION_LIMIT)))])
