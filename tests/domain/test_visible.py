import unicodedata

import pytest
from hypothesis import given

from bot.domain.text import clean
from tests.presentation.drawn import ACTIVE, INVISIBLE, foreign


@given(foreign())
def test_nothing_invisible_reorders_or_breaks_what_is_read(text: str) -> None:
    categories = {unicodedata.category(letter) for letter in clean(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


@pytest.mark.parametrize("text", [text for text in ACTIVE if "\u202e" in text])
def test_a_reversed_name_reads_in_its_true_order(text: str) -> None:
    assert clean(text) == "exe.tnemyap"


def test_breaks_become_spaces() -> None:
    assert clean(" a\nb\tc\u2028d ") == "a b c d"


@pytest.mark.parametrize("which", INVISIBLE)
def test_what_nobody_can_see_is_empty(which: str) -> None:
    assert clean(INVISIBLE[which]) == ""


@pytest.mark.parametrize("text", ["Nguyễn Thị", "e\u0301\u0323", "שָּׁלוֹם", "ที่นี่", "क्षत्रिय", "한국", "😀 ok", "a\u3164b"])
def test_letters_of_every_script_stay(text: str) -> None:
    assert clean(text) == text.replace("\u3164", " ")


def test_a_letter_carries_four_marks_at_most_and_what_is_between_them_does_not_begin_anew() -> None:
    assert clean("a\u0301\u0302\u0303\u0304\u0305b") == "a\u0301\u0302\u0303\u0304b"
    assert clean("a" + "\u0301\u200b" * 9 + "b\u0301") == "a" + "\u0301" * 4 + "b\u0301"
