"""What people paste for a position; phone numbers as they type them, split as the service wants them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bookings.fields import map_link, read_phone, read_position
from bot.domain.errors import RuleError

HERE = ("-0.1807", "-78.4678")


@pytest.mark.parametrize("text", [
    *("-0.1807, -78.4678", "-0.1807,-78.4678", " -0.1807 -78.4678 ", "(-0.1807, -78.4678)", "-0.1807; -78.4678"),
    *("-0,1807; -78,4678", "-0,1807 -78,4678", "\u22120.1807, \u221278.4678", "0.1807 S, 78.4678 W"),
    *("0.1807° S, 78.4678° W", "0.1807S 78.4678O", "geo:-0.1807,-78.4678", "geo:-0.1807,-78.4678;u=35"),
    *("geo:-0.1807,-78.4678?z=17", "https://www.google.com/maps/@-0.1807,-78.4678,17z"),
    "https://www.google.com/maps/place/Here/@-0.2,-78.5,17z/data=!3m1!4b1!4m5!3m4!8m2!3d-0.1807!4d-78.4678",
    *("https://www.google.com/maps?q=-0.1807,-78.4678", "https://www.google.com/maps?q=%E2%88%920.1807,%e2%88%9278.4678"),
    "https://www.google.com/maps/search/?api=1&query=-0.1807%2C-78.4678",
    "https://www.google.com/maps/dir/?api=1&destination=-0.1807,-78.4678",
    *("https://www.google.com/maps/place/-0.1807,-78.4678", "https://www.google.com/maps/search/-0.1807,+-78.4678"),
    *("https://maps.google.com/?q=loc:-0.1807,-78.4678", "https://maps.apple.com/?ll=-0.1807,-78.4678&q=Here"),
    "https://www.openstreetmap.org/?mlat=-0.1807&mlon=-78.4678#map=17/-0.2/-78.5",
    "https://www.openstreetmap.org/#map=17/-0.1807/-78.4678",
    "https://www.openstreetmap.org/#map=17/-0.2/-78.5&map=17/-0.1807/-78.4678",
    "https://waze.com/ul?ll=-0.1807%2C-78.4678&navigate=yes",
    "https://www.waze.com/live-map/directions?to=ll.-0.1807%2C-78.4678",
    *("https://www.bing.com/maps?cp=-0.1807~-78.4678", "<https://www.google.com/maps/@-0.1807,-78.4678,17z>"),
    *("<https://www.google.com/maps/@-0.1807,-78.4678,17z|the shop>", "-0.18070000001, -78.4678"),
])  # fmt: skip
def test_what_is_understood(text: str) -> None:
    found = read_position(text)
    assert (float(found.latitude), float(found.longitude)) == (float(HERE[0]), float(HERE[1]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "coordinates like"),
        ("12 Market Street", "coordinates like"),
        ("-78.4678", "coordinates like"),
        ("-100.4678, -0.1807", "swapped"),
        ("95, 200", "from -90 to 90"),
        ("10, 181", "-180 to 180"),
        ("0, 0", "ocean"),
        ("https://maps.app.goo.gl/abc", "short link shows no position"),
        ("https://goo.gl/maps/abc", "short link shows no position"),
        ("https://example.com/where", "shows no position"),
        ("https://[", "shows no position"),
        ("nan, inf", "coordinates like"),
        ("1e1, 2", "coordinates like"),
        ("9" * 3000, "coordinates like"),
    ],
)
def test_what_is_not(text: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_position(text)
    assert words in caught.value.rule


@given(st.text(max_size=80))
def test_anything_at_all_is_a_position_or_a_sentence(text: str) -> None:
    try:
        found = read_position(text)
    except RuleError as broken:
        said = broken.rule
    else:
        said = "fine"
        assert abs(float(found.latitude)) <= 90
        assert read_position(map_link(found)) == found
    assert said


def test_the_edges_of_the_map_are_places_and_beyond_them_there_is_nothing() -> None:
    for text in ("90, 180", "-90, -180", "90.0000, -180"):
        found = read_position(text)
        assert (abs(float(found.latitude)), abs(float(found.longitude))) == (90, 180)
    for text in ("90.0001, 12", "-90.0001, 12", "91, 12", "12, 180.0001", "12, -180.0001", "12, 181"):
        with pytest.raises(RuleError):
            read_position(text)


def test_a_text_may_have_2000_characters() -> None:
    link = "https://www.google.com/maps?q=-0.1807,-78.4678&more="
    found = read_position(link.ljust(2000, "x"))
    assert (found.latitude, found.longitude) == HERE
    with pytest.raises(RuleError):
        read_position(link.ljust(2001, "x"))


@pytest.mark.parametrize(("text", "code", "national"), [
    ("+593 99 123 4567", "+593", "991234567"), ("+593-99-123-4567", "+593", "991234567"),
    ("+593 (0)99 123 4567", "+593", "991234567"), ("+593 099 123 4567", "+593", "991234567"),
    ("00593991234567", "+593", "991234567"), ("+1 (415) 555-2671", "+1", "4155552671"),
    ("+7 912 345 67 89", "+7", "9123456789"), ("+34 612 34 56 78", "+34", "612345678"),
    ("+49 151 23456789", "+49", "15123456789"), ("+351 912 345 678", "+351", "912345678"),
    ("tel:+593991234567", "+593", "991234567"), ("+36 06 30 123 4567", "+36", "301234567"),
    ("+7 8 495 123 45 67", "+7", "4951234567"), ("+44 (0)20 7946 0018", "+44", "2079460018"),
    ("+39 06 1234 5678", "+39", "0612345678"), ("\uff0b593 99 123 4567", "+593", "991234567"),
])  # fmt: skip
def test_numbers_that_are_understood(text: str, code: str, national: str) -> None:
    found = read_phone(text)
    assert (found.country_code, found.national) == (code, national)


@pytest.mark.parametrize(("text", "home", "number"), [
    ("099 123 4567", "+593", "+593 991234567"), ("+34 612 34 56 78", "+593", "+34 612345678"),
    ("06 30 123 4567", "+36", "+36 301234567"), ("8 495 123 45 67", "+7", "+7 4951234567"),
    ("80 29 123 45 67", "+375", "+375 291234567"), ("1 415 555 2671", "+1", "+1 4155552671"),
    ("06 1234 5678", "+39", "+39 0612345678"), ("011 15 2345-6789", "+54", "+54 91123456789"),
    ("612 34 56 78", "+34", "+34 612345678"),
])  # fmt: skip
def test_a_national_number_is_of_the_stores_country_without_its_prefix(text: str, home: str, number: str) -> None:
    assert str(read_phone(text, home=home)) == number


@pytest.mark.parametrize(("text", "home", "words"), [
    ("555 2671", "+1", "full phone number"), ("6301234567", "+36", "full phone number"),
    ("99 123 4567", "+999", "country code"), ("99 123 4567", "593", "country code"),
])  # fmt: skip
def test_a_national_number_that_is_none_there(text: str, home: str, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        read_phone(text, home=home)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("099 123 4567", "country code"),
        ("", "digits"),
        ("call me", "digits"),
        ("+", "digits"),
        ("+0 12 34 56", "country code"),
        ("+999 1234567", "country code"),
        ("+593 12", "full phone number"),
        ("+593 1234567890123456", "full phone number"),
        ("1" * 300, "full phone number"),
        ("+1 800 FLOWERS", "digits"),
        ("+44 20 7946 0018 ext. 12", "digits"),
        ("+44 20 7946 0018 #12", "digits"),
        ("+43000000", "digits"),
        ("\u0661\u0662\u0663\u0664\u0665\u0666", "country code"),
    ],
)
def test_what_is_no_number(text: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_phone(text)
    assert words in caught.value.rule


@given(
    st.text(max_size=30) | st.from_regex(r"\+?[0-9 ()-]{6,20}", fullmatch=True), st.sampled_from(["", "+593", "+36"])
)
def test_any_text_is_a_number_or_a_sentence(text: str, home: str) -> None:
    try:
        found = read_phone(text, home=home)
    except RuleError as broken:
        said = broken.rule
    else:
        said = "fine"
        assert re.fullmatch(r"\+[1-9][0-9]{0,2} [0-9]{2,17}", str(found), re.ASCII)
        assert read_phone(str(found)) == found
    assert said
