"""The wording of each kind of request, with accessors for a request of any kind."""

from collections.abc import Mapping
from typing import Final

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.presentation.payments.bulk import BULK, CANCELLATION
from bot.presentation.payments.payouts import ONE_STEP, PAYOUT
from bot.presentation.payments.purchases import PURCHASE
from bot.presentation.payments.wording import Wording
from bot.presentation.words import word

KINDS: Final[Mapping[Kind, Wording]] = {
    Kind.PAYOUT: PAYOUT,
    Kind.ONE_STEP: ONE_STEP,
    Kind.PURCHASE: PURCHASE,
    Kind.BULK: BULK,
    Kind.BULK_CANCEL: CANCELLATION,
}


def noun(instruction: Instruction) -> str:
    return KINDS[instruction.kind].noun


def headline(instruction: Instruction) -> str:
    """Return amount and other party's name, or number of payments, in plain text; never shortened."""
    return KINDS[instruction.kind].headline(instruction)


def in_full(instruction: Instruction) -> str:
    """Return the headline with the other party's address, in plain text; never shortened."""
    return KINDS[instruction.kind].in_full(instruction)


def sentence(instruction: Instruction, *, votes: int) -> str:
    """Describe the state in mrkdwn, claiming no more than was observed."""
    return KINDS[instruction.kind].sentence(instruction, votes=votes)


def word_of(instruction: Instruction) -> str:
    """Return the word for the request's state."""
    return KINDS[instruction.kind].word(instruction)


def word_in(instruction: Instruction, state: State) -> str:
    """Return the word for another state of the request's kind."""
    return KINDS[instruction.kind].states.get(state) or word(state)
