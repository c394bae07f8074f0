"""What people and their devices type: words, fields of payments, lines behind verbs of ``/localize``, a verb's form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.errors import PersonError
from bot.domain.fields import email
from bot.domain.localization.request import Request
from handlers.grammar.arguments import words_of
from handlers.grammar.line import read_line
from handlers.localize import of_verb
from handlers.replies import MistakesError


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
        # a quotation mark that isn't closed keeps the rest together
        *(('a "b c', ["a", "b c"]), ("a “b", ["a", "b"]), ('"', [""]), ('a "b" "c d', ["a", "b", "c d"])),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words_of(text) == found


@given(st.text(alphabet="ab<>&;!|@#UlgtampC0 ", max_size=60))
def test_nothing_that_is_typed_can_pass_for_slacks_own_markup(typed: str) -> None:
    """Slack escapes what is typed; what comes out is what was typed, spaces aside."""
    sent = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert words_of(sent) == typed.split()


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


def read_verb(verb: str, text: str) -> Request:
    return read_line(of_verb(verb), text, example=f"/localize {verb} …")


@pytest.mark.parametrize("setting", ["to=fr", "to=French", "target_lang=fr", "to=FR ", "To=fr", "target-lang=fr"])
def test_setting_is_read_by_its_word_or_its_name(setting: str) -> None:
    asked = read_verb("translate", f"{setting} Hello")
    assert (asked.text, dict(asked.options)) == ("Hello", {"target_lang": "fr"})


@pytest.mark.parametrize(("verb", "typed", "argument"), [
    ("translate", "target=fr Hello", "target"), ("speak", "payload=3 is a word too", "payload"),
])  # fmt: skip
def test_unknown_option_is_an_error_unless_quoted(verb: str, typed: str, argument: str) -> None:
    with pytest.raises(MistakesError) as broken:
        read_verb(verb, typed)
    assert [error.argument for error in broken.value.errors] == [argument]
    assert read_verb(verb, f'"{typed}"').text == typed


@pytest.mark.parametrize(("verb", "typed", "text"), [
    ("emotion", "I love <https://example.com|example.com>", "I love https://example.com"),
    ("translate", "Hello to=fr", "Hello to=fr"), ("translate", "to=fr “a” and “b”", "“a” and “b”"),
    ("translate", "to=fr it’s 3 &lt; 4 &amp; 5", "it’s 3 < 4 & 5"), ("translate", 'to=fr "', '"'),
    ("translate", "to=fr “Where is the station?”", "Where is the station?"),
    *(("paraphrase", typed, text) for typed, text in (
        ('"Hello there"', "Hello there"), ("„Hello“", "Hello"), ('Hello "there"', 'Hello "there"'),
        ('"Hello" "there"', '"Hello" "there"'), ('Hello"', 'Hello"'), ('"Hello', '"Hello'), ('""', ""))),
])  # fmt: skip
def test_text_is_kept_as_typed_without_marks_around_the_whole(verb: str, typed: str, text: str) -> None:
    assert read_verb(verb, typed).text == text
