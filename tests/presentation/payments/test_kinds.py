"""The record of each kind says all that a request of this kind can need, and nothing else names a kind."""

from dataclasses import replace

import pytest

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.presentation.payments.kinds import KINDS
from bot.presentation.payments.wording import DECIDED, NEWS, News
from bot.workflows.requests.announce import TOLD
from tests.presentation.payments.moments import NAMES, facts_of, moments, reachable

FOLLOWED = {Kind.PAYOUT: {State.NEW}, Kind.ONE_STEP: {State.NEW}, Kind.BULK: {State.COMMITTED}}
"""Told besides what is told of every kind: an address without an account, and payments that are unaccounted for."""
every_kind = pytest.mark.parametrize("kind", list(Kind))


def told(kind: Kind) -> set[State]:
    return reachable(kind) & TOLD | FOLLOWED.get(kind, set())


def alike(kind: Kind) -> list[Kind]:
    """Kinds that people call the same, so that one says what the other does."""
    return [other for other in Kind if KINDS[other].noun == KINDS[kind].noun]


def in_each_state(kind: Kind) -> list[Instruction]:
    """A request of this kind in every state that it can be in, at the moments that there are."""
    found = list(moments(kind).values())
    left = reachable(kind) - {one.state for one in found}
    return found + [replace(found[0], state=state, decided_by="U0ADA") for state in left]


@every_kind
def test_every_state_that_the_arrows_lead_to_has_its_sentence(kind: Kind) -> None:
    words = KINDS[kind]
    assert reachable(kind) <= set(words.sentences)
    own = {state for state, said in words.sentences.items() if DECIDED.get(state) != said}
    assert own <= set.union(*map(reachable, alike(kind))), "a state that no arrow leads to"
    for one in in_each_state(kind):
        said = words.sentence(one, votes=0)
        assert said.endswith((".", "?", "*", "…")), said


@every_kind
def test_every_state_that_is_told_has_its_news(kind: Kind) -> None:
    words = KINDS[kind]
    assert told(kind) <= set(words.news)
    own = {state for state, said in words.news.items() if NEWS.get(state) != said}
    assert own <= set.union(*map(told, alike(kind))), "a state that is never told"
    for one in in_each_state(kind):
        if one.state in told(kind):
            said = News(words, one, facts_of(one), NAMES).say(words.news[one.state])
            assert said.rstrip().endswith((".", ".*")), said
