"""Forms are read as the standard library reads them, whatever is in them."""

import json
import random
from urllib.parse import parse_qsl, urlencode

import pytest

from handlers.slack_http import form_fields as fields

PIECES = ["%", "%2", "%41", "%C3%A4", "%c3", "%ff", "%zz", "%u1234", "%5C", "%0a", "%00", "%26", "%3D", "a", "ä", ";"]
ODD = ["=", "&", "+", "\\", "\\x", "\\x41", "\\n", "\\N{BULLET}", "\\u1234", "\\\n", "\n", "\r", "\t", "\x00", "%e2%82"]


def usual(body: bytes) -> dict[str, str]:
    return dict(parse_qsl(body.decode(), keep_blank_values=True))


@pytest.mark.parametrize("text", ["", "&", "=", "a", "a=", "=b", "a=1&a=2", "a=1&&b=2", "a=b=c", "a+b=c+d", "a=%2B"])
def test_the_shapes_of_a_form(text: str) -> None:
    assert fields(text.encode()) == usual(text.encode())


def test_a_click_with_words_of_any_language() -> None:
    payload = {"text": 'Überweisung 100 % \\ 支付 🙂 "quoted"\n', "state": {"values": {"a": {"b": "c\\u0041=&+"}}}}
    body = urlencode({"payload": json.dumps(payload, ensure_ascii=False), "ssl_check": ""}).encode()
    assert json.loads(fields(body)["payload"]) == payload
    assert fields(body)["ssl_check"] == ""


def test_any_mixture_is_what_the_standard_library_makes_of_it() -> None:
    chance = random.Random(12)  # noqa: S311 - the same bodies in every run
    for _ in range(20_000):
        body = "".join(chance.choices(PIECES + ODD, k=chance.randint(1, 8))).encode()
        assert fields(body) == usual(body), body


def test_what_is_no_utf_8_is_refused() -> None:
    with pytest.raises(UnicodeDecodeError):
        fields(b"text=\xff")
