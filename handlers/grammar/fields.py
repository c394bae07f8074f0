"""Readers of what is typed for payments and behind verbs of ``/localize``, and of a form's fields.

The items of a purchase are written ``web=2x10.00`` on a line, and ``Web design = 2 x 10.00`` in a form.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.clients.payments import OperationType
from bot.domain import money
from bot.domain.addresses import RULE
from bot.domain.errors import PersonError, RuleError
from bot.domain.localization import Capability, Request
from bot.domain.localization.declaration import Accepts
from bot.domain.money import Cents
from bot.domain.payments.instruction import Item
from bot.domain.policy import Policy
from bot.domain.text import clean
from bot.presentation import answers
from bot.presentation.payments.forms import DESCRIPTION_LIMIT
from bot.presentation.payments.purchases import MOST_ITEMS, NAME_LIMIT
from handlers.grammar.verbs import too_many, unescape, with_example, without_links
from handlers.replies import MistakesError

EMAIL_RULE = RULE
AMOUNT_RULE = "an amount in USD such as 25.00"
DESCRIPTION_RULE = f"1 to {DESCRIPTION_LIMIT} characters that say what it is for"
LISTING_RULE = "payouts or purchases"
PAGE_RULE = "a page number such as 2"
BULK_RULE = "a reference such as L-4F7K2M, or the service's id"
HASHES_RULE = "all, or row numbers of pending payments, or the first eight digits of their hashes"
OPERATION_RULE = "a reference such as P-4F7K2M, or the operation's id"

ITEM_RULE = "one or more items such as web=2x10.00"
EXAMPLE = "Web design = 2 x 10.00"

_ITEM_MUST = "it must be written as name = quantity x unit price"
_WRITTEN = re.compile(r"(?P<name>.*)=(?P<quantity>[^=xX×]*)[xX×](?P<unit>[^=]*)", re.DOTALL)
_QUANTITY = re.compile(r"[0-9]{1,4}", re.ASCII)
_MOST_CENTS = 99_999_999_999_999
"""The largest sum: as many digits as a typed amount may have."""
_PAGE_DIGITS = 6

Read = Callable[[str], Any]
"""Turns what was typed into a value, or raises ``PersonError``."""


def currency(word: str) -> bool:
    """Whether a word after an amount only names its currency; as a description, another one would be overlooked."""
    if money.names_other_currency(word):
        raise PersonError(argument="amount", rule=money.OTHER_CURRENCY, example="25.00", given=word)
    return word.upper() in money.OUR_CURRENCY


def within_limit(cents: Cents, policy: Policy) -> Cents:
    limit = policy.approval.daily_limit
    if cents > limit:
        rule = f"it must not be above the daily limit of {money.shown(limit)}"
        raise PersonError(argument="amount", rule=rule, example="25.00", given=money.shown(cents))
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


def word(text: str) -> Item:
    """One item of a command line, where a space ends it."""
    if "=" not in text:
        raise _broken(f"{_ITEM_MUST}, and a name or description of several words goes into quotation marks", text)
    return item(text)


def item(text: str) -> Item:
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise _broken(_ITEM_MUST, text)
    name, quantity = clean(found["name"]), found["quantity"].strip()
    if not 1 <= len(name) <= NAME_LIMIT:
        raise _broken(f"its name must have 1 to {NAME_LIMIT} characters; this has {len(name)}", text)
    if _QUANTITY.fullmatch(quantity) is None or int(quantity) == 0:
        raise _broken("its quantity must be a whole number from 1 to 9999", text)
    try:
        unit_cents = money.parse_amount(found["unit"])
    except RuleError as broken:
        raise _broken(f"its unit price: {broken.rule}", text) from None
    return Item(name=name, quantity=int(quantity), unit_cents=unit_cents)


def item_lines(text: str) -> tuple[list[Item], list[PersonError]]:
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


def items_together(items: Sequence[Item]) -> tuple[Item, ...]:
    """All items of one purchase, unless they are too many or cost too much."""
    if len(items) > MOST_ITEMS:
        raise _broken(f"there may be at most {MOST_ITEMS} items; these are {len(items)}", "")
    if sum(one.cents for one in items) > _MOST_CENTS:
        raise _broken("all items together cost too much", "")
    return tuple(items)


def _broken(rule: str, given: str) -> PersonError:
    return PersonError(argument="item", rule=rule, example=EXAMPLE, given=given)


_LINK = re.compile(r"<(https?://[^|>\s]+)(?:\|[^>]*)?>")
_SETTING = re.compile(r"([A-Za-z][A-Za-z_-]{1,19})=(\S*)")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_MARKS = frozenset('"“”„')


def line_rule(*, url: bool, text: bool) -> str:
    return "an address or a text" if url and text else "an address that begins with https://" if url else "a text"


@dataclass(slots=True)
class _Taken:
    options: dict[str, str] = field(default_factory=dict)
    errors: list[PersonError] = field(default_factory=list)


def read_line(capabilities: Sequence[Capability], text: str, *, example: str) -> Request:
    """The line after a verb, as a request: settings such as ``rate=16000`` first or last, the rest is the input.

    Of a text, only settings before it are read: after its first word it stays unchanged. A text that begins like a
    setting must be quoted: a mistyped name of a setting is no text. ``MistakesError`` has every part that is wrong.
    """
    said = _LINK.sub(lambda found: found[1], text).strip()
    with_media = [one for one in capabilities if one.media is not None]
    with_text = [one for one in capabilities if one.media is None]
    line = _Taken()
    if with_media and (not with_text or _ADDRESS.fullmatch(said)):
        declared = with_media[0]
        left = [word for word in unescape(said).split() if not _take(declared, line, word, bare=True)]
        if not left:
            line.errors.append(PersonError(argument="url", rule="it is missing; give the address", example=example))
        if len(left) > 1:
            line.errors.append(too_many(left[1:], example))
    else:
        declared = with_text[0]
        text = unescape(without_links(said))
        while _take(declared, line, text.partition(" ")[0], bare=False):
            text = text.partition(" ")[2].strip()
        left = [text]
    if line.errors:
        raise MistakesError([with_example(error, example) for error in line.errors])
    if declared.media is not None:
        return Request(operation=declared.operation, url=left[0], options=line.options)
    text = left[0]
    inner = text[1:-1]  # without quotation marks around the whole text; devices turn them into curly ones
    if len(text) > 1 and {text[0], text[-1]} <= _MARKS and not _MARKS.intersection(inner):
        text = inner
    return Request(operation=declared.operation, text=text, options=line.options)


def _take(declared: Capability, line: _Taken, word: str, *, bare: bool) -> bool:
    """Whether the word is a setting; if so, it is added to the options, or to the mistakes.

    ``bare``: a value without its name counts too, where only one list contains it.
    """
    setting = _SETTING.fullmatch(word)
    name = setting[1].lower().replace("-", "_") if setting is not None else ""
    option = declared.option(name)
    if setting is not None and option is not None:
        value = setting[2]
        if option.name in line.options:
            line.errors.append(PersonError(argument=option.word, rule="it is given twice", example="", given=value))
            return True
        try:
            line.options[option.name] = option.read(value)
        except PersonError as broken:
            line.errors.append(broken)
        return True
    if setting is not None:
        known = ", ".join(f"{one.word}=" for one in declared.options) or "none"
        quoted = "" if bare else "; a text that begins like this stands in quotation marks"
        rule = f"there is no such option; there is: {known}{quoted}"
        line.errors.append(PersonError(argument=setting[1], rule=rule, example="", given=word))
        return True
    for one in declared.options if bare else ():
        values = [choice.value for choice in one.choices] if one.accepts is Accepts.CHOICE else []
        if word.lower().removeprefix(".") in values and one.name not in line.options:
            line.options[one.name] = word.lower().removeprefix(".")
            return True
    return False


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
