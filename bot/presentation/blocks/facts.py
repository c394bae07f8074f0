"""A service's record as labelled facts. Facts that the service did not give are left out."""

from collections.abc import Sequence

from bot.domain.content import Block, Content
from bot.domain.visible import clean
from bot.presentation.blocks.text import context, escape, header, labelled, plain, quote, section, shorten, spoken

Fact = tuple[str, str]
"""What it is, and the text; foreign, and left out when it is empty."""

_VALUE_LIMIT = 250
_FIELDS = 10
"""Fields of one section."""


def facts(title: str, found: Sequence[Fact], *, about: str = "", notes: Sequence[str] = ()) -> Content:
    """A headline, a longer text, facts in two columns, small print.

    Args:
        title: plain text, foreign parts as they are.
        found: at most twelve or so, or the text grows beyond what Slack likes.
        about: plain text of any length; shortened.
        notes: mrkdwn of our own.
    """
    told = [(label, clean(value)) for label, value in found if clean(value)]
    blocks: list[Block] = [header(clean(title))]
    if about:
        blocks.append(section(plain(shorten(clean(about), _ABOUT_LIMIT))))
    for start in range(0, len(told), _FIELDS):
        fields = [labelled(escape(label), quote(value, _VALUE_LIMIT)) for label, value in told[start : start + _FIELDS]]
        blocks.append({"type": "section", "fields": fields})
    blocks += [context(note) for note in notes]
    lines = [f"*{quote(title, _TITLE_LIMIT)}*", *([quote(about, _ABOUT_LIMIT)] if about else [])]
    lines += [f"{escape(label)}: {quote(value, _VALUE_LIMIT)}" for label, value in told]
    return Content(text=spoken([*lines, *notes]), blocks=blocks)


_TITLE_LIMIT = 300
_ABOUT_LIMIT = 600
