"""Parse the fields of payments: return the value or raise ``PersonError`` with the broken rule.

An item of a purchase is written ``web=2x10.00`` in a command and ``Web design = 2 x 10.00`` in a form.
"""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

from bot.domain import currencies, money
from bot.domain.errors import PersonError, RuleError
from bot.domain.money import Cents
from bot.domain.payments.instruction import Item
from bot.domain.policy import Policy
from bot.domain.references import OURS
from bot.domain.text import clean

REASON_LIMIT = 500
DESCRIPTION_LIMIT = 500  # of a description: enough for a purpose, short enough to be read whole on a phone
NAME_LIMIT = 60  # of an item's name: what a cell on a phone can show
AMOUNT_RULE = "an amount such as 25.00"
DESCRIPTION_RULE = "a description: what is this for?"
CODE_LIMIT = 64  # of a code: the service's document sets no limit
CODE_RULE = "a code of your own, used once, such as INV-2026-17"
LISTING_RULE = "payouts or purchases"
PAGE_RULE = "a page number such as 2"
MOST_PER_PAGE = 50  # operations per page: what fits in a table and a message
PER_PAGE_RULE = f"a number from 1 to {MOST_PER_PAGE}"
BULK_RULE = "a reference such as L-4F7K2M"
HASHES_RULE = "the payments: all, or row numbers such as 3 5"
OPERATION_RULE = "a reference such as P-4F7K2M, or a code"

ITEM_RULE = "one or more items such as web=2x10.00"
EXAMPLE = "Web design = 2 x 10.00"
_MOST_ITEMS = 20
_ITEM_MUST = "it isn't an item: write name=quantity x unit price"
_WRITTEN = re.compile(r"(?P<name>.*)=(?P<quantity>[^=xX×]*)[xX×](?P<unit>[^=]*)", re.DOTALL)
_QUANTITY = re.compile(r"[0-9]{1,4}", re.ASCII)
_MOST_CENTS = 99_999_999_999_999
"""The largest sum, with as many digits as a typed amount may have."""
_PAGE_DIGITS = 6
_WHOLE = re.compile(r"(?:US\$|USD|\$)?[0-9]{1,12}[.,]?", re.ASCII | re.IGNORECASE)
"""An amount without cents."""
_CENTS_APART = re.compile(r"^(.*[0-9])[.,]? [.,]?([0-9]{2})$", re.ASCII)
_NUMBER_BEHIND = re.compile(r"([.,]?[0-9][0-9.,]*)(.*)", re.ASCII | re.DOTALL)
_SIGNS = frozenset("xX×*+/-–")
_BETWEEN = _SIGNS | {":", "in", "en", "em"}
"""May come between an amount and what changes it: ``2 x 25``, ``25 in EUR``."""
_FIGURES = "write all of it in figures, for example 2000.00"


def currency(word: str) -> bool:
    """Whether a word after an amount is our currency. Raises for another one, which a description would hide."""
    if currencies.names_other_currency(word.strip("()[]")):
        raise _of_amount(money.OTHER_CURRENCY, word)
    if currencies.is_scale(word):
        raise _of_amount(_FIGURES, word)
    return word.upper() in currencies.OUR_CURRENCY


def continued_amount(word: str, behind: Sequence[str]) -> tuple[PersonError, int] | None:
    """Return the error for whole dollars followed by a number: ``1 500 rent`` is $1,500.00, or $1.00 for “500 rent”.

    The second value is how many of the following words the error quotes. None if the amount is unambiguous.
    """
    if len(behind) > 1 and behind[0].casefold() in _BETWEEN:
        given = " ".join([word, *behind[:2]])
        if currencies.names_other_currency(behind[1].strip("()[]")):
            return _of_amount(money.OTHER_CURRENCY, given), 2
        if behind[0] in _SIGNS and _WHOLE.fullmatch(word) and behind[1][:1].isdecimal():
            return _of_amount(_FIGURES, given), 2
    number = _NUMBER_BEHIND.fullmatch(behind[0]) if behind and _WHOLE.fullmatch(word) else None
    if number is None:
        return None
    if (unit := number[2].upper()) and unit not in currencies.OUR_CURRENCY:
        is_currency = currencies.names_other_currency(number[2])
        return (_of_amount(money.OTHER_CURRENCY, f"{word} {behind[0]}"), 0) if is_currency else None
    cents = money.parse_amount(word)
    apart = f"{money.plain(cents)} {behind[0]}"
    rule = f"{apart} for {money.shown(cents)} with the purpose “{' '.join(behind)}”"
    for more in range(len(list(takewhile(_NUMBER_BEHIND.fullmatch, behind))), 0, -1):
        together = " ".join([word, *behind[:more]])
        if whole := _read_together(together):
            rule = f"write {whole} for {money.shown(money.parse_amount(whole))}, or {rule}"
            also = " ".join([apart, *behind[1:more]])
            return _of_amount(rule, together, instead=whole, also=also), more
    return _of_amount(f"write {rule}", f"{word} {behind[0]}", instead=apart), 1


def _read_together(text: str) -> str:
    """Join words into one amount (a space between thousands or before cents) as ``1500.00``, else return ""."""
    try:
        return money.plain(money.parse_amount(_CENTS_APART.sub(r"\1.\2", text)))
    except RuleError as broken:
        return "" if broken.also else broken.instead


def within_limit(cents: Cents, policy: Policy) -> Cents:
    limit = policy.approval.daily_limit
    if cents > limit:
        rule = f"it is over everyone's daily limit of {money.shown(limit)}, which an admin can raise"
        raise _of_amount(rule, money.shown(cents))
    return cents


def description(text: str) -> str:
    """Return the purpose of a payment without invisible characters. Raises if it is too long: it is never cut."""
    cleaned = clean(text)
    if not 1 <= len(cleaned) <= DESCRIPTION_LIMIT:
        rule = f"a description can have at most {DESCRIPTION_LIMIT} characters; this has {len(cleaned)}"
        rule = rule if cleaned else f"add {DESCRIPTION_RULE}"
        raise PersonError(argument="description", rule=rule, example="March translation", given=text)
    return cleaned


def code(text: str) -> str:
    """Return a code that a person chose. Raises if it looks like one of our references or codes."""
    cleaned = clean(text)
    rule = ""
    if not 1 <= len(cleaned) <= CODE_LIMIT:
        rule = f"a code has 1 to {CODE_LIMIT} characters; this has {len(cleaned)}"
    elif OURS.fullmatch(cleaned):
        rule = "a code can't look like a reference of Switchboard"
    if rule:
        raise PersonError(argument="code", rule=rule, example="code=INV-2026-17", given=text)
    return cleaned


def reason(text: str) -> str:
    cleaned = clean(text)
    if len(cleaned) > REASON_LIMIT:
        raise PersonError(argument="reason", rule=f"a reason can have at most {REASON_LIMIT} characters", example="")
    return cleaned


def listing(text: str) -> Literal["payout", "purchase"]:
    match text.strip().lower():
        case "payouts" | "payout":
            return "payout"
        case "purchases" | "purchase":
            return "purchase"
        case _:
            rule = f"use {LISTING_RULE}, or {PAGE_RULE}"
            raise PersonError(argument="payouts|purchases", rule=rule, example="list payouts 2", given=text)


def page(text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _PAGE_DIGITS and int(digits)):
        raise PersonError(argument="page", rule="it isn't a page number", example="list payouts 2", given=text)
    return int(digits)


def per_page(text: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _PAGE_DIGITS and 0 < int(digits) <= MOST_PER_PAGE):
        raise PersonError(argument="per", rule=f"per= takes {PER_PAGE_RULE}", example="list payouts per=25", given=text)
    return int(digits)


def word(text: str) -> Item:
    """Parse one item of a command line, where a space ends it."""
    if "=" not in text:
        raise _broken(f"{_ITEM_MUST}; put several words in quotation marks", text)
    return item(text)


def item(text: str) -> Item:
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise _broken(_ITEM_MUST, text)
    name, quantity = clean(found["name"]), found["quantity"].strip()
    if not 1 <= len(name) <= NAME_LIMIT:
        raise _broken(f"an item's name has 1 to {NAME_LIMIT} characters; this has {len(name)}", text)
    if _QUANTITY.fullmatch(quantity) is None or int(quantity) == 0:
        raise _broken("a quantity is a whole number from 1 to 9999", text)
    try:
        unit_cents = money.parse_amount(found["unit"])
    except RuleError as broken:
        said = broken.rule.removeprefix("it ")
        rule = f"unit price: {said}" if said == broken.rule else f"the unit price {said}"
        before = found[0][: found.start("unit")]
        instead, also = (f"{before}{meant}" if meant else "" for meant in (broken.instead, broken.also))
        raise _broken(rule, text, instead=instead, also=also) from None
    return Item(name=name, quantity=int(quantity), unit_cents=unit_cents)


def item_lines(text: str) -> tuple[list[Item], list[PersonError]]:
    """Parse one item per non-empty line; errors name the line by its number."""
    items: list[Item] = []
    errors: list[PersonError] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            items.append(item(line))
        except PersonError as broken:
            errors.append(_broken(f"line {number}: {broken.rule}", line))
    if not items and not errors:
        errors.append(_broken("write one item a line", ""))
    if not errors:
        try:
            items_together(items)
        except PersonError as broken:
            errors.append(broken)
    return items, errors


def items_together(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return all items of one purchase. Raises if there are too many or they cost too much."""
    if len(items) > _MOST_ITEMS:
        raise _broken(f"a purchase can have at most {_MOST_ITEMS} items; this has {len(items)}", "")
    if sum(one.cents for one in items) > _MOST_CENTS:
        raise _broken("all items together cost too much", "")
    return tuple(items)


def _of_amount(rule: str, given: str, *, instead: str = "", also: str = "") -> PersonError:
    return PersonError(argument="amount", rule=rule, example="25.00", given=given, instead=instead, also=also)


def _broken(rule: str, given: str, *, instead: str = "", also: str = "") -> PersonError:
    return PersonError(argument="item", rule=rule, example=EXAMPLE, given=given, instead=instead, also=also)
