"""The languages that forms offer, held against lists that were made elsewhere."""

import re

import pytest

from bot.domain.localization.declaration import Choice
from bot.domain.localization.languages import LANGUAGES, LOCALES, language_of

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

SAID = {
    "The quick brown fox jumps over the lazy dog": "en",
    "これはテストです": "ja",
    "東京へ行きます": "ja",
    "カタカナ": "ja",
    "東京都知事選挙の結果発表": "ja",
    "今天天气很好": "zh",
    "안녕하세요": "ko",
    "Привет, как дела?": "ru",
    "Καλημέρα": "el",
    "שלום": "he",
    "مرحبا": "ar",
    "नमस्ते": "hi",
    "สวัสดี": "th",
    "வணக்கம்": "ta",
    "გამარჯობა": "ka",
    "1234 !?": "",
}


def test_every_language_with_many_speakers_is_offered() -> None:
    assert set(MOST_SPOKEN.split()) - {one.value for one in LANGUAGES} == set()


def test_voices_of_every_large_country_are_offered() -> None:
    assert set(COUNTRIES.split()) - {one.value for one in LOCALES} == set()


@pytest.mark.parametrize("choices", [LANGUAGES, LOCALES], ids=["languages", "locales"])
def test_codes_are_codes_and_no_two_are_alike(choices: tuple[Choice, ...]) -> None:
    codes = [one.value for one in choices]
    labels = [one.label for one in choices]
    assert all(re.fullmatch(r"[a-z]{2,3}(-[A-Z]{2})?", code) for code in codes)
    assert all(label[:1].isupper() for label in labels)
    assert len(set(codes)) == len(codes)
    assert len(set(labels)) == len(labels)


def test_more_than_a_hundred_languages_are_offered() -> None:
    assert len(LANGUAGES) > 100


@pytest.mark.parametrize("text", SAID)
def test_a_text_is_offered_in_its_own_language(text: str) -> None:
    assert language_of(text) == SAID[text]
