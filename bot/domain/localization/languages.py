"""Languages that forms offer, and the language that a text is probably in: a guess that sends nothing."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from bot.domain.localization.declaration import OptionChoice

_OWN = """
a about after again all am an and any are as at be because been but by can could did do does for from had has have he
her here him his how i if in into is it its just may me more my no not of on one only or other our out over she should
so some than that the their them then there these they this those to too up us very was we were what when where which
who why will with would yes you your
"""
_ENGLISH = frozenset(_OWN.split())
_OTHERS = """
fr le la les des une est et dans que qui sur avec pas nous vous je il elle sont où ce cette mais du au aux ne se très
fr être bonjour merci c'est
es el la los las una es y en que de por para se su está están como pero más muy dónde hola gracias qué al del fue
pt o os uma é e em que de para com não se seu está mas mais muito onde você obrigado da dos das ao à foi
it il lo la gli le una è e di che non si sono più molto dove della nel alla grazie ciao questo sono
de der das und ist nicht ein eine einen dem des zu auf für von wir ich sie es wie wird wurde sind auch aber wo geht
de ihnen guten danke bitte
nl de het een en van niet dat op te zijn met voor aan er maar ook wij ik je naar waar goed dank wordt
sv och att det som är på en av för inte till har jag ett om var tack med
da og det som er på en af ikke til har jeg et om hvor tak med
no og det som er på en av ikke til har jeg et om hvor takk med
fi ja ei se että oli mutta kun niin myös ovat hän minä sinä missä kiitos
pl w na z się jest nie że jak ale za od po czy gdzie dziękuję są
cs je se na že v s z jak ale není jsou kde děkuji byl
ro și în este nu un o la de cu pe că din sunt mai dar unde mulțumesc
hu az és nem hogy egy van ez meg csak vagy hol köszönöm
tr ve bir bu da de için ile çok ne var değil nasıl nerede teşekkürler
id yang dan di ke dari ini itu untuk dengan tidak adalah akan ada saya kami terima kasih
vi là và của có không được cho một những này người trong đã với
fil ang ng mga sa ay ako ito hindi
sw na ya wa kwa ni katika hii cha
"""
_SMALL: dict[str, frozenset[str]] = {}
"""Small words by the code of their language, without those that are English words too."""
for _line in _OTHERS.strip().splitlines():
    _code, *_words = _line.split()
    _SMALL[_code] = _SMALL.get(_code, frozenset()) | (frozenset(_words) - _ENGLISH)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOOKED_AT = 2_000
_ENOUGH = 2
"""Small words, or words with letters that English lacks: one alone is a name or a borrowed word."""
_SHARE = 3
"""One word in so many, at least, has a letter that English lacks."""


def looks_like(text: str) -> str:
    """The code of the language whose small words a text holds most of; empty when none stands out."""
    words = _words_of(text)
    counts = {code: _count(words, small) for code, small in _SMALL.items()} | {ENGLISH: _count(words, _ENGLISH)}
    most = max(counts.values())
    best = [code for code, count in counts.items() if count == most]
    return best[0] if most >= _ENOUGH and len(best) == 1 else ""


def is_foreign(text: str) -> bool:
    words = _words_of(text)
    english = _count(words, _ENGLISH)
    other = max(_count(words, small) for small in _SMALL.values())
    accented = sum(1 for word in words if not word.replace("’", "'").isascii())
    return other >= max(_ENOUGH, english + 1) or (
        english == 0 and accented >= _ENOUGH and accented * _SHARE >= len(words)
    )


def _words_of(text: str) -> list[str]:
    return _WORD.findall(text[:_LOOKED_AT].casefold())


def _count(words: list[str], small: frozenset[str]) -> int:
    return sum(1 for word in words if word in small)


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
"""Scripts -> the languages written in them, most spoken first. Latin letters say nothing: most languages use them."""


def listed(text: str) -> tuple[OptionChoice, ...]:
    pairs = (entry.strip().partition(" ") for line in text.split("\n") for entry in line.split("|") if entry.strip())
    return tuple(OptionChoice(code, label) for code, _, label in pairs)


LANGUAGES = listed(_SPOKEN)
LOCALES = listed(_LOCALES)


def script_of(text: str) -> str:
    """The Unicode script of most letters of a text, empty without letters; Chinese beside kana counts as kana."""
    names = Counter(unicodedata.name(letter, "").partition(" ")[0] for letter in text[:_LOOKED_AT] if letter.isalpha())
    kana = sum(names.pop(one, 0) for one in _KANA)
    if kana:
        names[_KANA[0]] = kana + names.pop(_HAN, 0)
    return max(names, key=lambda name: (names[name], name)) if names else ""


def written_in(text: str) -> tuple[str, ...]:
    """Codes of the languages that use the script of a text, most spoken first; none for Latin letters."""
    return _WRITTEN.get(script_of(text), ())


def label_of(code: str) -> str:
    return next((one.label for one in LANGUAGES if one.value == code), code)
