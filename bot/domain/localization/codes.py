"""Codes of languages: which exist, and how one is written."""

import re

_TWO_LETTERS = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny
oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_THREE_LETTERS = """
ace ban bew bho ceb ckb doi fil gom haw hmn ilo kok kri lus mai min mni nso pap pam scn szl tet tpi tum war yue zgh
"""
KNOWN = frozenset(_TWO_LETTERS.split()) | frozenset(_THREE_LETTERS.split())
"""Every ISO 639-1 code, and those of three letters that translation services list."""

_TAG = re.compile(r"([A-Za-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}|[0-9]{3}))?", re.ASCII)


def normal_tag(text: str) -> str | None:
    """``pt-br`` -> ``pt-BR``; None when it is no code of a known language, with or without a script and a region."""
    found = _TAG.fullmatch(text.strip())
    if found is None or found[1].lower() not in KNOWN:
        return None
    script, region = (found[2] or "").title(), (found[3] or "").upper()
    return "-".join(filter(None, (found[1].lower(), script, region)))


def base_of(tag: str) -> str:
    """The language of a code: ``pt-BR`` -> ``pt``."""
    return tag.partition("-")[0].lower()


def is_same(one: str, other: str) -> bool:
    """Whether a text in the one is in the other already. Both kinds of Chinese are written differently."""
    if one.casefold() == other.casefold():
        return True
    base = base_of(one)
    bare = base in (one.casefold(), other.casefold())
    return base == base_of(other) and bare and base != "zh"
