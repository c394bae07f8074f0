"""What is said to who freezes payments or lifts the freeze."""

import pytest

from bot.domain.policy import Frozen
from bot.domain.reasons import Reason, Verbatim
from bot.presentation.payments.answers import describe, freezing, refused_while_frozen

CALLED = Reason(Verbatim.GIVEN, text="the bank called")
FROZEN = Frozen(by="U0OLGA", reason=CALLED, at="2026-01-05T09:00:00Z", lifting=("U0ADA",))


@pytest.mark.parametrize(
    ("frozen", "changed", "asked_to_freeze", "said"),
    [
        (None, True, False, ":sunny: Payments flow again."),
        (None, False, False, ":sunny: Payments are not frozen."),
        (FROZEN, True, True, ":snowflake: Payments are frozen. Nothing is sent until approvers lift it."),
        (FROZEN, False, True, ":snowflake: Payments are frozen by <@U0OLGA>: the bank called."),
        (
            FROZEN,
            True,
            False,
            ":ballot_box_with_check: Your voice is recorded: 1 of 2 (<@U0ADA>). Payments stay frozen.",
        ),
        (
            FROZEN,
            False,
            False,
            ":ballot_box_with_check: Your voice was recorded before: 1 of 2 (<@U0ADA>). Payments stay frozen.",
        ),
    ],
)
def test_each_end_has_its_sentence(frozen: Frozen | None, changed: bool, asked_to_freeze: bool, said: str) -> None:
    assert freezing(frozen, changed=changed, asked_to_freeze=asked_to_freeze, needed=2).text == said


def test_a_new_request_is_refused_with_who_froze_and_why() -> None:
    assert refused_while_frozen(FROZEN).text == (
        ":snowflake: Payments are frozen by <@U0OLGA>: the bank called. "
        "Nothing can be asked for until approvers lift it."
    )


def test_a_freeze_of_nobody_known_names_nobody() -> None:
    nobody = Frozen(by="", reason=CALLED, at="2026-01-05T09:00:00Z", lifting=())
    assert describe(nobody) == "Payments are frozen: the bank called."
