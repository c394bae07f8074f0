"""Money is a whole number of cents of one currency (interface document 2, section 2); no locale is guessed."""

import re
import unicodedata
from decimal import Decimal
from typing import NewType

from bot.domain.errors import RuleError

Cents = NewType("Cents", int)
CURRENCY = "USD"
_NUMBER = re.compile(
    r"(?P<units>[0-9]{1,12}|[1-9][0-9]{0,2}(?:(?P<group>[,'\u2019 \u00a0\u202f])[0-9]{3})(?:(?P=group)[0-9]{3}){0,2})"
    r"(?:\.(?P<cents>[0-9]{1,2}))?[.,]?",
    re.ASCII,
)
_ONE_GROUP = re.compile(r"([1-9][0-9]{0,2}),([0-9]{3})[.,]?", re.ASCII)
"""Thousands or, where a comma stands before decimals, three of these."""
_WITH_COMMA = re.compile(r"(?P<units>[0-9]{1,12}|[0-9]{1,3}(?:\.[0-9]{3}){1,3}),(?P<cents>[0-9]{1,2})[.,]?", re.ASCII)
_AROUND = re.compile(r"(?:US\$|USD|\$)?\s?(?P<number>.*?)\s?(?:US\$|USD|\$)?", re.IGNORECASE | re.DOTALL)
_REPORTED = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
OUR_CURRENCY = frozenset({CURRENCY, "$", "US$"})
_CODES = frozenset(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
    CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP
    LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB
    PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
    THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG BTC
    ETH USDC USDT
    """.split()  # noqa: SIM905 - a list of a hundred and sixty lines says less
)
_SPELLED = frozenset("eur euro euros gbp chf cad aud jpy mxn brl cop clp ars inr yen pesos pounds".split())  # noqa: SIM905

OTHER_CURRENCY = f"amounts are in {CURRENCY} only"
_NOT_ZERO = "it must be more than 0"
_LONGEST_SIGN = 3
_LONGEST = 24
"""Characters, and powers of ten, of an amount that a service may report."""


def parse_amount(text: str) -> Cents:
    """Read a positive amount that a person typed: ``25``, ``25.5``, ``$25.00``, ``25 usd``, ``1,500.00``, ``25,``.

    Raises RuleError for anything else; where it is clear what was meant, as of ``25,00``, that is its ``instead``.
    """
    around = _AROUND.fullmatch(text.strip())
    number = around["number"] if around is not None else ""
    found = _NUMBER.fullmatch(number)
    if found is None or _ONE_GROUP.fullmatch(number):
        raise _meant(number) or RuleError(_broken_rule(text.strip(), number))
    cents = int(re.sub(r"[^0-9]", "", found["units"])) * 100 + int((found["cents"] or "0").ljust(2, "0"))
    if cents == 0:
        raise RuleError(_NOT_ZERO)
    return Cents(cents)


def names_other_currency(word: str) -> bool:
    if word.upper() in OUR_CURRENCY:
        return False
    if word in _CODES or word.lower() in _SPELLED:
        return True
    return len(word) <= _LONGEST_SIGN and any(unicodedata.category(letter) == "Sc" for letter in word)


def _meant(number: str) -> RuleError | None:
    """Whole thousands behind a comma, and cents behind a comma, with what they stand for."""
    meant, rule = 0, "use a point for cents: {plain}"
    if (thousands := _ONE_GROUP.fullmatch(number)) is not None:
        meant, rule = int(f"{thousands[1]}{thousands[2]}") * 100, "write {plain} for {shown}"
    elif (comma := _WITH_COMMA.fullmatch(number)) is not None:
        meant = int(comma["units"].replace(".", "")) * 100 + int(comma["cents"].ljust(2, "0"))
    return RuleError(rule.format(plain=plain(meant), shown=shown(meant)), instead=plain(meant)) if meant else None


def _broken_rule(text: str, number: str) -> str:
    if number.startswith(("-", "\u2212")) or text.startswith(("-", "\u2212")) or _WITH_COMMA.fullmatch(number):
        return _NOT_ZERO
    if any(map(names_other_currency, re.split(r"[\s0-9.,]+", text))):
        return OTHER_CURRENCY
    if re.fullmatch(r"[0-9]+\.[0-9]{3,}", number, re.ASCII):
        return "it can have at most 2 decimal places"
    return "it is too large" if re.fullmatch(r"[0-9]{13,}(\.[0-9]{1,2})?", number, re.ASCII) else "it isn't an amount"


def cents_of(value: object) -> Cents | None:
    """Cents of an amount a service reported as number or text; None when it is no exact amount."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    text = str(value).strip()
    if isinstance(value, str) and _REPORTED.fullmatch(text) is None:
        return None  # Decimal reads "1_000" and the digits of every script, too
    if len(text) > _LONGEST:
        return None  # more digits than Decimal keeps, or an exponent that makes a number of gigabytes
    try:
        amount = Decimal(text)
    except ArithmeticError:
        return None
    if (
        not amount.is_finite()
        or abs(amount.adjusted()) > _LONGEST
        or amount * 100 != (amount * 100).to_integral_value()
    ):
        return None
    return Cents(int(amount * 100))


def plain(cents: int) -> str:
    """``2500`` -> ``25.00``: what goes over the wire and into files."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def shown(cents: int) -> str:
    """``150000`` -> ``$1,500.00``: what people read."""
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"
