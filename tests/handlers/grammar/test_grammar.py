"""What people and their devices type, as words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.errors import PersonError
from bot.domain.fields import email
from handlers.grammar import fields
from handlers.grammar.verbs import unescape, words_of

EXAMPLE = "/pay send ana@example.com 25.00 x"


def words(text: str) -> list[str]:
    return words_of(text, example=EXAMPLE)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("  a   b ", ["a", "b"]),
        ('a "b c" d', ["a", "b c", "d"]),
        ("a “b c” d", ["a", "b c", "d"]),
        ("a „b c“ d", ["a", "b c", "d"]),
        ("a «b c» d", ["a", "b c", "d"]),
        ("O'Brien's O’Brien", ["O'Brien's", "O'Brien"]),
        ('""', [""]),
        ("a\u00a0b\u202fc\u2009d\ne\tf", ["a", "b", "c", "d", "e", "f"]),
        ("C:\\temp", ["C:\\temp"]),
        ("# a #b", ["#", "a", "#b"]),
        ("<mailto:a@b.c|a@b.c>", ["a@b.c"]),
        ("<mailto:a@b.c>", ["a@b.c"]),
        ("<https://x.y|x.y>", ["x.y"]),
        ("<http://X.y/|x.Y>", ["x.Y"]),
        ("<https://x.y/z|x.y>", ["x.y", "(https://x.y/z)"]),
        (
            '"see <https://evil.example/?a=1&amp;b=2|our invoice> now"',
            ["see our invoice (https://evil.example/?a=1&b=2) now"],
        ),
        ("<mailto:eve@x.y|ana@x.y>", ["ana@x.y", "(eve@x.y)"]),
        ("<https://evil.example|>", ["(https://evil.example)"]),
        ("<https://x.y/z>", ["https://x.y/z"]),
        ("<@U012AB|ada> <#C012AB|general>", ["@ada", "#general"]),
        ("&lt;b&gt; &amp;amp; &amp;lt;", ["<b>", "&amp;", "&lt;"]),
        ("zero\u200bwidth", ["zerowidth"]),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize("text", ['a "b', 'a "b" "', "a “b", '"'])
def test_a_quotation_mark_that_is_not_closed_is_a_mistake_with_an_example(text: str) -> None:
    with pytest.raises(PersonError) as broken:
        words(text)
    assert broken.value.example == EXAMPLE
    assert broken.value.argument == "text"


@given(st.text(max_size=200))
def test_any_line_is_words_or_a_mistake(text: str) -> None:
    try:
        found = words(text)
    except PersonError:
        return
    assert all(isinstance(word, str) for word in found)


@given(st.text(alphabet="ab<>&;!|@#UlgtampC0 ", max_size=60))
def test_nothing_that_is_typed_can_pass_for_slacks_own_markup(typed: str) -> None:
    """Slack escapes what is typed; what comes out is what was typed, spaces aside."""
    sent = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert words(sent) == typed.split()


@given(st.text(max_size=60))
def test_escapes_are_undone_once(text: str) -> None:
    sent = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert unescape(sent) == text


@given(st.text(max_size=200) | st.emails())
def test_any_text_is_an_ascii_address_that_a_card_shows_whole_or_a_mistake(text: str) -> None:
    try:
        address = email(text)
    except PersonError:
        return
    assert address.isascii()
    assert address.isprintable()
    assert " " not in address
    assert len(address) <= 120
    assert email(address) == address


@given(st.text(max_size=700))
def test_a_description_is_shown_whole_or_refused(text: str) -> None:
    try:
        said = fields.description(text)
    except PersonError:
        return
    assert 1 <= len(said) <= 500
    assert fields.description(said) == said
