"""Words that stand in databases: another one in a later version would not be found there."""

from enum import StrEnum

import pytest

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.bookings.record import StoreState
from bot.domain.payments.instruction import AttemptKind, AttemptOutcome, CallbackKind, Choice, Kind, State
from storage.rows import Action, DropState, InboxState, OutboxState


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Kind, "payout one_step purchase bulk bulk_cancel"),
        (
            State,
            "new creating create_unknown open awaiting approved sending commit_unknown needs_human "
            "committed pending_escrow completed canceled failed rejected withdrawn expired refused "
            "mismatch closed",
        ),
        (Choice, "approve retry"),
        (AttemptKind, "create commit"),
        (AttemptOutcome, "open done not_executed unknown abandoned"),
        (CallbackKind, "confirmation cancel failure purchase"),
        (Stage, "quoted new sending unknown waiting open ended refused lost dropped"),
        (BookingKind, "booking prebooking foreign"),
        (OutboxState, "new sending sent unknown dead"),
        (Action, "board line file"),
        (InboxState, "received applied stale unconfirmed"),
        (DropState, "noticed offered quiet gone"),
        (StoreState, "creating ready"),
    ],
    ids=lambda one: one.__name__ if isinstance(one, type) else "",
)
def test_words_that_are_stored_stay_as_they_are(kind: type[StrEnum], words: str) -> None:
    assert [one.value for one in kind] == words.split()
