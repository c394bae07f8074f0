"""Money is a whole number of cents of one currency (interface document 2, section 2); no locale is guessed."""

import re
import unicodedata
from decimal import Decimal
from typing import NewType

from bot.domain.errors import RuleError

Cents = NewType("Cents", int)
CURRENCY = "USD"
_AMOUNT = re.compile(r"(?:\$ ?)?(?P<units>[0-9]{1,12})(?:\.(?P<cents>[0-9]{1,2}))?", re.ASCII)
_SEPARATED = re.compile(r"(\$ ?)?[0-9]{1,3}(,[0-9]{3})+\.[0-9]{2}", re.ASCII)  # the cents say what the comma is
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

_PLAIN_DIGITS = "it is written in digits, with a point before the cents and no currency sign"
OTHER_CURRENCY = (
    f"only {CURRENCY} can be sent: an amount in digits, with no currency sign and no other currency after it"
)
_LONGEST_SIGN = 3
_LONGEST = 24
"""Characters, and powers of ten, of an amount that a service may report."""


def parse_amount(text: str) -> Cents:
    """Read a positive amount a person typed: ``25``, ``25.5``, ``$1,500.00``; raises RuleError for anything else."""
    cleaned = text.strip()
    found = _AMOUNT.fullmatch(cleaned.replace(",", "") if _SEPARATED.fullmatch(cleaned) else cleaned)
    if found is None:
        raise RuleError(_broken_rule(cleaned))
    cents = int(found["units"]) * 100 + int((found["cents"] or "0").ljust(2, "0"))
    if cents == 0:
        raise RuleError("it must be more than zero")
    return Cents(cents)


def names_other_currency(word: str) -> bool:
    if word.upper() in OUR_CURRENCY:
        return False
    if word in _CODES or word.lower() in _SPELLED:
        return True
    return len(word) <= _LONGEST_SIGN and any(unicodedata.category(letter) == "Sc" for letter in word)


def _broken_rule(text: str) -> str:
    if text.startswith(("-", "\u2212")):
        return "it must be more than zero"
    if any(map(names_other_currency, re.split(r"[\s0-9.,]+", text))):
        return OTHER_CURRENCY
    if re.fullmatch(r"[0-9]+\.[0-9]{3,}", text, re.ASCII):
        return "it has at most two decimal places"
    if not any(letter.isalpha() for letter in text) and any(letter in text for letter in ",\u00a0 '"):
        return "it is written without thousands separators, with a point before the cents"
    if re.fullmatch(r"[0-9]{13,}(\.[0-9]{1,2})?", text, re.ASCII):
        return "it is too large"
    return _PLAIN_DIGITS


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
