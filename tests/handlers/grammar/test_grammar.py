"""What people and their devices type: words, fields of payments, lines behind verbs of ``/localize``, a verb's form."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.errors import PersonError
from bot.domain.fields import amount, email, reference
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.domain.payments import fields
from bot.domain.policy import Policy
from bot.domain.text import unescape
from bot.presentation.reasons import rule_of
from handlers.grammar.arguments import Argument, read_form, words_of
from handlers.grammar.line import read_line
from handlers.grammar.verbs import SlashCommand, Verb, submit
from handlers.incoming import Submission
from handlers.localize import of_verb
from handlers.replies import FieldErrors, MistakesError


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
    assert words_of(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('a "b', ["a", "b"]),
        ('a "b c', ["a", "b c"]),
        ("a “b", ["a", "b"]),
        ('"', [""]),
        ('a "b" "c d', ["a", "b", "c d"]),
    ],
)
def test_a_quotation_mark_that_is_not_closed_keeps_the_rest_together(text: str, found: list[str]) -> None:
    assert words_of(text) == found


@given(st.text(max_size=200))
def test_any_line_is_words(text: str) -> None:
    assert all(isinstance(word, str) for word in words_of(text))


@given(st.text(alphabet="ab<>&;!|@#UlgtampC0 ", max_size=60))
def test_nothing_that_is_typed_can_pass_for_slacks_own_markup(typed: str) -> None:
    """Slack escapes what is typed; what comes out is what was typed, spaces aside."""
    sent = typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert words_of(sent) == typed.split()


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


POLICY = Policy.model_validate({"channels": {"approvals": "C0A"}, "approval": {"daily_limit": "25000.00"}})


LISTED = "use payouts or purchases, or a page number such as 2"
OTHER_CURRENCY = "amounts are in USD only"


@pytest.mark.parametrize(
    ("read", "text", "argument", "rule", "example"),
    [
        (fields.listing, "refunds", "payouts|purchases", LISTED, "list payouts 2"),
        *(
            (fields.page, text, "page", "it isn't a page number", "list payouts 2")
            for text in ("0", "000000", "-1", "1.0", "1000000", "٣", "²", "two", "")
        ),
        (fields.currency, "EUR", "amount", OTHER_CURRENCY, "25.00"),
    ],
)
def test_words_for_refusals(read: Callable[[str], object], text: str, argument: str, rule: str, example: str) -> None:
    with pytest.raises(PersonError) as broken:
        read(text)
    assert (broken.value.argument, rule_of(broken.value), broken.value.example) == (argument, rule, example)
    assert broken.value.given.removesuffix(" USD") == text


def test_the_last_values_that_are_taken() -> None:
    assert fields.within_limit(amount("25000.00"), POLICY) == 2_500_000
    assert fields.description(f" {'x' * 500} ") == "x" * 500


@pytest.mark.parametrize(("text", "listed"), [
    ("payouts", "payout"), (" PAYOUT ", "payout"), ("Purchases", "purchase"), ("purchase", "purchase"),
])  # fmt: skip
def test_a_list_is_named_in_one_or_many(text: str, listed: str) -> None:
    assert fields.listing(text) == listed


@pytest.mark.parametrize(("text", "number"), [("1", 1), (" 2 ", 2), ("007", 7), ("999999", 999_999)])
def test_a_page_is_a_number_of_at_most_six_digits(text: str, number: int) -> None:
    assert fields.page(text) == number


@pytest.mark.parametrize(("word", "is_ours"), [("USD", True), ("usd", True), ("$", True), ("rent", False)])
def test_a_word_that_only_names_our_currency(word: str, is_ours: bool) -> None:
    assert fields.currency(word) is is_ours


@pytest.mark.parametrize("text", ["P-4F7K2M", " `P-4F7K2M` ", "`P-4F7K2M`"])
def test_a_name_is_copied_with_its_quotation_marks_or_without(text: str) -> None:
    assert reference(text) == "P-4F7K2M"


def test_each_field_of_a_form_is_read_even_when_another_is_wrong() -> None:
    readers: dict[str, Callable[[str], Any]] = {"a": email, "b": amount, "c": fields.description}
    assert read_form({"a": "ana@example.com", "b": "x", "d": "not asked for"}, readers) == (
        {"a": "ana@example.com"},
        {
            "b": "This isn't an amount. Example: 25.00",
            "c": "Add a description: what is this for? Example: March translation",
        },
    )


def read_verb(verb: str, text: str) -> Request:
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
    assert read_verb("gender", typed) == Request(
        operation=CallOperation.GENDER, url="https://example.com/a.mp3?a=1&b=2"
    )
    assert read_verb("emotion", typed).operation is CallOperation.SPEECH_EMOTION


def test_a_link_inside_a_text_is_text() -> None:
    asked = read_verb(
        "emotion", "I love <https://example.com|example.com> and <mailto:ana@example.com|ana@example.com>"
    )
    assert asked.operation is CallOperation.TEXT_EMOTION
    assert asked.text == "I love https://example.com and ana@example.com"


@pytest.mark.parametrize("setting", ["to=fr", "to=French", "target_lang=fr", "to=FR ", "To=fr", "target-lang=fr"])
def test_a_setting_by_its_word_or_its_name_as_telephones_and_programmers_write_it(setting: str) -> None:
    asked = read_verb("translate", f"{setting} Hello")
    assert (asked.text, dict(asked.options)) == ("Hello", {"target_lang": "fr"})


def test_settings_behind_the_first_word_are_words() -> None:
    asked = read_verb("translate", "Hello to=fr")
    assert (asked.text, dict(asked.options)) == ("Hello to=fr", {})


@pytest.mark.parametrize(("verb", "typed", "argument"), [
    ("transliterate", "to=hi नमस्ते", "to"), ("translate", "target=fr Hello", "target"),
    ("paraphrase", "tone=formal Hello", "tone"), ("speak", "payload=3 is a word too", "payload"),
])  # fmt: skip
def test_an_option_that_is_not_there_is_no_text(verb: str, typed: str, argument: str) -> None:
    with pytest.raises(MistakesError) as broken:
        read_verb(verb, typed)
    (error,) = broken.value.errors
    assert error.argument == argument
    quoted = "put a text that begins like this in quotation marks"
    assert re.fullmatch(rf"there is no option {argument}=; there is (\w+=, )*\w+=; {quoted}", rule_of(error))
    assert read_verb(verb, f'"{typed}"').text == typed


@pytest.mark.parametrize("typed", ["to=xx Hello", "from=klingon Hello", "to=fr from=xx Hello"])
def test_a_language_that_there_is_not(typed: str) -> None:
    with pytest.raises(MistakesError) as broken:
        read_verb("translate", typed)
    assert ["a language such as" in rule_of(error) for error in broken.value.errors] == [True]


def test_all_mistakes_of_a_line_at_once() -> None:
    with pytest.raises(MistakesError) as broken:
        read_verb("extract-audio", "rate=1 width=2 channels=3 depth=4")
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
    assert read_verb("translate", typed).text == text


@pytest.mark.parametrize(("typed", "text"), [
    ('"Hello there"', "Hello there"), ("“Hello there”", "Hello there"), ("„Hello“", "Hello"),
    ('Hello "there"', 'Hello "there"'), ('"Hello" there', '"Hello" there'), ('"Hello" "there"', '"Hello" "there"'),
    ('Hello"', 'Hello"'), ('"Hello', '"Hello'), ('"', '"'), ('""', ""),
])  # fmt: skip
def test_quotation_marks_around_the_whole_text_are_taken_away(typed: str, text: str) -> None:
    assert read_verb("paraphrase", typed).text == text


class Spelled:
    """What a form needs of its dependencies."""

    def spelled(self, command: str) -> str:
        return f"/{command}"


@pytest.mark.parametrize(("argument", "field"), [("amount", "amount"), ("note", "email")])
async def test_a_mistake_stands_beside_its_field_or_else_the_first(argument: str, field: str) -> None:
    async def run(*_: object) -> Any:
        raise MistakesError([PersonError(argument=argument, rule="it is too much", example="")])

    arguments = [Argument(name=name, rule="", read=str) for name in ("email", "amount")]
    values = {"email": "ana@example.com", "amount": "9"}
    about = json.dumps({"command": "pay", "verb": "send", "channel": "C1"})
    form = Submission(callback_id="verb", view_id="V1", metadata=about, values=values, user="U0MARIA")
    deps: Any = Spelled()
    pay = SlashCommand("pay", "pays", (Verb("send", "sends", run, arguments=arguments),))
    reply = await submit(deps, form, commands={"pay": pay})
    assert isinstance(reply, FieldErrors)
    assert reply.errors == {field: "It is too much."}
