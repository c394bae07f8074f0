"""Readers of what is typed for payments, and of a form's fields: the same checks for command lines and forms."""

from collections.abc import Callable, Mapping
from typing import Any

from bot.clients.payments import OperationType
from bot.domain.addresses import RULE
from bot.domain.errors import PersonError
from bot.domain.money import OTHER_CURRENCY, OUR_CURRENCY, Cents, names_other_currency, shown
from bot.domain.policy import Policy
from bot.domain.text import clean
from bot.presentation import answers
from bot.presentation.payments.forms import DESCRIPTION_LIMIT

EMAIL_RULE = RULE
AMOUNT_RULE = "an amount in USD such as 25.00"
DESCRIPTION_RULE = f"1 to {DESCRIPTION_LIMIT} characters that say what it is for"
LISTING_RULE = "payouts or purchases"
PAGE_RULE = "a page number such as 2"
BULK_RULE = "a reference such as L-4F7K2M, or the service's id"
HASHES_RULE = "all, or row numbers of pending payments, or the first eight digits of their hashes"
OPERATION_RULE = "a reference such as P-4F7K2M, or the operation's id"

_PAGE_DIGITS = 6

Read = Callable[[str], Any]
"""Turns what was typed into a value, or raises ``PersonError``."""


def currency(word: str) -> bool:
    """Whether a word after an amount only names its currency.

    Raises:
        PersonError: it names another one. Read as description, it would hide that the currency is wrong.
    """
    if names_other_currency(word):
        raise PersonError(argument="amount", rule=OTHER_CURRENCY, example="25.00", given=word)
    return word.upper() in OUR_CURRENCY


def within_limit(cents: Cents, policy: Policy) -> Cents:
    limit = policy.approval.daily_limit
    if cents > limit:
        rule = f"it must not be above the daily limit of {shown(limit)}"
        raise PersonError(argument="amount", rule=rule, example="25.00", given=shown(cents))
    return cents


def description(text: str) -> str:
    """The purpose of a payment, without invisible characters; shown whole or refused, never cut."""
    cleaned = clean(text)
    if not 1 <= len(cleaned) <= DESCRIPTION_LIMIT:
        rule = f"it must have {DESCRIPTION_RULE}; this has {len(cleaned)}"
        raise PersonError(argument="description", rule=rule, example="March translation", given=text)
    return cleaned


def listing(text: str) -> OperationType:
    match text.strip().lower():
        case "payouts" | "payout":
            return "payout"
        case "purchases" | "purchase":
            return "purchase"
        case _:
            rule = f"it must be {LISTING_RULE}, or {PAGE_RULE}"
            raise PersonError(argument="payouts|purchases", rule=rule, example="list payouts 2", given=text)


def page(text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _PAGE_DIGITS and int(digits)):
        raise PersonError(argument="page", rule=f"it must be {PAGE_RULE}", example="list payouts 2", given=text)
    return int(digits)


def read_form(values: Mapping[str, str], readers: Mapping[str, Read]) -> tuple[dict[str, Any], dict[str, str]]:
    """Every field by its block id, and a sentence for each that breaks its rule."""
    found: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for block, read in readers.items():
        try:
            found[block] = read(values.get(block, ""))
        except PersonError as broken:
            errors[block] = answers.at_field(broken)
    return found, errors
