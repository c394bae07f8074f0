"""Readers of what people type for more than one service: the value, or ``PersonError`` with the rule that is broken."""

from collections.abc import Callable
from typing import TypeVar

from bot.domain.addresses import address
from bot.domain.errors import PersonError, RuleError
from bot.domain.money import Cents, parse_amount

T = TypeVar("T")


def email(text: str) -> str:
    """An address in ASCII, short enough for a card to show whole."""
    return ruled("email", "ana@example.com", address, text)


def amount(text: str) -> Cents:
    return ruled("amount", "25.00", parse_amount, text)


def reference(text: str) -> str:
    """A reference of ours or an id of a service, copied with its quotation marks or without."""
    return text.strip().strip("`")


def ruled(argument: str, example: str, read: Callable[[str], T], text: str) -> T:
    """The value that ``read`` finds; the rule it names becomes a mistake of this argument."""
    try:
        return read(text)
    except RuleError as broken:
        raise PersonError(argument=argument, rule=broken.rule, example=example, given=text) from None
