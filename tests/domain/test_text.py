"""Text of any origin: what can be seen, what a database holds, and what is kept of a service's words."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.references import callback_token
from bot.domain.text import PAGE, clean, one_line, storable, without_unstorable
from tests.presentation.drawn import ACTIVE, INVISIBLE, foreign

MAX_WORDS = 500

TOKEN = callback_token(key=b"k" * 32, instruction_id="01J", kind="confirmation")


@pytest.mark.parametrize(("said", "kept"), [
    ("  too\r\n short\t", "too short"), ("see https://example.com/x now", "see [address] now"),
    ("see a/b now", "see a/b now"), ("see a%2Fb%2fc now", "see [address] now"), (f"token {TOKEN}.", "token [token]."),
    (f"token {TOKEN}x", f"token {TOKEN}x"), (f"token {TOKEN[1:]}", f"token {TOKEN[1:]}"),
    (f"payments/{TOKEN}", "payments/[token]"), ("/callbacks/payments/t", "[address]"),
    ("https%3A%2F%2Fbot.example%2Fx", "[address]"), ("f" * 64, "f" * 64), ("nul\x00 half\ud800", "nul\ufffd half?"),
    ("a" * 501, "a" * 500), ("", ""),
])  # fmt: skip
def test_error_message_is_one_line_without_secrets(said: str, kept: str) -> None:
    assert one_line(said) == kept


@pytest.mark.parametrize(("more", "last"), [("", "yy"), ("y", "x")])
def test_error_reading_stops_at_16000_characters(more: str, last: str) -> None:
    """Half a token looks like none."""
    assert one_line("x " * 7_999 + "yy" + more, 20_000).split()[-1] == last


@pytest.mark.parametrize("name", ["!doctype", "html", "head", "body", "title", "script", "style", "h1", "CENTER"])
def test_web_page_is_recognized_after_leading_text(name: str) -> None:
    assert PAGE.search(f"said: < {name}>")
    assert not PAGE.search(f"{name} < x{name}")


@given(st.text(), st.text())
def test_tokens_are_removed_in_any_context(before: str, after: str) -> None:
    for middle in (f" {TOKEN} ", f" /callbacks/payments/{TOKEN} ", f".{TOKEN}."):
        found = one_line(before + middle + after)
        assert TOKEN not in found
        assert len(found) <= MAX_WORDS
        assert found.splitlines() in ([found], [])
        found.encode()


@given(foreign())
def test_invisible_characters_are_removed(text: str) -> None:
    categories = {unicodedata.category(letter) for letter in clean(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def test_bidi_and_line_breaks_in_names_are_neutralized() -> None:
    assert {clean(text) for text in ACTIVE if "\u202e" in text} == {"exe.tnemyap"}
    assert clean(" a\nb\tc\u2028d ") == "a b c d"


@pytest.mark.parametrize("which", INVISIBLE)
def test_invisible_text_is_empty(which: str) -> None:
    assert clean(INVISIBLE[which]) == ""


@pytest.mark.parametrize("text", ["Nguyễn Thị", "e\u0301\u0323", "שָּׁלוֹם", "ที่นี่", "क्षत्रिय", "한국", "😀 ok", "a\u3164b"])
def test_letters_of_every_script_stay(text: str) -> None:
    assert clean(text) == text.replace("\u3164", " ")


def test_letter_keeps_at_most_four_combining_marks() -> None:
    assert clean("a\u0301\u0302\u0303\u0304\u0305b") == "a\u0301\u0302\u0303\u0304b"
    assert clean("a" + "\u0301\u200b" * 9 + "b\u0301") == "a" + "\u0301" * 4 + "b\u0301"


ODD = {"nul": "\x00", "first": "\ud800", "last": "\udfff", "high": "\udbff", "low": "\udc00", "many": "\x00\ud83d\x00"}


@pytest.mark.parametrize("which", ODD)
def test_address_is_removed_anywhere_in_a_message(which: str) -> None:
    odd = ODD[which]
    given = {f"na{odd}me": [f"{odd}é", {"x": f"a{odd}b{odd}"}, (1, None, True, 2.5)], "same": "ümlaut 🎉"}
    assert without_unstorable(given) == {"name": ["é", {"x": "ab"}, (1, None, True, 2.5)], "same": "ümlaut 🎉"}


@pytest.mark.parametrize("kept", ["", "\x01\x1f\x7f", "\ud7ff\ue000\uffff", "🎉", "\ufffd"])
def test_nothing_else_is_and_a_column_says_where_something_was(kept: str) -> None:
    assert (without_unstorable(kept), storable(kept)) == (kept, kept)
    assert storable("a\x00b\udfffc") == "a\ufffdb\ufffdc"
