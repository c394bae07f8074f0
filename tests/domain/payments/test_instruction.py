from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.domain.payments.instruction import FINAL, NOT_PAID, Kind, PayoutPayload, State, digest_of
from bot.domain.policy import Requirement
from tests.domain.made import CODE, instruction, payload


def test_states_without_payment_are_final() -> None:
    assert NOT_PAID < FINAL
    assert State.COMPLETED not in NOT_PAID
    assert State.CLOSED not in NOT_PAID  # nobody can know


@given(st.emails(), st.integers(min_value=1, max_value=10**12), st.text(min_size=1, max_size=50), st.text(max_size=26))
def test_any_payload_change_changes_the_digest(email: str, cents: int, description: str, code: str) -> None:
    changed = PayoutPayload(email=email, cents=cents, description=description)
    same = changed == payload() and code == CODE
    before = digest_of(kind=Kind.PAYOUT, code=CODE, payload=payload())
    assert (digest_of(kind=Kind.PAYOUT, code=code, payload=changed) == before) is same
    assert replace(instruction(), payload=changed, code=code).intact() is same


@pytest.mark.parametrize("change", [{"email": "eve@example.com"}, {"cents": 2501}, {"description": "April"}])
def test_changing_one_part_changes_the_digest(change: dict[str, object]) -> None:
    before = digest_of(kind=Kind.PAYOUT, code=CODE, payload=payload())
    assert instruction().intact()
    assert digest_of(kind=Kind.PAYOUT, code=CODE, payload=payload(**change)) != before
    assert not replace(instruction(), payload=payload(**change)).intact()


def test_digest_separates_kind_code_and_fields() -> None:
    before = digest_of(kind=Kind.PAYOUT, code=CODE, payload=payload())
    assert digest_of(kind=Kind.ONE_STEP, code=CODE, payload=payload()) != before
    assert digest_of(kind=Kind.PAYOUT, code=f"{CODE[:-1]}X", payload=payload()) != before
    one = digest_of(kind=Kind.PAYOUT, code="A", payload=payload(description="BC"))
    assert digest_of(kind=Kind.PAYOUT, code="AB", payload=payload(description="C")) != one


def test_payload_and_quorum_must_be_positive() -> None:
    for cents in (0, -1):
        with pytest.raises(ValidationError):
            payload(cents=cents)
    with pytest.raises(ValidationError):
        Requirement(quorum=0)
