"""Errors for references of a kind that a verb doesn't take, with a button that shows the referenced record."""

from collections.abc import Collection
from typing import Final

from bot.domain.errors import PersonError
from bot.domain.references import Letter, letter_of
from bot.presentation import answers
from handlers.grammar.verbs import offer
from handlers.replies import MistakesError

BOOKINGS: Final = frozenset({Letter.BOOKING, Letter.PREBOOKING})
PAYMENTS: Final = frozenset(Letter) - BOOKINGS


def other_kind(given: str, *, takes: Collection[Letter], argument: str) -> MistakesError | None:
    """Return the error if the reference's letter is of another kind, else None; doesn't check that it exists."""
    letter = letter_of(given)
    return of_kind(given, letter, argument=argument) if letter is not None and letter not in takes else None


def of_kind(reference: str, letter: Letter, *, argument: str) -> MistakesError:
    shown = offer(answers.SHOW_IT, "deliver" if letter in BOOKINGS else "pay", f"show {reference}")
    error = PersonError(argument=argument, rule=answers.other_kind(reference, letter), example="")
    return MistakesError([error], [shown])
