"""The items of a purchase as people write them: ``web=2x10.00`` on a line, ``Web design = 2 x 10.00`` in a form."""

import re
from collections.abc import Sequence

from bot.domain.errors import PersonError, RuleError
from bot.domain.money import parse_amount
from bot.domain.payments.instruction import Item
from bot.domain.text import clean
from bot.presentation.payments.purchases import MOST_ITEMS, NAME_LIMIT

ITEM_RULE = "one or more items such as web=2x10.00"
EXAMPLE = "Web design = 2 x 10.00"

_RULE = "it must be written as name = quantity x unit price"
_WRITTEN = re.compile(r"(?P<name>.*)=(?P<quantity>[^=xX×]*)[xX×](?P<unit>[^=]*)", re.DOTALL)
_QUANTITY = re.compile(r"[0-9]{1,4}", re.ASCII)
_MOST_CENTS = 99_999_999_999_999
"""The largest sum: as many digits as a typed amount may have."""


def word(text: str) -> Item:
    """One item of a command line, where a space ends it.

    Raises:
        PersonError: see :func:`item`.
    """
    if "=" not in text:
        raise _broken(f"{_RULE}, and a name or description of several words goes into quotation marks", text)
    return item(text)


def item(text: str) -> Item:
    """One item.

    Raises:
        PersonError: it is not written as name, quantity and unit price, or one of them breaks its rule.
    """
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise _broken(_RULE, text)
    name, quantity = clean(found["name"]), found["quantity"].strip()
    if not 1 <= len(name) <= NAME_LIMIT:
        raise _broken(f"its name must have 1 to {NAME_LIMIT} characters; this has {len(name)}", text)
    if _QUANTITY.fullmatch(quantity) is None or int(quantity) == 0:
        raise _broken("its quantity must be a whole number from 1 to 9999", text)
    try:
        unit_cents = parse_amount(found["unit"])
    except RuleError as broken:
        raise _broken(f"its unit price: {broken.rule}", text) from None
    return Item(name=name, quantity=int(quantity), unit_cents=unit_cents)


def lines(text: str) -> tuple[list[Item], list[PersonError]]:
    """One item per line, without empty lines; every line that breaks a rule is reported by its number."""
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
        errors.append(_broken("it is missing; write one item a line", ""))
    return items, errors


def together(items: Sequence[Item]) -> tuple[Item, ...]:
    """All items of one purchase.

    Raises:
        PersonError: there are too many, or they cost too much together.
    """
    if len(items) > MOST_ITEMS:
        raise _broken(f"there may be at most {MOST_ITEMS} items; these are {len(items)}", "")
    if sum(one.cents for one in items) > _MOST_CENTS:
        raise _broken("all items together cost too much", "")
    return tuple(items)


def _broken(rule: str, given: str) -> PersonError:
    return PersonError(argument="item", rule=rule, example=EXAMPLE, given=given)
