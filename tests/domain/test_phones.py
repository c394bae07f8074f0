"""Phone numbers as people type them, split as the service wants them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bookings.phones import PhoneError, read_phone


@pytest.mark.parametrize(
    ("text", "code", "national"),
    [
        ("+593 99 123 4567", "+593", "991234567"),
        ("+593-99-123-4567", "+593", "991234567"),
        ("+593 (0)99 123 4567", "+593", "991234567"),
        ("+593 099 123 4567", "+593", "991234567"),
        ("00593991234567", "+593", "991234567"),
        ("+1 (415) 555-2671", "+1", "4155552671"),
        ("+7 912 345 67 89", "+7", "9123456789"),
        ("+34 612 34 56 78", "+34", "612345678"),
        ("+49 151 23456789", "+49", "15123456789"),
        ("+351 912 345 678", "+351", "912345678"),
        ("tel:+593991234567", "+593", "991234567"),
    ],
)
def test_what_is_understood(text: str, code: str, national: str) -> None:
    found = read_phone(text)
    assert (found.country_code, found.national) == (code, national)


def test_a_national_number_is_of_the_country_of_the_store() -> None:
    assert str(read_phone("099 123 4567", home="+593")) == "+593 991234567"
    assert str(read_phone("+34 612 34 56 78", home="+593")) == "+34 612345678"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("099 123 4567", "country's code"),
        ("", "digits"),
        ("call me", "digits"),
        ("+", "digits"),
        ("+0 12 34 56", "begins with 0"),
        ("+593 12", "too short"),
        ("+593 1234567890123456", "too long"),
        ("\u0661\u0662\u0663\u0664\u0665\u0666", "digits"),
    ],
)
def test_what_is_not(text: str, words: str) -> None:
    with pytest.raises(PhoneError) as caught:
        read_phone(text)
    assert words in caught.value.rule


@given(st.text(max_size=30))
def test_anything_at_all_is_a_number_or_a_sentence(text: str) -> None:
    try:
        found = read_phone(text)
    except PhoneError as broken:
        said = broken.rule
    else:
        said = "fine"
        assert not found.national.startswith("0")
        assert len(found.country_code + found.national) <= 16
    assert said
