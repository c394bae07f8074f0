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


def refused(read: Callable[[], object]) -> tuple[str, str, str, str]:
    """Argument, rule, example and what was given, of the mistake."""
    with pytest.raises(PersonError) as broken:
        read()
    return broken.value.argument, rule_of(broken.value), broken.value.example, broken.value.given


def test_the_daily_limit_itself_may_be_asked_for_and_no_cent_more() -> None:
    assert fields.within_limit(Cents(2_500_000), POLICY) == 2_500_000
    assert refused(lambda: fields.within_limit(Cents(2_500_001), POLICY)) == (
        "amount",
        "it must not be above the daily limit of 25000.00 USD",
        "25.00",
        "25000.01 USD",
    )


def test_a_description_of_five_hundred_characters_is_taken() -> None:
    assert fields.description(f" {'x' * 500} ") == "x" * 500
    for length in (0, 501):
        text = "x" * length
        assert refused(lambda text=text: fields.description(text)) == (  # type: ignore[misc]
            "description",
            f"it must have 1 to 500 characters that say what it is for; this has {length}",
            "March translation",
            text,
        )


@pytest.mark.parametrize(
    ("text", "listed"),
    [("payouts", "payout"), (" PAYOUT ", "payout"), ("Purchases", "purchase"), ("purchase", "purchase")],
)
def test_a_list_is_named_in_one_or_many(text: str, listed: str) -> None:
    assert fields.listing(text) == listed


@pytest.mark.parametrize(("text", "number"), [("1", 1), (" 2 ", 2), ("007", 7), ("999999", 999_999)])
def test_a_page_is_a_number_of_at_most_six_digits(text: str, number: int) -> None:
    assert fields.page(text) == number


@pytest.mark.parametrize("text", ["0", "000000", "-1", "1.0", "1000000", "٣", "²", "two", ""])
def test_no_page(text: str) -> None:
    assert refused(lambda: fields.page(text)) == ("page", "it must be a page number such as 2", "list payouts 2", text)


def test_the_words_for_what_cannot_be_read() -> None:
    assert refused(lambda: email("nobody")) == (
        "email",
        "it must be an e-mail address such as ana@example.com",
        "ana@example.com",
        "nobody",
    )
    assert refused(lambda: amount("0")) == ("amount", "it must be more than zero", "25.00", "0")
    assert refused(lambda: fields.currency("EUR")) == (
        "amount",
        "only USD can be sent: an amount in digits, with no currency sign and no other currency after it",
        "25.00",
        "EUR",
    )
    assert refused(lambda: fields.listing("refunds")) == (
        "payouts|purchases",
        "it must be payouts or purchases, or a page number such as 2",
        "list payouts 2",
        "refunds",
    )


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
