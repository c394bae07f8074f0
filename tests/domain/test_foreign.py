import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.references import callback_token
from bot.domain.text import one_line

MAX_WORDS = 500

TOKEN = callback_token(key=b"k" * 32, instruction_id="01J", kind="confirmation")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  two\n\tlines\r\n", "two lines"),
        ("see https://bot.example/callbacks/payments/t now", "see [address] now"),
        ("https%3A%2F%2Fbot.example%2Fx", "[address]"),
        ("/callbacks/payments/t", "[address]"),
        ("and/or", "and/or"),
        (f"token {TOKEN}!", "token [token]!"),
        (f"payments/{TOKEN}", "payments/[token]"),
        ("f" * 64, "f" * 64),
        ("a\x00b\ud800", "a\ufffdb?"),
    ],
)
def test_addresses_and_tokens_go_and_the_rest_stays(text: str, expected: str) -> None:
    assert one_line(text) == expected


@given(st.text(), st.text())
def test_a_token_never_stays_whatever_stands_around_it(before: str, after: str) -> None:
    for middle in (f" {TOKEN} ", f" /callbacks/payments/{TOKEN} ", f".{TOKEN}."):
        found = one_line(before + middle + after)
        assert TOKEN not in found
        assert len(found) <= MAX_WORDS
        assert found.splitlines() in ([found], [])
        found.encode()
