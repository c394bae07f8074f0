"""What stands behind a verb of ``/localize``, as devices of people and Slack itself write it."""

import re

import pytest

from bot.domain.localization import CallOperation, Request
from bot.presentation.reasons import rule_of
from handlers.grammar.localize_line import read_line
from handlers.localize import of_verb
from handlers.replies import MistakesError


def read(verb: str, text: str) -> Request:
    return read_line(of_verb(verb), text, example=f"/localize {verb} …")


@pytest.mark.parametrize(
    "typed",
    [
        "https://example.com/a.mp3?a=1&amp;b=2",
        "<https://example.com/a.mp3?a=1&amp;b=2>",
        "<https://example.com/a.mp3?a=1&amp;b=2|example.com/a.mp3>",
        "  <https://example.com/a.mp3?a=1&amp;b=2|look here>  ",
    ],
)
def test_an_address_as_slack_writes_it(typed: str) -> None:
    assert read("gender", typed) == Request(operation=CallOperation.GENDER, url="https://example.com/a.mp3?a=1&b=2")
    assert read("emotion", typed).operation is CallOperation.SPEECH_EMOTION


def test_a_link_inside_a_text_is_text() -> None:
    asked = read("emotion", "I love <https://example.com|example.com> and <mailto:ana@example.com|ana@example.com>")
    assert asked.operation is CallOperation.TEXT_EMOTION
    assert asked.text == "I love https://example.com and ana@example.com"


@pytest.mark.parametrize("setting", ["to=fr", "to=French", "target_lang=fr", "to=FR ", "To=fr", "target-lang=fr"])
def test_a_setting_by_its_word_or_its_name_as_telephones_and_programmers_write_it(setting: str) -> None:
    asked = read("translate", f"{setting} Hello")
    assert (asked.text, dict(asked.options)) == ("Hello", {"target_lang": "fr"})


def test_settings_behind_the_first_word_are_words() -> None:
    asked = read("translate", "Hello to=fr")
    assert (asked.text, dict(asked.options)) == ("Hello to=fr", {})


@pytest.mark.parametrize(
    ("verb", "typed", "argument"),
    [
        ("transliterate", "to=hi नमस्ते", "to"),
        ("translate", "target=fr Hello", "target"),
        ("paraphrase", "tone=formal Hello", "tone"),
        ("speak", "payload=3 is a word too", "payload"),
    ],
)
def test_an_option_that_is_not_there_is_no_text(verb: str, typed: str, argument: str) -> None:
    with pytest.raises(MistakesError) as broken:
        read(verb, typed)
    (error,) = broken.value.errors
    assert error.argument == argument
    quoted = "a text that begins like this stands in quotation marks"
    assert re.fullmatch(rf"there is no such option; there is: (\w+=, )*\w+=; {quoted}", rule_of(error))
    assert read(verb, f'"{typed}"').text == typed


@pytest.mark.parametrize("typed", ["to=xx Hello", "from=klingon Hello", "to=fr from=xx Hello"])
def test_a_language_that_there_is_not(typed: str) -> None:
    with pytest.raises(MistakesError) as broken:
        read("translate", typed)
    assert ["a language such as" in rule_of(error) for error in broken.value.errors] == [True]


def test_all_mistakes_of_a_line_at_once() -> None:
    with pytest.raises(MistakesError) as broken:
        read("extract-audio", "rate=1 width=2 channels=3 depth=4")
    assert [error.argument for error in broken.value.errors] == ["rate", "width", "channels", "depth", "url"]


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("to=fr He said “no” — twice…", "He said “no” — twice…"),
        ("to=fr “Where is the station?”", "Where is the station?"),
        ("to=fr it’s 3 &lt; 4 &amp; 5", "it’s 3 < 4 & 5"),
        ('to=fr "', '"'),
        ("to=fr “a” and “b”", "“a” and “b”"),
    ],
)
def test_a_text_is_translated_as_it_was_typed(typed: str, text: str) -> None:
    assert read("translate", typed).text == text


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ('"Hello there"', "Hello there"),
        ("“Hello there”", "Hello there"),
        ("„Hello“", "Hello"),
        ('Hello "there"', 'Hello "there"'),
        ('"Hello" there', '"Hello" there'),
        ('"Hello" "there"', '"Hello" "there"'),
        ('Hello"', 'Hello"'),
        ('"Hello', '"Hello'),
        ('"', '"'),
        ('""', ""),
    ],
)
def test_quotation_marks_around_the_whole_text_are_taken_away(typed: str, text: str) -> None:
    assert read("paraphrase", typed).text == text
