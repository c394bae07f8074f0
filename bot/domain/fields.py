"""Parsers of input shared by services: return the value or raise ``PersonError`` with the broken rule."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from bot.domain.addresses import RULE, address
from bot.domain.errors import PersonError, RuleError
from bot.domain.money import Cents, parse_amount
from bot.domain.references import typed_reference
from bot.domain.text import bare

T = TypeVar("T")
PAYEE_RULE: Final = f"{RULE}, or a person such as @ana"
_MENTION: Final = re.compile(r"<@(?P<id>[A-Z0-9]+)>|@(?P<name>[^\s@]+)")


@dataclass(frozen=True, slots=True)
class Mention:
    """A person in the workspace: ``@name`` as typed, or the ``id`` that Slack replaced it with."""

    name: str = ""
    id: str = ""


def email(text: str) -> str:
    """Parse an ASCII address that fits on a card; a trailing comma or semicolon is ignored."""
    return ruled("email", "ana@example.com", lambda given: address(bare(given).rstrip(",;")), text)


def payee(text: str) -> str | Mention:
    """Parse an address or the mention of a person, whose address has to be looked up."""
    found = _MENTION.fullmatch(bare(text).rstrip(",;"))
    return email(text) if found is None else Mention(name=found["name"] or "", id=found["id"] or "")


def amount(text: str) -> Cents:
    return ruled("amount", "25.00", parse_amount, text)


def reference(text: str) -> str:
    """Parse one of our references or a service's id as people copy or type it."""
    return typed_reference(text)


def ruled(argument: str, example: str, read: Callable[[str], T], text: str) -> T:
    """Return the value from ``read``; turn a broken rule into an error for this argument."""
    try:
        return read(text)
    except RuleError as broken:
        meant = {"instead": broken.instead, "also": broken.also}
        raise PersonError(argument=argument, rule=broken.rule, example=example, given=text, **meant) from None
