"""Why a request is on hold: every way in which the database and the audit may disagree, in words."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.domain.payments.sealed import Odd
from bot.domain.reasons import OfRequest, Reason
from bot.presentation.reasons import worded
from tests.presentation.checks import lines_of

FACTS: dict[Odd, tuple[str, ...]] = {
    Odd.CHANGED_ROW: ("7",),
    Odd.GAP: ("9",),
    Odd.STATE: ("needs_human",),
    Odd.VOTES: ("U0ADA",),
}


def told(*found: tuple[Odd, tuple[str, ...]]) -> str:
    return worded(Reason(OfRequest.DISAGREES, found=found))


def test_each_way_has_its_words() -> None:
    assert lines_of(told(*((odd, FACTS.get(odd, ())) for odd in Odd)).split("; ")) == snapshot("""\
the audit does not know who asked for it
row 7 of the audit was changed
the audit does not hold from row 9 on
it is not what was asked for
somebody else asked for it, or at another time
it asks for less approval than it did
its state was changed past the audit
its state in the audit: needs a person
the attempts to send it are not those of the audit
it names another operation at the service
the time in which it may be sent is another one
an approval was never given
what its attempts took of the daily limit is not what was sent
its payments are not those that were asked for""")


def test_several_rows_and_votes_are_told_as_several() -> None:
    assert told((Odd.CHANGED_ROW, ("7", "9")), (Odd.VOTES, ("U0ADA", "U0LIN"))) == snapshot(
        "rows 7, 9 of the audit were changed; 2 approvals were never given"
    )


@pytest.mark.parametrize(
    ("state", "word"),
    [(State.COMMIT_UNKNOWN, "unknown"), (State.AWAITING, "waiting for approval"), ("odd", "another one")],
)
def test_a_state_is_told_in_the_word_that_cards_have_for_it(state: str, word: str) -> None:
    assert told((Odd.STATE, (str(state),))) == f"its state in the audit: {word}"


def test_a_request_on_hold_says_that_it_is() -> None:
    reason = Reason(OfRequest.ON_HOLD, found=[(Odd.CONTENT, ())])
    assert worded(reason) == "on hold, as the database and the audit disagree: it is not what was asked for"
