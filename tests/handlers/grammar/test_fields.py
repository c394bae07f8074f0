"""What is typed into fields of payments: the last value that is taken, the first that is refused, and the words."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.domain.errors import PersonError
from bot.domain.fields import amount, email, reference
from bot.domain.money import Cents
from bot.domain.policy import Policy
from bot.presentation.reasons import rule_of
from handlers.grammar import fields

POLICY = Policy.model_validate({"channels": {"approvals": "C0A"}, "approval": {"daily_limit": "25000.00"}})


LISTED = "it must be payouts or purchases, or a page number such as 2"
OTHER_CURRENCY = "only USD can be sent: an amount in digits, with no currency sign and no other currency after it"
LENGTH = "it must have 1 to 500 characters that say what it is for; this has"


def limited(text: str) -> Cents:
    return fields.within_limit(amount(text), POLICY)


@pytest.mark.parametrize(
    ("read", "text", "argument", "rule", "example"),
    [
        (email, "nobody", "email", "it must be an e-mail address such as ana@example.com", "ana@example.com"),
        (amount, "0", "amount", "it must be more than zero", "25.00"),
        (limited, "25000.01", "amount", "it must not be above the daily limit of 25000.00 USD", "25.00"),
        (fields.description, "", "description", f"{LENGTH} 0", "March translation"),
        (fields.description, "x" * 501, "description", f"{LENGTH} 501", "March translation"),
        (fields.listing, "refunds", "payouts|purchases", LISTED, "list payouts 2"),
        *(
            (fields.page, text, "page", "it must be a page number such as 2", "list payouts 2")
            for text in ("0", "000000", "-1", "1.0", "1000000", "٣", "²", "two", "")
        ),
        (fields.currency, "EUR", "amount", OTHER_CURRENCY, "25.00"),
    ],
)
def test_the_words_for_what_is_refused(
    read: Callable[[str], object], text: str, argument: str, rule: str, example: str
) -> None:
    with pytest.raises(PersonError) as broken:
        read(text)
    assert (broken.value.argument, rule_of(broken.value), broken.value.example) == (argument, rule, example)
    assert broken.value.given.removesuffix(" USD") == text


def test_the_last_values_that_are_taken() -> None:
    assert limited("25000.00") == 2_500_000
    assert fields.description(f" {'x' * 500} ") == "x" * 500


@pytest.mark.parametrize(
    ("text", "listed"),
    [("payouts", "payout"), (" PAYOUT ", "payout"), ("Purchases", "purchase"), ("purchase", "purchase")],
)
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
    assert fields.read_form({"a": "ana@example.com", "b": "x", "d": "not asked for"}, readers) == (
        {"a": "ana@example.com"},
        {
            "b": "It is written in digits, with a point before the cents and no currency sign. For example: 25.00",
            "c": "It must have 1 to 500 characters that say what it is for; this has 0. For example: March translation",
        },
    )
