"""Attempts and the daily limit: one claim at a time, and never a cent above."""

import asyncio
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.domain.payments.instruction import AttemptOutcome, Instruction
from storage import Conflict, Store, Tx
from tests.storage.factories import NOW, attempt, instruction, later

_DAY = "2026-11-20"


async def _ask(store: Store) -> Instruction:
    asked = instruction()
    await store.write(lambda tx: tx.instructions.insert(asked, actor="U1"))
    return asked


async def test_one_open_attempt_at_a_time(store: Store) -> None:
    asked, other = await _ask(store), await _ask(store)
    first = attempt(asked)
    await store.write(lambda tx: tx.attempts.open(first))
    for again in (attempt(asked, 1), attempt(asked, 2)):
        with pytest.raises(Conflict):
            await store.write(lambda tx: tx.attempts.open(again))  # noqa: B023
    await store.write(lambda tx: tx.attempts.open(attempt(other)))
    assert await store.read(lambda tx: tx.attempts.of(asked.id)) == [first]

    done = await store.write(lambda tx: tx.attempts.close(asked.id, 1, AttemptOutcome.UNKNOWN, "time-out", later(3)))
    late = await store.write(lambda tx: tx.attempts.close(asked.id, 1, AttemptOutcome.DONE, "", later(4)))
    assert (done, late) == (True, False)
    await store.write(lambda tx: tx.attempts.open(attempt(asked, 2)))
    [closed, opened] = await store.read(lambda tx: tx.attempts.of(asked.id))
    assert (closed.outcome, closed.detail, closed.finished_at) == (AttemptOutcome.UNKNOWN, "time-out", later(3))
    assert (opened.outcome, opened.boot_at) == (AttemptOutcome.OPEN, first.boot_at)


async def test_claims_at_once_take_exactly_the_limit(store: Store) -> None:
    asked = [await _ask(store) for _ in range(20)]

    def reserve(tx: Tx, one: Instruction) -> bool:
        return tx.reservations.reserve(one.id, 1, _DAY, 300, 1000)

    taken = await asyncio.gather(*(store.write(partial(reserve, one=one)) for one in asked))
    assert sum(taken) == 3
    assert await store.read(lambda tx: tx.reservations.sum(_DAY)) == 900
    assert await store.read(lambda tx: tx.reservations.sum("2026-11-21")) == 0


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.booleans(), st.integers(0, 2), st.integers(1, 2), st.integers(1, 700)), max_size=25))
async def test_the_sum_is_what_is_held_and_never_above_the_limit(
    store: Store, steps: list[tuple[bool, int, int, int]]
) -> None:
    asked = [await _ask(store) for _ in range(3)]
    day = f"day of {asked[0].id}"
    held: dict[tuple[str, int], int] = {}
    for reserving, which, n, cents in steps:
        key = (asked[which].id, n)
        if reserving:
            took = await store.write(lambda tx: tx.reservations.reserve(*key, day, cents, 1000))  # noqa: B023
            assert took == (key in held or sum(held.values()) + cents <= 1000)
            if took:
                held.setdefault(key, cents)
        else:
            assert await store.write(lambda tx: tx.reservations.release(*key)) == (key in held)  # noqa: B023
            held.pop(key, None)
        assert await store.read(lambda tx: tx.reservations.sum(day)) == sum(held.values()) <= 1000


async def test_flags(store: Store) -> None:
    for value in ({"frozen": True, "by": "U1"}, False, 0, "", [1]):
        await store.write(lambda tx: tx.flags.set("freeze", value, NOW))  # noqa: B023
        assert await store.read(lambda tx: tx.flags.get("freeze")) == value
    assert await store.read(lambda tx: tx.flags.get("other")) is None
