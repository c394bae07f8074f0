"""Currencies as people write them: ISO 4217 codes, symbols, and English, Spanish, Portuguese, German, French words."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

CURRENCY: Final = "USD"
OUR_CURRENCY: Final = frozenset({CURRENCY, "$", "US$"})
_CODES: Final = frozenset(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD
    CDF CHF CLF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
    GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP
    LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB
    PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL
    THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XDR XOF XPF YER ZAR
    ZMW ZWG ZWL BOV COU CUC HRK MXV USN UYI XAG XAU BTC ETH USDC USDT CNH RMB
    """.split()  # noqa: SIM905 - a list would take 160 lines
)
_PLAIN_WORDS: Final = frozenset({"all", "try", "top"})
"""Codes that are also ordinary words, which count only in capitals among lower-case letters."""
_SPELLED: Final = frozenset(
    """
    eur euro euros gbp chf cad aud jpy mxn brl cop clp ars inr crc gtq hnl dop uyu pyg yen yuan renminbi pesos
    pounds sterling reais reales soles bs bolivianos bolivares quetzales lempiras colones guaranies francs franken
    francos kronor kroner rupees rupias zł zl zloty kc kr naira
    """.split()  # noqa: SIM905
)
"""Words that can only mean a currency right after an amount."""
_IN_NAMES: Final = _SPELLED | frozenset(
    """
    peso sol pound libra libras pfund franc franco boliviano bolivar quetzal lempira colon cordoba cordobas guarani
    rupee rupia krona krone koruna corona coronas kronen forint lira liras lire rand dirham dirhams riyal rial
    shekel shekels rubel ruble rubles rublo rublos roubles hryvnia nairas cedi cedis shilling shillings lei leu lev leva
    baht ringgit dong taka dinar dinars dinares tenge bsf lps bitcoin sfr livres couronnes roupies roubles
    rs mn rm rp ft tl gs cfa fcfa руб рубли рублеи грн 円 元 人民币
    """.split()  # noqa: SIM905
)
"""Words that mean a currency in an amount column's name."""
_SCALES: Final = frozenset(
    """
    hundred hundreds hundert cien cientos cem
    cent cents cts centavo centavos centimo centimos centime centimes k thousand thousands million millions mil miles
    millon millones milhao milhoes tausend tsd teur tusd kusd mio
    """.split()  # noqa: SIM905
)
"""Words for a fraction or a multiple in amounts."""
_SHORT: Final = re.compile(r"(?<=[(\[])\s*(?:[KLQR]|Fr\.?|M\.\s?N\.)\s*(?=[)\]])|\b[KTU]Sh\b", re.IGNORECASE)
"""Symbols whose letters also occur in other words."""
_UNKNOWN: Final = "a currency that it doesn't name"
_OURS_AS_NUMBER: Final = "840"
_NUMBERS: Final = frozenset(
    "032 036 068 124 152 156 170 188 214 320 340 356 392 484 600 604 752 756 826 858 978 985 986".split()  # noqa: SIM905
) | {_OURS_AS_NUMBER}
"""ISO 4217 numeric codes that are most common in files."""
_DOLLARS: Final = frozenset("usd dollar dollars dolar dolares dolars us$ u$s u$d $".split())  # noqa: SIM905
_OF_AMERICA: Final = frozenset(
    """
    us usa u s d united states of america american american's north de los da das dos del la las estados unidos eeuu ee
    uu eua americano americanos estadounidense estadounidenses norteamericano norteamericanos americain americains des
    etats unis amerikanische amerikanischer
    """.split()  # noqa: SIM905
)
_PREPOSITIONS: Final = frozenset({"in", "en", "em"})
_OTHER_LANDS: Final = re.compile(
    "canad|kanad|austral|mexic|hong|singap|zealand|neuseel|jamai|taiwan|trinid|barbad|bahama|beliz|namib|fiji|bermud"
)
"""Stems of nations with other dollars."""
_COLUMNS: Final = ("currenc", "moneda", "divisa", "devise", "monnaie", "moeda", "wahrung", "waehrung", "valuta")
_COLUMN_ENDS: Final = ("currency", "wahrung", "waehrung")
_SHORT_COLUMNS: Final = frozenset({"ccy", "cur", "curr"})
_LONGEST_SIGN: Final = 3
_WITH_DOLLAR: Final = re.compile(r"(?<![A-Za-z$])[A-Za-z]{1,3}\$[A-Za-z]?(?![A-Za-z])|(?<![A-Za-z$])\$[A-Za-z]{1,2}\b")
_SOLES: Final = re.compile(r"(?<!\w)S/\.?(?=\s*(?:$|[\d)\].,;:]))")
_WORD: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[^\W\d_]+")
"""A word of a name, including parts of camel case."""


def names_other_currency(word: str) -> bool:
    """Whether a word right after an amount names a currency other than ours."""
    if word.upper() in OUR_CURRENCY:
        return False
    if word in _CODES or _loose(word) in _SPELLED or word.casefold().rstrip(".") == "s/":
        return True
    return len(word) <= _LONGEST_SIGN and any(unicodedata.category(letter) == "Sc" for letter in word)


def other_currency_in(text: str) -> str:
    """Return the foreign currency in an amount column's name, or an empty string."""
    text = unicodedata.normalize("NFKC", text)
    return next(_others(text), "")


def other_unit_in(name: str, *, alone: bool) -> str:
    """Return the unit other than whole US dollars that an amount column's name implies, or an empty string.

    ``alone`` is set if no other column holds the currencies.
    """
    found = other_currency_in(name)
    found = found or next((word for word in _WORD.findall(name) if is_scale(word) and len(word) > 1), "")
    if not found and (sign := _SHORT.search(name)) is not None:
        found = sign[0].strip()
    is_ours = not _DOLLARS.isdisjoint(map(_loose, _WORD.findall(name)))
    return found or (_UNKNOWN if alone and not is_ours and holds_currencies(name) else "")


def currency_said_in(text: str) -> str:
    """Return a foreign currency that a title or remark names by code, symbol or word, or an empty string.

    Empty too if our currency is also named.
    """
    words = re.split(r"[\s().,:;/|-]+", text)
    if any(map(is_ours, words)):
        return ""
    return next((word for word in words if names_other_currency(word) and word.casefold() not in _PLAIN_WORDS), "")


def is_scale(word: str) -> bool:
    """Whether a word after a number changes its value: ``2 thousand``, ``25 cents``."""
    return _loose(word) in _SCALES


def _others(text: str) -> Iterator[str]:
    yield from (letter for letter in text if unicodedata.category(letter) == "Sc" and letter != "$")
    yield from (one for one in _WITH_DOLLAR.findall(text) if one.casefold() not in _DOLLARS)
    yield from (found.strip() for found in _SOLES.findall(text))
    words = _WORD.findall(text)
    for word in words:
        loose = _loose(word)
        is_plain = loose in _PLAIN_WORDS and (word != word.upper() or text == text.upper())
        if (word.upper() in _CODES and not is_plain) or loose in _IN_NAMES:
            yield word
    if _DOLLARS.intersection(map(_loose, words)):
        yield from (word for word in words if _OTHER_LANDS.match(_loose(word)))


def without_currency(name: str) -> str:
    """Strip the currency from an amount column's name: ``importe (EUR)``, ``monto_usd``, ``valor R$``."""
    text = _SOLES.sub(" ", _WITH_DOLLAR.sub(" ", unicodedata.normalize("NFKC", name)))
    words = re.findall(rf"{_WORD.pattern}|\d+", text)
    dropped = _DOLLARS | _OF_AMERICA | _PREPOSITIONS | {_loose(word) for word in _others(text)}
    return " ".join(word for word in words if _loose(word) not in dropped)


def is_ours(text: str) -> bool:
    """Whether a cell in a currency column means US dollars: ``usd``, ``US$``, ``Dólares americanos``."""
    found = re.findall(r"[^\W\d_$]*\$[^\W\d_$]*|[^\W\d_]+|[^\w\s().,:;/'-]", unicodedata.normalize("NFKC", text))
    words = [_loose(word) for word in found]
    return text.strip() == _OURS_AS_NUMBER or (
        bool(_DOLLARS.intersection(words)) and all(word in _DOLLARS | _OF_AMERICA for word in words)
    )


def is_currency(text: str) -> bool:
    """Whether a cell contains only a currency, ours or another one: ``EUR``, ``€``, ``USD``."""
    word = text.strip()
    return word in _CODES or word.upper() in OUR_CURRENCY or _loose(word) in _DOLLARS or names_other_currency(word)


def is_number_of_currency(text: str) -> bool:
    """Whether a cell in a currency column has a numeric code: ``978`` is the euro."""
    return text.strip() in _NUMBERS


def holds_currencies(name: str) -> bool:
    """Whether a column with this name holds the currencies of amounts: ``Currency code``, ``moneda``."""
    words = [_loose(word) for word in _WORD.findall(name)]
    return any(word in _SHORT_COLUMNS or word.startswith(_COLUMNS) or word.endswith(_COLUMN_ENDS) for word in words)


def _loose(word: str) -> str:
    apart = unicodedata.normalize("NFKD", word.casefold().rstrip("."))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
