"""The number format of a file's amounts: the question to a person, and why a whole file can't be read."""

from collections.abc import Sequence
from typing import Final

from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY, Decimals, readings
from bot.domain.payments.bulk_file import Unread
from bot.domain.text import clean
from bot.presentation.blocks.text import message, quote
from bot.presentation.files.columns import amount_reading, option, select

DECIMALS: Final = "decimals"  # the field for the decimal sign
_SIGNS: Final = {Decimals.POINT: "Point before the cents", Decimals.COMMA: "Comma before the cents"}
_ASK: Final = ":question: *How are the amounts written?* Choose below; you see the total before you request anything."
_NAMED: Final = 5
_WRITTEN: Final = 24
_NAME: Final = 60


def unread(why: Unread) -> Content:
    """Explain why a file's amounts can't be read: another currency, two styles, or a style that must be chosen."""
    if why.currency and not why.column:
        told = f"*All amounts are in {quote(why.currency, _NAME)}.* I pay in {CURRENCY} only. Write them in {CURRENCY}"
        return message(f":pencil2: {told}, for example 25.00.")
    if why.currency:
        column, currency = quote(why.column, _NAME), quote(why.currency, _NAME)
        told = f"*The column “{column}” is in {currency}.* I pay in {CURRENCY} only. Use a column in {CURRENCY}"
        return message(f":pencil2: {told}, for example amount ({CURRENCY}).")
    if not why.points:
        return message(_ASK)
    ways = " and ".join(_rows(one) for one in (why.commas, why.points))
    told = f"*Amounts are written in two ways:* {ways}. Write all of them in one way, for example 1655.60"
    return message(f":pencil2: {told}, and send them again.")


def _rows(written: Sequence[tuple[int, str]]) -> str:
    named = [f"row {row} has {quote(clean(text), _WRITTEN)}" for row, text in written[:_NAMED]]
    more = len(written) - len(named)
    return ", ".join([*named, f"{more:,} more like it"] if more else named)


def decimals_select(asks: Sequence[str], chosen: str, *, of: str) -> Block:
    """Build the question with both readings; ``chosen`` is the selected style, or empty."""
    styles, options = sorted(_SIGNS, key=lambda style: style not in readings(asks[0])), []
    for style in styles:
        first, *more = (amount_reading(one, style) for one in asks)
        options.append(option(style.value, first, " · ".join([_SIGNS[style], *more])))
    initial = styles.index(Decimals(chosen)) if chosen in set(styles) else None
    return select(DECIMALS, "Amounts", options, initial=initial, of=of)
