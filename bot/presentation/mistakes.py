"""Input that breaks a rule: what was wrong, what is allowed, one right example."""

from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.presentation.text import escape, mrkdwn, section, shorten

_GIVEN_LIMIT = 120


def mistake(error: PersonError) -> Content:
    """For the asker's eyes; nothing was requested."""
    given = f" You gave: {escape(shorten(error.given, _GIVEN_LIMIT))}" if error.given else ""
    text = f":pencil2: *{error.argument}*: {escape(error.rule)}.{given}\nFor example: `{escape(error.example)}`"
    return Content(text=text, blocks=[section(mrkdwn(text))])


def at_field(error: PersonError) -> str:
    """The same beside the field of a form, where nothing is formatted."""
    return f"{error.rule[:1].upper()}{error.rule[1:]}."
