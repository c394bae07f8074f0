"""What the small words of a text in Latin letters say about its language: every language has its own *the* and *is*.

A sign, never a proof: it refuses what is plainly not English and fills a form that somebody looks at. Nothing is sent
because of it.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from bot.domain.localization.languages import ENGLISH

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


def _read(lists: str) -> Mapping[str, frozenset[str]]:
    """Small words by the code of their language, without those that are English words too."""
    found: dict[str, frozenset[str]] = {}
    for line in lists.strip().splitlines():
        code, *words = line.split()
        found[code] = found.get(code, frozenset()) | (frozenset(words) - _ENGLISH)
    return MappingProxyType(found)


_SMALL = _read(_OTHERS)
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
    """Whether a text in Latin letters is plainly not English."""
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
