"""Text that a service wrote, as it is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.references import callback_token
from bot.domain.text import PAGE, one_line

MAX_WORDS = 500

TOKEN = callback_token(key=b"k" * 32, instruction_id="01J", kind="confirmation")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("  too\r\n short\t", "too short"),
        ("see https://example.com/x now", "see [address] now"),
        ("see a/b now", "see a/b now"),
        ("see a%2Fb%2fc now", "see [address] now"),
        (f"token {TOKEN}.", "token [token]."),
        (f"token {TOKEN}x", f"token {TOKEN}x"),
        (f"token {TOKEN[1:]}", f"token {TOKEN[1:]}"),
        (f"payments/{TOKEN}", "payments/[token]"),
        ("/callbacks/payments/t", "[address]"),
        ("https%3A%2F%2Fbot.example%2Fx", "[address]"),
        ("f" * 64, "f" * 64),
        ("nul\x00 half\ud800", "nul\ufffd half?"),
        ("a" * 501, "a" * 500),
        ("", ""),
    ],
)
def test_it_is_one_line_without_addresses_and_tokens(said: str, kept: str) -> None:
    assert one_line(said) == kept


@pytest.mark.parametrize(("more", "last"), [("", "yy"), ("y", "x")])
def test_sixteen_thousand_characters_are_read_and_no_half_word_after_them(more: str, last: str) -> None:
    """Half a token looks like none."""
    assert one_line("x " * 7_999 + "yy" + more, 20_000).split()[-1] == last


@pytest.mark.parametrize("name", ["!doctype", "html", "head", "body", "title", "script", "style", "h1", "CENTER"])
def test_a_page_is_one_wherever_it_begins(name: str) -> None:
    assert PAGE.search(f"said: < {name}>")
    assert not PAGE.search(f"{name} < x{name}")


@given(st.text(), st.text())
def test_a_token_never_stays_whatever_stands_around_it(before: str, after: str) -> None:
    for middle in (f" {TOKEN} ", f" /callbacks/payments/{TOKEN} ", f".{TOKEN}."):
        found = one_line(before + middle + after)
        assert TOKEN not in found
        assert len(found) <= MAX_WORDS
        assert found.splitlines() in ([found], [])
        found.encode()
