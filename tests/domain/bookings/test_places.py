"""What people paste for a position."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bookings.places import map_link, read_position
from bot.domain.errors import RuleError

HERE = ("-0.1807", "-78.4678")


@pytest.mark.parametrize(
    "text",
    [
        *("-0.1807, -78.4678", "-0.1807,-78.4678", " -0.1807 -78.4678 ", "(-0.1807, -78.4678)", "-0.1807; -78.4678"),
        *("-0,1807; -78,4678", "-0,1807 -78,4678", "\u22120.1807, \u221278.4678", "0.1807 S, 78.4678 W"),
        *("0.1807° S, 78.4678° W", "0.1807S 78.4678O", "geo:-0.1807,-78.4678", "geo:-0.1807,-78.4678;u=35"),
        *("geo:-0.1807,-78.4678?z=17", "https://www.google.com/maps/@-0.1807,-78.4678,17z"),
        "https://www.google.com/maps/place/Here/@-0.2,-78.5,17z/data=!3m1!4b1!4m5!3m4!8m2!3d-0.1807!4d-78.4678",
        "https://www.google.com/maps?q=-0.1807,-78.4678",
        "https://www.google.com/maps/search/?api=1&query=-0.1807%2C-78.4678",
        "https://www.google.com/maps/dir/?api=1&destination=-0.1807,-78.4678",
        *("https://www.google.com/maps/place/-0.1807,-78.4678", "https://www.google.com/maps/search/-0.1807,+-78.4678"),
        *("https://maps.google.com/?q=loc:-0.1807,-78.4678", "https://maps.apple.com/?ll=-0.1807,-78.4678&q=Here"),
        "https://www.openstreetmap.org/?mlat=-0.1807&mlon=-78.4678#map=17/-0.2/-78.5",
        "https://www.openstreetmap.org/#map=17/-0.1807/-78.4678",
        "https://waze.com/ul?ll=-0.1807%2C-78.4678&navigate=yes",
        "https://www.waze.com/live-map/directions?to=ll.-0.1807%2C-78.4678",
        *("https://www.bing.com/maps?cp=-0.1807~-78.4678", "<https://www.google.com/maps/@-0.1807,-78.4678,17z>"),
        *("<https://www.google.com/maps/@-0.1807,-78.4678,17z|the shop>", "-0.18070000001, -78.4678"),
    ],
)
def test_what_is_understood(text: str) -> None:
    found = read_position(text)
    assert (float(found.latitude), float(found.longitude)) == (float(HERE[0]), float(HERE[1]))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "`lat, lng`"),
        ("12 Market Street", "`lat, lng`"),
        ("-78.4678", "`lat, lng`"),
        ("-100.4678, -0.1807", "swapped"),
        ("95, 200", "from -90 to 90"),
        ("10, 181", "-180 to 180"),
        ("0, 0", "ocean"),
        ("https://maps.app.goo.gl/abc", "shortened link"),
        ("https://goo.gl/maps/abc", "shortened link"),
        ("https://example.com/where", "no position in this link"),
        ("https://[", "no position"),
        ("nan, inf", "`lat, lng`"),
        ("1e1, 2", "`lat, lng`"),
        ("9" * 3000, "`lat, lng`"),
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


@pytest.mark.parametrize("text", ["90, 180", "-90, -180", "90.0000, -180"])
def test_the_edges_of_the_map_are_places(text: str) -> None:
    found = read_position(text)
    assert (abs(float(found.latitude)), abs(float(found.longitude))) == (90, 180)


@pytest.mark.parametrize("text", ["90.0001, 12", "-90.0001, 12", "91, 12", "12, 180.0001", "12, -180.0001", "12, 181"])
def test_beyond_the_edges_there_is_nothing(text: str) -> None:
    with pytest.raises(RuleError):
        read_position(text)


def test_a_text_may_have_2000_characters() -> None:
    link = "https://www.google.com/maps?q=-0.1807,-78.4678&more="
    found = read_position(link.ljust(2000, "x"))
    assert (found.latitude, found.longitude) == HERE
    with pytest.raises(RuleError):
        read_position(link.ljust(2001, "x"))
