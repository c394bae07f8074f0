"""The languages that forms offer, held against lists that were made elsewhere; what letters say of one."""

import re

import pytest

from bot.domain.localization.declaration import OptionChoice, is_same, normal_tag
from bot.domain.localization.languages import LANGUAGES, LOCALES

MOST_SPOKEN = """
en zh hi es fr ar bn pt ru ur id de ja mr te tr ta vi fil ko fa ha sw jv it pa gu th kn am my pl uk uz su ro nl yo ig
el hu cs sv he az ms ml or mai so om sd ne ps kk km si zu xh af ca da fi no sk bg hr sr lt lv et sl is ga cy sq mk
"""
"""ISO 639 codes of languages with many speakers or a country of their own."""

COUNTRIES = """
en-US en-GB en-IN en-AU en-CA es-ES es-MX es-US fr-FR fr-CA pt-BR pt-PT de-DE de-AT it-IT nl-NL nl-BE pl-PL ru-RU uk-UA
tr-TR ar-EG ar-SA he-IL hi-IN bn-IN ta-IN te-IN mr-IN gu-IN kn-IN ml-IN pa-IN ur-IN zh-CN zh-TW zh-HK ja-JP ko-KR vi-VN
th-TH id-ID ms-MY el-GR cs-CZ sk-SK hu-HU ro-RO bg-BG hr-HR da-DK sv-SE nb-NO fi-FI
"""


def test_large_languages_and_voices_are_offered() -> None:
    assert len(LANGUAGES) > 100
    assert set(MOST_SPOKEN.split()) - {one.value for one in LANGUAGES} == set()
    assert set(COUNTRIES.split()) - {one.value for one in LOCALES} == set()


@pytest.mark.parametrize("choices", [LANGUAGES, LOCALES], ids=["languages", "locales"])
def test_language_codes_are_valid_and_unique(choices: tuple[OptionChoice, ...]) -> None:
    codes = [one.value for one in choices]
    labels = [one.label for one in choices]
    assert all(re.fullmatch(r"[a-z]{2,3}(-[A-Z]{2})?", code) for code in codes)
    assert all(label[:1].isupper() for label in labels)
    assert len(set(codes)) == len(codes)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("given", "tag"),
    [
        *(("fr", "fr"), ("FR", "fr"), ("pt-br", "pt-BR"), ("SR-latn", "sr-Latn"), ("es-419", "es-419"), ("nb", "nb")),
        *(("xx", None), ("tlh", None), ("klingon!", None), ("en_US", None), ("", None), ("fr-", None), ("xx-US", None)),
    ],
)
def test_known_language_codes_are_accepted(given: str, tag: str | None) -> None:
    assert normal_tag(given) == tag


@pytest.mark.parametrize(("one", "other", "same"), [
    *(("en", "en", True), ("en", "en-GB", True), ("EN", "en", True), ("en", "fr", False)),
    *(("pt-PT", "pt-BR", False), ("zh", "zh-TW", False), ("zh-TW", "zh-TW", True)),
])  # fmt: skip
def test_same_language_is_recognized_in_other_spellings(one: str, other: str, same: bool) -> None:
    assert is_same(one, other) is same
