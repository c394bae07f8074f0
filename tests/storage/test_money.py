"""Votes, attempts and the daily limit: one voice, one claim at a time, and never a cent above."""

import asyncio
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain.payments.instruction import AttemptOutcome, Instruction
from storage import Conflict, Store, Tx
from tests.storage.factories import ask, attempt, later, unit

_DAY = "2026-11-20"


async def test_one_open_attempt_at_a_time(store: Store) -> None:
    asked, other = await ask(store), await ask(store)
    first = attempt(asked)
    await unit(store).attempts.open(first)
    for again in (attempt(asked, 1), attempt(asked, 2)):
        with pytest.raises(Conflict):
            await unit(store).attempts.open(again)
    await unit(store).attempts.open(attempt(other))
    assert await unit(store).attempts.of(asked.id) == [first]

    done = await unit(store).attempts.close(asked.id, 1, AttemptOutcome.UNKNOWN, "time-out", later(3))
    late = await unit(store).attempts.close(asked.id, 1, AttemptOutcome.DONE, "", later(4))
    assert (done, late) == (True, False)
    await unit(store).attempts.open(attempt(asked, 2))
    [closed, opened] = await unit(store).attempts.of(asked.id)
    assert (closed.outcome, closed.detail, closed.finished_at) == (AttemptOutcome.UNKNOWN, "time-out", later(3))
    assert (opened.outcome, opened.boot_at) == (AttemptOutcome.OPEN, first.boot_at)


async def test_claims_at_once_take_exactly_the_limit(store: Store) -> None:
    asked = [await ask(store) for _ in range(20)]

    def reserve(tx: Tx, one: Instruction) -> bool:
        return tx.reservations.reserve(one.id, 1, _DAY, 300, 1000)

    taken = await asyncio.gather(*(store.write(partial(reserve, one=one)) for one in asked))
    assert sum(taken) == 3
    assert await unit(store).reservations.sum(_DAY) == 900
    assert await unit(store).reservations.sum("2026-11-21") == 0


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(1, 2), st.integers(1, 700)), max_size=25))
async def test_reservations_stay_within_the_daily_limit(store: Store, steps: list[tuple[bool, int, int, int]]) -> None:
    asked = [await ask(store) for _ in range(3)]
    day = f"day of {asked[0].id}"
    held: dict[tuple[str, int], int] = {}
    for reserving, which, n, cents in steps:
        key = (asked[which].id, n)
        if reserving:
            took = await unit(store).reservations.reserve(*key, day, cents, 1000)
            assert took == (key in held or sum(held.values()) + cents <= 1000)
            if took:
                held.setdefault(key, cents)
        else:
            assert await unit(store).reservations.release(*key) == (key in held)
            held.pop(key, None)
        assert await unit(store).reservations.sum(day) == sum(held.values()) <= 1000
