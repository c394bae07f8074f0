"""Readers of what people type for more than one service: the value, or ``PersonError`` with the rule that is broken."""

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
    """A person of the workspace: ``@name`` as typed, or the ``id`` that Slack made of it."""

    name: str = ""
    id: str = ""


def email(text: str) -> str:
    """An address in ASCII, short enough for a card to show whole; with the comma after it, or without."""
    return ruled("email", "ana@example.com", lambda given: address(bare(given).rstrip(",;")), text)


def payee(text: str) -> str | Mention:
    """An address, or the person of the workspace whose address is meant."""
    found = _MENTION.fullmatch(bare(text).rstrip(",;"))
    return email(text) if found is None else Mention(name=found["name"] or "", id=found["id"] or "")


def amount(text: str) -> Cents:
    return ruled("amount", "25.00", parse_amount, text)


def reference(text: str) -> str:
    """A reference of ours or an id of a service, as people copy and type them."""
    return typed_reference(text)


def ruled(argument: str, example: str, read: Callable[[str], T], text: str) -> T:
    """The value that ``read`` finds; the rule it names becomes a mistake of this argument."""
    try:
        return read(text)
    except RuleError as broken:
        meant = {"instead": broken.instead, "also": broken.also}
        raise PersonError(argument=argument, rule=broken.rule, example=example, given=text, **meant) from None
