"""Phone numbers as people type them, split as the service wants them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bookings.places import read_phone
from bot.domain.errors import RuleError


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
        ("+36 06 30 123 4567", "+36", "301234567"),
        ("+7 8 495 123 45 67", "+7", "4951234567"),
        ("+44 (0)20 7946 0018", "+44", "2079460018"),
        ("+39 06 1234 5678", "+39", "0612345678"),
        ("\uff0b593 99 123 4567", "+593", "991234567"),
    ],
)
def test_what_is_understood(text: str, code: str, national: str) -> None:
    found = read_phone(text)
    assert (found.country_code, found.national) == (code, national)


@pytest.mark.parametrize(
    ("text", "home", "number"),
    [
        ("099 123 4567", "+593", "+593 991234567"),
        ("+34 612 34 56 78", "+593", "+34 612345678"),
        ("06 30 123 4567", "+36", "+36 301234567"),
        ("8 495 123 45 67", "+7", "+7 4951234567"),
        ("80 29 123 45 67", "+375", "+375 291234567"),
        ("1 415 555 2671", "+1", "+1 4155552671"),
        ("06 1234 5678", "+39", "+39 0612345678"),
        ("011 15 2345-6789", "+54", "+54 91123456789"),
        ("612 34 56 78", "+34", "+34 612345678"),
    ],
)
def test_a_national_number_is_of_the_country_of_the_store_without_its_trunk_prefix(
    text: str, home: str, number: str
) -> None:
    assert str(read_phone(text, home=home)) == number


@pytest.mark.parametrize(
    ("text", "home", "words"),
    [
        ("555 2671", "+1", "too short"),
        ("6301234567", "+36", "too short or too long"),
        ("99 123 4567", "+999", "country's code"),
        ("99 123 4567", "593", "country's code"),
    ],
)
def test_a_national_number_that_is_none_there(text: str, home: str, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        read_phone(text, home=home)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("099 123 4567", "country's code"),
        ("", "digits"),
        ("call me", "digits"),
        ("+", "digits"),
        ("+0 12 34 56", "country's code"),
        ("+999 1234567", "country's code"),
        ("+593 12", "too short"),
        ("+593 1234567890123456", "too long"),
        ("1" * 300, "too long"),
        ("+1 800 FLOWERS", "digits"),
        ("+44 20 7946 0018 ext. 12", "digits"),
        ("+44 20 7946 0018 #12", "digits"),
        ("\u0661\u0662\u0663\u0664\u0665\u0666", "country's code"),
    ],
)
def test_what_is_not(text: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_phone(text)
    assert words in caught.value.rule


@given(
    st.text(max_size=30) | st.from_regex(r"\+?[0-9 ()-]{6,20}", fullmatch=True), st.sampled_from(["", "+593", "+36"])
)
def test_anything_at_all_is_a_number_or_a_sentence(text: str, home: str) -> None:
    try:
        found = read_phone(text, home=home)
    except RuleError as broken:
        said = broken.rule
    else:
        said = "fine"
        assert re.fullmatch(r"\+[1-9][0-9]{0,2} [0-9]{2,17}", str(found), re.ASCII)
        assert read_phone(str(found)) == found
    assert said
