"""Addresses of people who are paid."""

import pytest

from bot.domain.addresses import address
from bot.domain.errors import RuleError


@pytest.mark.parametrize("text", ['"a b"@example.com', '"ana"@example.com', ' "a@b"@example.com', '"ana@example.com"'])
def test_none_in_quotation_marks(text: str) -> None:
    with pytest.raises(RuleError) as refused:
        address(text)
    assert refused.value.rule == "it must have no quotation marks: an e-mail address such as ana@example.com"


@pytest.mark.parametrize("text", ["ana", "a b@example.com", "ana@localhost", ""])
def test_none_at_all(text: str) -> None:
    with pytest.raises(RuleError) as refused:
        address(text)
    assert refused.value.rule == "it must be an e-mail address such as ana@example.com"


def test_one_form() -> None:
    assert address(" o'brien+work@Bücher.example ") == "o'brien+work@xn--bcher-kva.example"
