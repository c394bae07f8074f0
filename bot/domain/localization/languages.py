"""Languages that forms offer, and the scripts they are written in."""

import unicodedata
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from bot.domain.localization.declaration import OptionChoice

_SPOKEN = """
af Afrikaans|sq Albanian|am Amharic|ar Arabic|hy Armenian|as Assamese|az Azerbaijani|eu Basque|be Belarusian|bn Bengali
bs Bosnian|bg Bulgarian|my Burmese|ca Catalan|ceb Cebuano|ny Chichewa|zh Chinese|zh-TW Chinese (traditional)|co Corsican
hr Croatian|cs Czech|da Danish|nl Dutch|en English|eo Esperanto|et Estonian|fil Filipino|fi Finnish|fr French|fy Frisian
gl Galician|ka Georgian|de German|el Greek|gn Guarani|gu Gujarati|ht Haitian Creole|ha Hausa|haw Hawaiian|he Hebrew
hi Hindi|hmn Hmong|hu Hungarian|is Icelandic|ig Igbo|id Indonesian|ga Irish|it Italian|ja Japanese|jv Javanese
kn Kannada|kk Kazakh|km Khmer|rw Kinyarwanda|ko Korean|ku Kurdish|ky Kyrgyz|lo Lao|la Latin|lv Latvian|ln Lingala
lt Lithuanian|lb Luxembourgish|mk Macedonian|mai Maithili|mg Malagasy|ms Malay|ml Malayalam|mt Maltese|mi Maori
mr Marathi|mn Mongolian|ne Nepali|no Norwegian|or Odia|om Oromo|ps Pashto|fa Persian|pl Polish|pt Portuguese
pa Punjabi|qu Quechua|ro Romanian|ru Russian|sm Samoan|sa Sanskrit|gd Scottish Gaelic|sr Serbian|st Sesotho|sn Shona
sd Sindhi|si Sinhala|sk Slovak|sl Slovenian|so Somali|es Spanish|su Sundanese|sw Swahili|sv Swedish|tg Tajik|ta Tamil
tt Tatar|te Telugu|th Thai|ti Tigrinya|tr Turkish|tk Turkmen|uk Ukrainian|ur Urdu|ug Uyghur|uz Uzbek|vi Vietnamese
cy Welsh|xh Xhosa|yi Yiddish|yo Yoruba|zu Zulu
"""
_LOCALES = """
en-US English (United States)|en-GB English (United Kingdom)|en-IN English (India)|en-AU English (Australia)
en-CA English (Canada)|en-IE English (Ireland)|en-ZA English (South Africa)|ar-EG Arabic (Egypt)
ar-SA Arabic (Saudi Arabia)|bn-IN Bengali (India)|bg-BG Bulgarian|ca-ES Catalan|zh-CN Chinese (Mandarin)
zh-HK Chinese (Cantonese)|zh-TW Chinese (Taiwan)|hr-HR Croatian|cs-CZ Czech|da-DK Danish|nl-BE Dutch (Belgium)
nl-NL Dutch (Netherlands)|fi-FI Finnish|fr-CA French (Canada)|fr-FR French (France)|de-AT German (Austria)
de-DE German (Germany)|el-GR Greek|gu-IN Gujarati|he-IL Hebrew|hi-IN Hindi|hu-HU Hungarian|id-ID Indonesian
it-IT Italian|ja-JP Japanese|kn-IN Kannada|ko-KR Korean|ms-MY Malay|ml-IN Malayalam|mr-IN Marathi|nb-NO Norwegian
pl-PL Polish|pt-BR Portuguese (Brazil)|pt-PT Portuguese (Portugal)|pa-IN Punjabi|ro-RO Romanian|ru-RU Russian
sk-SK Slovak|es-ES Spanish (Spain)|es-MX Spanish (Mexico)|es-US Spanish (United States)|sv-SE Swedish|ta-IN Tamil
te-IN Telugu|th-TH Thai|tr-TR Turkish|uk-UA Ukrainian|ur-IN Urdu|vi-VN Vietnamese
"""

ENGLISH = "en"
_LOOKED_AT = 2_000
LATIN = "LATIN"
_KANA = ("HIRAGANA", "KATAKANA")
_HAN = "CJK"
_WRITTEN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ARABIC": ("ar", "ur", "fa", "ps", "sd", "ug", "ku"),
        "ARMENIAN": ("hy",),
        "BENGALI": ("bn", "as"),
        "CYRILLIC": ("ru", "uk", "bg", "be", "sr", "mk", "kk", "ky", "mn", "tg", "tt"),
        "DEVANAGARI": ("hi", "mr", "ne", "mai", "sa"),
        "ETHIOPIC": ("am", "ti"),
        "GEORGIAN": ("ka",),
        "GREEK": ("el",),
        "GUJARATI": ("gu",),
        "GURMUKHI": ("pa",),
        "HANGUL": ("ko",),
        "HEBREW": ("he", "yi"),
        "KANNADA": ("kn",),
        "KHMER": ("km",),
        "LAO": ("lo",),
        "MALAYALAM": ("ml",),
        "MYANMAR": ("my",),
        "ORIYA": ("or",),
        "SINHALA": ("si",),
        "TAMIL": ("ta",),
        "TELUGU": ("te",),
        "THAI": ("th",),
        _HAN: ("zh", "zh-TW", "ja"),
        _KANA[0]: ("ja",),
    }
)
"""Languages by script, most spoken first. Latin is missing: most languages use it."""


def listed(text: str) -> tuple[OptionChoice, ...]:
    pairs = (entry.strip().partition(" ") for line in text.split("\n") for entry in line.split("|") if entry.strip())
    return tuple(OptionChoice(code, label) for code, _, label in pairs)


LANGUAGES = listed(_SPOKEN)
LOCALES = listed(_LOCALES)


def script_of(text: str) -> str:
    """Return the main Unicode script of a text, or an empty string; Chinese mixed with kana counts as kana."""
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text[:_LOOKED_AT] if letter.isalpha())
    kana = sum(names.pop(one, 0) for one in _KANA)
    if kana:
        names[_KANA[0]] = kana + names.pop(_HAN, 0)
    return max(names, key=lambda name: (names[name], name)) if names else ""


def written_in(text: str) -> tuple[str, ...]:
    """Return the languages that use the script of a text, most spoken first; none for Latin letters."""
    return _WRITTEN.get(script_of(text), ())


def label_of(code: str) -> str:
    return next((one.label for one in LANGUAGES if one.value == code), code)
