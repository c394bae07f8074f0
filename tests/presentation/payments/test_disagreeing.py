"""Why a request is on hold: every way in which the database and the audit may disagree, in words."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.domain.payments.sealed import Disagreement, Odd
from bot.presentation.payments.disagreeing import is_on_hold, on_hold, told

FACTS = {Odd.CHANGED_ROW: ("7",), Odd.GAP: ("9",), Odd.STATE: ("needs_human",), Odd.VOTES: ("U0ADA",)}


def test_each_way_has_its_words() -> None:
    found = [Disagreement(odd, FACTS.get(odd, ())) for odd in Odd]
    assert told(found).split("; ") == snapshot(
        [
            "the audit does not know who asked for it",
            "row 7 of the audit was changed",
            "the audit does not hold from row 9 on",
            "it is not what was asked for",
            "somebody else asked for it, or at another time",
            "it asks for less approval than it did",
            "its state was changed past the audit",
            "its state in the audit: needs a person",
            "the attempts to send it are not those of the audit",
            "it names another operation at the service",
            "the time in which it may be sent is another one",
            "an approval was never given",
            "what its attempts took of the daily limit is not what was sent",
            "its payments are not those that were asked for",
        ]
    )


def test_several_rows_and_votes_are_told_as_several() -> None:
    assert told([Disagreement(Odd.CHANGED_ROW, ("7", "9")), Disagreement(Odd.VOTES, ("U0ADA", "U0LIN"))]) == snapshot(
        "rows 7, 9 of the audit were changed; 2 approvals were never given"
    )


@pytest.mark.parametrize(
    ("state", "word"),
    [(State.COMMIT_UNKNOWN, "unknown"), (State.AWAITING, "waiting for approval"), ("odd", "another one")],
)
def test_a_state_is_told_in_the_word_that_cards_have_for_it(state: str, word: str) -> None:
    assert told([Disagreement(Odd.STATE, (str(state),))]) == f"its state in the audit: {word}"


def test_a_request_on_hold_is_known_by_its_reason() -> None:
    reason = on_hold([Disagreement(Odd.CONTENT)])
    assert reason == "on hold, as the database and the audit disagree: it is not what was asked for"
    assert is_on_hold(reason)
    assert not is_on_hold("on hold")
