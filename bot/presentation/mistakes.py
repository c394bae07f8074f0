"""Input that breaks a rule: what was wrong, what is allowed, one right example."""

from collections.abc import Sequence

from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.money import plain
from bot.presentation.blocks.text import SECTION_LIMIT, as_said, paragraphs, quote, sentence_of
from bot.presentation.reasons import rule_of, with_example

_GIVEN_LIMIT = 120
_SHOWN = 4
"""Mistakes of one line that are told at once."""
_PART_LIMIT = 400

TOO_MANY_WORDS = "this is one word too many"
NO_REASON = "Give a reason, for example: the invoice is from last year."


def wrong_amount(cents: int) -> str:
    """What was typed to approve is not what stands on the card."""
    return f"This is not the amount on the card. Type that amount, with a point before the cents: {plain(cents)}"


def unknown(what: str, rule: str, *, says: str = "") -> str:
    """The rule that a name breaks by which nothing is known.

    Args:
        what: what it should name.
        rule: what a name is.
        says: what the service says of it, where it was asked.
    """
    told = f" (the service says: {says})" if says else ""
    return f"no {what} of that name is known here{told}; it is {rule}"


def at_field(error: PersonError) -> str:
    """The same beside the field of a form, where nothing is formatted."""
    return with_example(rule_of(error), error.example)


def at_lines(errors: Sequence[PersonError]) -> str:
    """The same for a field of several lines: every line that is wrong, and the example once."""
    told = [sentence_of(rule_of(error)) for error in errors[:_SHOWN]]
    if len(errors) > _SHOWN:
        told.append(f"And {len(errors) - _SHOWN} more.")
    return " ".join([*told, f"For example: {errors[0].example}"])


def mistakes(errors: Sequence[PersonError]) -> Content:
    """Everything that is wrong with one line, and once what a right one looks like."""
    lines = []
    for error in errors[:_SHOWN]:
        typed = quote(error.given, _GIVEN_LIMIT)
        given = f" You gave: {typed}" if typed else ""
        rule = as_said(quote(rule_of(error), _PART_LIMIT))
        lines.append(f":pencil2: *{quote(error.argument, _PART_LIMIT)}*: {rule}{given}")
    example = next((error.example for error in errors if error.example), "")
    shown = f" For example: `{quote(example, SECTION_LIMIT // 4)}`" if example else ""
    lines.append(f"Nothing was done.{shown}")
    return Content(text="\n".join(lines), blocks=paragraphs(lines))
