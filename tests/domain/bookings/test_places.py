"""What people paste for a position; phone numbers as they type them, split as the service wants them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.bookings.fields import read_phone
from bot.domain.bookings.places import DoubtError, map_link, read_position
from bot.domain.errors import RuleError

HERE = ("-0.1807", "-78.4678")


@pytest.mark.parametrize("text", [
    *("-0.1807, -78.4678", "-0.1807,-78.4678", " -0.1807 -78.4678 ", "(-0.1807, -78.4678)", "-0.1807; -78.4678"),
    *("-0,1807; -78,4678", "-0,1807 -78,4678", "\u22120.1807, \u221278.4678", "0.1807 S, 78.4678 W"),
    *("0.1807° S, 78.4678° W", "0.1807S 78.4678O", "geo:-0.1807,-78.4678", "geo:-0.1807,-78.4678;u=35"),
    *("geo:-0.1807,-78.4678?z=17", "geo:0,0?q=-0.1807,-78.4678(Casa Ana)"),
    "https://www.google.com/maps/place/Here/@-0.2,-78.5,17z/data=!3m1!4b1!4m5!3m4!8m2!3d-0.1807!4d-78.4678",
    *("https://www.google.com/maps?q=-0.1807,-78.4678", "https://www.google.com/maps?q=%E2%88%920.1807,%e2%88%9278.4678"),
    "https://www.google.com/maps/search/?api=1&query=-0.1807%2C-78.4678",
    "https://www.google.com/maps/dir/?api=1&destination=-0.1807,-78.4678",
    *("https://www.google.com/maps/place/-0.1807,-78.4678", "https://www.google.com/maps/search/-0.1807,+-78.4678"),
    *("https://maps.google.com/?q=loc:-0.1807,-78.4678", "https://maps.apple.com/?ll=-0.1807,-78.4678&q=Here"),
    "https://www.openstreetmap.org/?mlat=-0.1807&mlon=-78.4678#map=17/-0.2/-78.5",
    "https://waze.com/ul?ll=-0.1807%2C-78.4678&navigate=yes",
    "https://www.waze.com/live-map/directions?to=ll.-0.1807%2C-78.4678",
    *("<https://www.google.com/maps?q=-0.1807,-78.4678>", "<https://www.google.com/maps?q=-0.1807,-78.4678|the shop>"),
    *("-0.18070000001, -78.4678", "\u200e-0.1807, -78.4678", "\u20680.1807 S\u2069 78.4678 W", "-0,1807, -78,4678"),
    *("lat: -0.1807, lng: -78.4678", "Latitud -0,1807 Longitud -78,4678", "lng=-78.4678&lat=-0.1807"),
    *('{"lat": -0.1807, "lng": -78.4678}', "Coordenadas: -0.1807, -78.4678", "78.4678 Oeste, 0.1807 Sur"),
    *("Casa Ana\nhttps://waze.com/ul?ll=-0.1807,-78.4678", "maps.google.com/?q=-0.1807,-78.4678"),
])  # fmt: skip
def test_positions_are_understood(text: str) -> None:
    found = read_position(text)
    assert (float(found.latitude), float(found.longitude)) == (float(HERE[0]), float(HERE[1]))


@pytest.mark.parametrize(("text", "latitude", "longitude"), [
    ("4°35'56\"S 74°04'51\"W", "-4.5988889", "-74.0808333"), ("S 4°35′56″ O 74°04′51″", "-4.5988889", "-74.0808333"),
    ("4º35'56\" Sur, 74º04'51\" Oeste", "-4.5988889", "-74.0808333"),
    ("74°04'51\"W 4°35'56\"S", "-4.5988889", "-74.0808333"), ("4° 35.933' S, 74° 4.85' O", "-4.5988833", "-74.0808333"),
    ("45°43'51''N 009°44'23''E", "45.7308333", "9.7397222"), ("46-13.4N 004-26.2E", "46.2233333", "4.4366667"),
    ("N 48° 30' 38,463\", E 18° 57' 27,499\"", "48.5106842", "18.9576386"),
    ("8°03'S 34°52'L", "-8.0500000", "34.8666667"), ("23:33:01 S 46:38:02 O", "-23.5502778", "-46.6338889"),
    ("http://maps.google.com/maps?q=N42+57.245+W77+03.530&ll=42.9,-77.0", "42.9540833", "-77.0588333"),
    ("https://www.google.com/maps/place/0%C2%B010'50.5%22S+78%C2%B028'04.1%22W/@-0.2,-78.5,17z",
     "-0.1806944", "-78.4678056"),
])  # fmt: skip
def test_degrees_and_minutes_become_decimal_degrees(text: str, latitude: str, longitude: str) -> None:
    found = read_position(text)
    assert (found.latitude, found.longitude) == (latitude, longitude)


DATA = "data=!4m14!4m13!1m5!1m1!1s0x0:0x1!2m2!1d-78.49!2d-0.21!1m5!1m1!1s0x0:0x2!2m2!1d-78.4678!2d-0.1807!3e0"
START = "data=!4m9!4m8!1m5!1m1!1s0x0:0x1!2m2!1d-78.49!2d-0.21!1m0!3e0"
GOOGLE, HERE_WE_GO = "https://www.google.com/maps", "https://wego.here.com"


@pytest.mark.parametrize("link", [
    "https://maps.google.com/maps?saddr=-0.21,-78.49&daddr=-0.1807,-78.4678&ll=-0.2,-78.5&z=14",
    "https://maps.google.com/maps?saddr=-0.21,-78.49&daddr=-0.2,-78.5+to:-0.1807,-78.4678",
    f"{GOOGLE}/dir/Tienda+Centro/Parque+La+Carolina/@-0.2,-78.5,15z/{DATA}",
    f"{GOOGLE}/dir/Tienda+Centro/-0.1807,-78.4678/@-0.2,-78.5,15z/{START}",
    *(f"{GOOGLE}/dir//-0.1807,-78.4678/@-0.2,-78.5,15z", f"{GOOGLE}/dir/-0.21,-78.49/-0.1807,-78.4678/"),
    f"{GOOGLE}/dir/?api=1&origin=-0.21,-78.49&destination=-0.1807,-78.4678",
    *("http://maps.google.com/maps?q=-0.1807%2C-78.4678%28Casa%20Ana%29", f"{GOOGLE}?q=Casa+Ana@-0.1807,-78.4678"),
    "https://maps.apple.com/?saddr=-0.21,-78.49&daddr=-0.1807,-78.4678&ll=-0.2,-78.5",
    "https://maps.apple.com/place?address=Calle+5&coordinate=-0.1807%2C-78.4678&name=Casa",
    *("https://maps.apple.com/?address=Calle+5&ll=-0.1807,-78.4678", "https://maps.apple.com/?ll=-0.1807,-78.4678"),
    "https://www.waze.com/live-map/directions?from=ll.-0.21%2C-78.49&to=ll.-0.1807%2C-78.4678",
    "https://www.openstreetmap.org/directions?route=-0.21%2C-78.49%3B-0.1807%2C-78.4678#map=15/-0.2/-78.5",
    "https://www.bing.com/maps?cp=-0.2~-78.5&sp=point.-0.1807_-78.4678_Casa%20Ana",
    "https://www.bing.com/maps?cp=-0.2~-78.5&rtp=pos.-0.21_-78.49_Tienda~pos.-0.1807_-78.4678_Casa",
    *("https://yandex.com/maps/?ll=-78.4678%2C-0.1807&z=17", "https://yandex.com/maps/?ll=-78.5,-0.2&pt=-78.4678,-0.1807"),
    "https://yandex.com/maps/?ll=-78.5,-0.2&rtext=-0.21,-78.49~-0.1807,-78.4678",
    "https://yandex.com/maps/?ll=-78.5,-0.2&whatshere%5Bpoint%5D=-78.4678%2C-0.1807",
    "https://2gis.com/quito/geo/70000001/-78.4678,-0.1807?m=-78.5,-0.2/15",
    "https://2gis.com/directions/points/-78.49%2C-0.21%3B1%7C-78.4678%2C-0.1807%3B2?m=-78.5,-0.2/15",
    "https://share.here.com/l/-0.1807,-78.4678,Casa%20Ana?z=16",
    f"{HERE_WE_GO}/directions/mix/Tienda:-0.21,-78.49/Casa:-0.1807,-78.4678?map=-0.2,-78.5,15,normal",
])  # fmt: skip
def test_map_link_gives_its_destination_or_marker(link: str) -> None:
    assert str(read_position(link)) == "-0.1807, -78.4678"


@pytest.mark.parametrize("link", [
    *(f"{GOOGLE}/@-0.1807,-78.4678,17z", f"{GOOGLE}/place/Casa/@-0.1807,-78.4678,17z", f"{GOOGLE}?ll=-0.1807,-78.4678"),
    *(f"{GOOGLE}?q=Casa+Ana&ll=-0.1807,-78.4678", f"{GOOGLE}/search/5,+12+Norte/@-0.1807,-78.4678,15z"),
    f"{GOOGLE}/embed?pb=!1m18!1m12!1m3!1d3989!2d-78.4678!3d-0.1807!2m3",
    "https://maps.apple.com/frame?center=-0.1807%2C-78.4678",
    *("https://www.openstreetmap.org/#map=17/-0.1807/-78.4678", "https://www.bing.com/maps?cp=-0.1807~-78.4678"),
    "https://www.openstreetmap.org/?lat=-0.1807&lon=-78.4678&zoom=17",
    *("https://yandex.com/maps/?text=Cafe&ll=-78.4678,-0.1807", "https://2gis.com/quito?m=-78.4678%2C-0.1807%2F17"),
    *(f"{HERE_WE_GO}/?map=-0.1807,-78.4678,15,normal", "geo:-0.1807,-78.4678?q=Casa"),
])  # fmt: skip
def test_map_center_needs_confirmation(link: str) -> None:
    with pytest.raises(DoubtError, match=r"paste -0\.1807, -78\.4678"):
        read_position(link)


@pytest.mark.parametrize("link", [
    *(f"{GOOGLE}/dir/-0.21,-78.49//@-0.2,-78.5,15z", f"{GOOGLE}/dir/-0.21,-78.49/", f"{GOOGLE}/dir/A/B/@-0.2,-78.5,9z"),
    *(f"{GOOGLE}/dir/A//@-0.2,-78.5,15z/{START}", f"{GOOGLE}/dir/?origin=-0.21,-78.49&destination=Parque"),
    "https://www.bing.com/maps?rtp=pos.-0.21_-78.49~adr.Calle%205&cp=-0.2~-78.5",
    "https://www.openstreetmap.org/directions?route=-0.21%2C-78.49%3B#map=15/-0.2/-78.5",
    *("https://maps.apple.com/?daddr=Calle+5&ll=-0.2,-78.5", "https://yandex.com/maps/?rtext=-0.21,-78.49~"),
    f"{HERE_WE_GO}/directions/mix/-0.21,-78.49:Quito?map=-0.2,-78.5,15,normal",
])  # fmt: skip
def test_start_of_a_route_is_not_the_destination(link: str) -> None:
    with pytest.raises(RuleError, match="shows no position"):
        read_position(link)


@pytest.mark.parametrize(("store", "text", "likely"), [
    ("-0.1807, -78.4678", "-78.4700, -0.1850", "-0.1850, -78.4700"), ("4.7, -74.1", "-74.08, 4.65", "4.65, -74.08"),
    ("-12.0464, -77.0428", "-77.03, -12.1", "-12.1, -77.03"), ("-12.0464, -77.0428", "-12.1, 77.03", "-12.1, -77.03"),
    ("40.41, -3.70", "-3.7, 40.4", "40.4, -3.7"),
])  # fmt: skip
def test_mirrored_pair_is_recognized_by_the_store(store: str, text: str, likely: str) -> None:
    with pytest.raises(DoubtError, match=f"mean {re.escape(likely)}"):
        read_position(text, near=read_position(store))
    assert str(read_position(likely, near=read_position(store))) == likely


def test_pair_far_from_the_store_is_left_to_the_service() -> None:
    assert str(read_position("51.5, -0.12", near=read_position("-0.1807, -78.4678"))) == "51.5, -0.12"
    with pytest.raises(DoubtError, match="minus signs"):  # both sides of the equator are near
        read_position("0.1807, 78.4678", near=read_position("-0.1807, -78.4678"))


@pytest.mark.parametrize(("text", "words"), [
    ("", "coordinates like"), ("67G3RG9J+PV", "Plus codes"), ("RG9J+PV Quito", "Plus codes"),
    ("https://www.google.com/maps/place/RG9J%2BPV+Quito/", "Plus codes"), ("12,34,56", "coordinates like"),
    ("4 35 56 74 04 51", "coordinates like"), ("4°61'S 74°04'W", "coordinates like"), ("4°S 74°S", "coordinates like"),
    ("4°S 74", "coordinates like"), ("https://www.google.com/maps/place/12+34+Calle/", "shows no position"),
    ("12 Market Street", "coordinates like"), ("-78.4678", "coordinates like"), ("-100.4678, -0.1807", "swapped"),
    ("95, 200", "from -90 to 90"), ("10, 181", "-180 to 180"), ("0, 0", "ocean"),
    ("https://maps.app.goo.gl/abc", "short link shows no position"),
    ("https://goo.gl/maps/abc", "short link shows no position"), ("https://example.com/where", "shows no position"),
    ("https://[", "shows no position"), ("nan, inf", "coordinates like"), ("1e1, 2", "coordinates like"),
    ("9" * 3000, "coordinates like"),
])  # fmt: skip
def test_unusable_positions_are_refused(text: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_position(text)
    assert words in caught.value.rule


@given(st.text(max_size=80))
def test_any_place_text_is_a_position_or_a_rule(text: str) -> None:
    try:
        found = read_position(text)
    except RuleError as broken:
        said = broken.rule
    else:
        said = "fine"
        assert abs(float(found.latitude)) <= 90
        assert read_position(map_link(found)) == found
    assert said


def test_coordinates_are_limited_to_the_map() -> None:
    for text in ("90, 180", "-90, -180", "90.0000, -180"):
        found = read_position(text)
        assert (abs(float(found.latitude)), abs(float(found.longitude))) == (90, 180)
    for text in ("90.0001, 12", "-90.0001, 12", "91, 12", "12, 180.0001", "12, -180.0001", "12, 181"):
        with pytest.raises(RuleError):
            read_position(text)


def test_place_text_is_limited_to_2000_characters() -> None:
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
    ("+52 1 55 1234 5678", "+52", "5512345678"), ("+54 9 11 2345-6789", "+54", "91123456789"),
    ("https://wa.me/5215512345678?text=Hola", "+52", "5512345678"), ("wa.me/+593991234567", "+593", "991234567"),
    ("https://api.whatsapp.com/send?phone=%2B593991234567", "+593", "991234567"),
    ("\u202a+593 99 123 4567\u202c", "+593", "991234567"), ("Cel.: +593 99 123 4567", "+593", "991234567"),
    ("+39 06 1234 5678", "+39", "0612345678"), ("+39 (0)6 1234 5678", "+39", "0612345678"),
    ("\uff0b593 99 123 4567", "+593", "991234567"),
])  # fmt: skip
def test_phone_numbers_are_understood(text: str, code: str, national: str) -> None:
    found = read_phone(text)
    assert (found.country_code, found.national) == (code, national)


@pytest.mark.parametrize(("text", "home", "number"), [
    ("099 123 4567", "+593", "+593 991234567"), ("+34 612 34 56 78", "+593", "+34 612345678"),
    ("06 30 123 4567", "+36", "+36 301234567"), ("8 495 123 45 67", "+7", "+7 4951234567"),
    ("80 29 123 45 67", "+375", "+375 291234567"), ("1 415 555 2671", "+1", "+1 4155552671"),
    ("06 1234 5678", "+39", "+39 0612345678"), ("011 15 2345-6789", "+54", "+54 91123456789"),
    ("612 34 56 78", "+34", "+34 612345678"), ("044 55 1234 5678", "+52", "+52 5512345678"),
    ("+1 415 555 2671", "+52", "+1 4155552671"), ("0234/123456-10", "+49", "+49 23412345610"),
])  # fmt: skip
def test_national_number_uses_the_country_of_the_store(text: str, home: str, number: str) -> None:
    assert str(read_phone(text, home=home)) == number


@pytest.mark.parametrize(("text", "home", "words"), [
    ("555 2671", "+1", "full phone number"), ("6301234567", "+36", "full phone number"),
    ("022345678/9", "+593", "full phone number"),
    ("099 123 4567 / 02 234 5678", "+593", r"one number, .* \+593 991234567"),
    ("02 234 5678 o 099 123 4567", "+593", r"one number, .* \+593 991234567"),
    ("99 123 4567", "+999", "country code"), ("99 123 4567", "593", "country code"),
])  # fmt: skip
def test_invalid_national_number_is_refused(text: str, home: str, words: str) -> None:
    with pytest.raises(RuleError, match=words):
        read_phone(text, home=home)


@pytest.mark.parametrize(("text", "words"), [
    ("099 123 4567", "country code"), ("", "digits"), ("call me", "digits"), ("+", "digits"),
    ("+0 12 34 56", "country code"), ("+999 1234567", "country code"), ("+593 12", "full phone number"),
    ("+593 1234567890123456", "full phone number"), ("1" * 300, "full phone number"), ("+1 800 FLOWERS", "digits"),
    ("+44 20 7946 0018 ext. 12", "extension"), ("+44 20 7946 0018 #12", "extension"),
    ("tel:+44-114-272-6444;ext=1234", "extension"), ("https://wa.me/message/ABC1", "digits"), ("+43000000", "digits"),
    ("\u0661\u0662\u0663\u0664\u0665\u0666", "country code"), ("+48 (0) 5", "full phone number"),
])  # fmt: skip
def test_invalid_phone_numbers_are_refused(text: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        read_phone(text)
    assert words in caught.value.rule


@given(
    st.text(max_size=30) | st.from_regex(r"\+?[0-9 ()-]{6,20}", fullmatch=True), st.sampled_from(["", "+593", "+36"])
)
def test_any_phone_text_is_a_number_or_a_rule(text: str, home: str) -> None:
    try:
        found = read_phone(text, home=home)
    except RuleError as broken:
        said = broken.rule
    else:
        said = "fine"
        assert re.fullmatch(r"\+[1-9][0-9]{0,2} [0-9]{2,17}", str(found), re.ASCII)
        assert read_phone(str(found)) == found
    assert said
