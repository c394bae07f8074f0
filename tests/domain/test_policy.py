from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.domain.money import Cents
from bot.domain.policy import Facts, Policy, Requirement

MINIMUM: dict[str, Any] = {"channels": {"approvals": "C0APPROVE"}}


def policy(**sections: Any) -> Policy:
    return Policy.model_validate({**MINIMUM, **sections})


def refusal(**sections: Any) -> str:
    with pytest.raises(ValidationError) as refused:
        policy(**sections)
    return str(refused.value)


def test_missing_policy_keys_use_contract_defaults() -> None:
    approval, people = policy().approval, policy().people
    assert (approval.quorum, approval.expires, approval.execute_within) == (1, 86_400, 3_600)
    assert approval.daily_limit == Cents(2_500_000)
    assert (people.requesters, people.approvers, people.admins) == ((), (), ())


def test_alerts_default_to_the_approvals_channel() -> None:
    assert policy().alerts == "C0APPROVE"
    assert policy(channels={"approvals": "C0APPROVE", "alerts": "C0ALERTS"}).alerts == "C0ALERTS"


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("5m", 300), ("24h", 86_400), ("2d", 172_800), ("1.5h", 5_400)]
)
def test_durations_have_units(text: str, seconds: float) -> None:
    assert policy(approval={"expires": text}).approval.expires == seconds


@pytest.mark.parametrize("value", ["24", "0h", "-1h", "1w", "", "h", 24, None, True])
def test_duration_without_unit_or_length_is_refused_with_example(value: object) -> None:
    assert '"24h"' in refusal(approval={"expires": value})


@pytest.mark.parametrize("value", [1000, 1000.0, "1,000", "0", "-5", "ten", None])
def test_policy_amount_must_be_plain_text(value: object) -> None:
    assert '"1000.00"' in refusal(approval={"daily_limit": value})


@pytest.mark.parametrize("sections", [
    {"aproval": {}}, {"approval": {"quorom": 2}}, {"people": {"approver": []}},
    {"channels": {"approvals": "C0APPROVE", "alert": "C1"}}, {"approval": {"rule": [{"over": "1.00", "typed": True}]}},
])  # fmt: skip
def test_misspelled_key_is_an_error(sections: dict[str, Any]) -> None:
    assert "Extra inputs" in refusal(**sections)


@pytest.mark.parametrize("sections", [
    {"channels": {}}, {"channels": {"approvals": "#approvals"}}, {"channels": {"approvals": "U0ADA"}},
    {"people": {"approvers": ["ada"]}}, {"people": {"approvers": ["@treasury"]}}, {"approval": {"quorum": 0}},
    {"approval": {"rule": [{"over": "1.00", "quorum": 0}]}}, {"approval": {"rule": [{"quorum": 2}]}},
])  # fmt: skip
def test_meaningless_positions_are_refused(sections: dict[str, Any]) -> None:
    assert refusal(**sections)


@pytest.mark.parametrize("role", ["approvers", "admins"])
def test_star_is_allowed_for_requesters_only(role: str) -> None:
    assert role in refusal(people={role: ["*"]})
    assert policy(people={"requesters": ["*"]}).people.requesters == ("*",)


RULES = [
    {"over": "1000.00", "quorum": 2},
    {"over": "5000.00", "quorum": 1, "typed_amount": True},
    {"over": "10000.00", "quorum": 3},
]


@pytest.mark.parametrize(("cents", "quorum", "typed"), [
    (1, 1, False), (100_000, 1, False), (100_001, 2, False), (500_001, 2, True), (1_000_001, 3, True),
])  # fmt: skip
def test_strictest_matching_rule_applies_per_field(cents: int, quorum: int, typed: bool) -> None:
    needs = policy(approval={"rule": RULES}).requirement(Facts(cents=cents))
    assert (needs.quorum, needs.typed_amount) == (quorum, typed)


def test_rule_never_lowers_the_base_quorum() -> None:
    needs = policy(approval={"quorum": 2, "rule": [{"over": "10.00", "quorum": 1}]}).requirement(Facts(cents=2_000))
    assert needs.quorum == 2


@given(st.integers(min_value=1, max_value=10**9), st.integers(min_value=1, max_value=10**9))
def test_larger_amounts_never_need_fewer_approvals(one: int, other: int) -> None:
    rules = policy(approval={"rule": RULES})
    less, more = (rules.requirement(Facts(cents=cents)) for cents in sorted((one, other)))
    assert less.quorum <= more.quorum
    assert less.typed_amount <= more.typed_amount


@pytest.mark.parametrize(("facts", "quorum"), [
    (Facts(cents=100), 1), (Facts(cents=100, new_recipient=True), 2), (Facts(cents=100, sent_today=400_001), 1),
    (Facts(cents=100, sent_today=499_901), 3), (Facts(cents=500_001, new_recipient=True), 4),
])  # fmt: skip
def test_rules_by_new_recipient_and_by_daily_sum(facts: Facts, quorum: int) -> None:
    rules = [
        {"new_recipient": True, "quorum": 2},
        {"daily_over": "5000.00", "quorum": 3},
        {"new_recipient": True, "over": "5000.00", "quorum": 4},
    ]
    needs = policy(approval={"rule": rules}).requirement(facts)
    assert needs.quorum == quorum
    assert bool(needs.reasons) == (quorum > 1)


ASKED = Requirement(
    quorum=2, typed_amount=False, reasons=("as asked",), expires_seconds=7_200.0, execute_within_seconds=600.0
)


@pytest.mark.parametrize(("later", "held"), [
    ({"quorum": 3}, {"quorum": 3, "reasons": ("later",)}),
    ({"typed_amount": True}, {"typed_amount": True, "reasons": ("later",)}),
    ({"quorum": 1, "typed_amount": True}, {"typed_amount": True, "reasons": ("later",)}),
    ({"quorum": 3, "reasons": ()}, {"quorum": 3}), ({"expires_seconds": 3_600.0}, {"expires_seconds": 3_600.0}),
    ({"execute_within_seconds": 60.0}, {"execute_within_seconds": 60.0}), ({}, {}),
    ({"quorum": 1, "expires_seconds": 9_000.0, "execute_within_seconds": 900.0}, {}),
])  # fmt: skip
def test_later_policy_applies_only_if_stricter(later: dict[str, Any], held: dict[str, Any]) -> None:
    """Its reasons go before those of the request only where it asks for more approvals or for the amount."""
    other = ASKED.model_copy(update={"reasons": ("later",), **later})
    found = ASKED.tightened(other)
    assert found == ASKED.model_copy(update=held)
    assert (found is ASKED) is (not held)


@pytest.mark.parametrize(
    ("able", "quorum", "everyone"), [(4, 3, False), (3, 3, False), (2, 2, True), (1, 2, True), (0, 2, True)]
)
def test_capped_requirement_gives_up_extra_approvers_only(able: int, quorum: int, everyone: bool) -> None:
    asked = Requirement(quorum=2).with_one_more("it repeats")
    capped = asked.capped(able)
    assert (capped.quorum, capped.by_rules, capped.everyone, capped.typed_amount) == (quorum, 2, everyone, everyone)
    stricter = capped.tightened(Requirement(quorum=2).with_one_more("it repeats"))
    assert stricter.quorum == quorum, "what was given up stays so"
    assert capped.tightened(Requirement(quorum=4)).by_rules == 4
    assert Requirement(quorum=3).capped(able) == Requirement(quorum=3)
