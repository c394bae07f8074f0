"""The audit chain: whatever happens in whatever order, it holds; whoever touches it is seen or refused."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from bot.domain.audit import Entry, Verdict
from bot.domain.payments.instruction import FINAL, Instruction, State
from bot.domain.payments.moves import MACHINES
from storage import StorageError, Store, Tx
from tests.storage.factories import KEY, NOW, instruction, later, unit, vote
from tests.support.rows import audit_rows, verify


def _entry(**values: Any) -> Entry:
    given_: dict[str, Any] = {"at": NOW, "instruction_id": "i", "actor": "U1", "action": "approve", "detail": {}}
    return Entry(**(given_ | {"before": "a", "after": "b"} | values))


async def _verdict(store: Store) -> Verdict:
    return await store.read(lambda tx: verify(key=KEY, rows=audit_rows(tx)))


async def test_hashed_audit_row_is_stored_unchanged(store: Store) -> None:
    elsewhere = datetime(2026, 1, 1, 12, 0, 0, 123456, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    odd = _entry(
        at=elsewhere,
        actor="nul\x00 and \ud800",
        detail={"b": (1, 2.5, None, True), "a": {"é": "\x00"}, "ten": {10: "x", 9: "y"}},
    )
    row = await unit(store).audit.append(odd)
    [held] = await store.read(audit_rows)
    assert held == row
    assert held.entry.at == elsewhere
    assert (await _verdict(store)).bad_seq is None


async def test_audit_detail_must_be_json(store: Store) -> None:
    for detail in ({"x": object()}, {"x": float("nan")}):
        with pytest.raises((TypeError, ValueError)):
            await unit(store).audit.append(_entry(detail=detail))
    assert (await unit(store).audit.head()).seq == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET actor = 'U9'",
        "DELETE FROM audit WHERE seq = 2",
        "DELETE FROM audit_head",
        "UPDATE audit_head SET seq = 1",
    ],
)
async def test_rows_cannot_be_touched(store: Store, statement: str) -> None:
    for _ in range(3):
        await unit(store).audit.append(_entry())
    with pytest.raises(StorageError, match="never changed"):
        await store.write(lambda tx: tx.audit._connection.execute(text(statement)))
    assert (await _verdict(store)).rows == 3


_KINDS = st.sampled_from(["ask", "vote", "move", "touch", "claim", "fail", "stale"])
_STEPS = st.lists(st.lists(st.tuples(_KINDS, st.integers(0, 30)), max_size=8), max_size=6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(groups=_STEPS)
async def test_chain_verifies_after_any_history(store: Store, groups: list[list[tuple[str, int]]]) -> None:
    """Each group arrives together. The store goes on from example to example, as a database does."""
    for group in groups:
        results = await asyncio.gather(
            *(store.write(_step(kind, number), name=kind) for kind, number in group), return_exceptions=True
        )
        failures = [result for result in results if isinstance(result, BaseException)]
        assert all(isinstance(failure, _Undone) for failure in failures), failures
    rows, standing = await store.read(
        lambda tx: (audit_rows(tx), {one.id: one.state for one in tx.instructions.awaiting(set(State))})
    )
    head = await unit(store).audit.head()
    assert verify(key=KEY, rows=rows) == Verdict(len(rows), head.hash)
    told: dict[str, str] = {}
    for row in rows:
        assert row.entry.before == told.get(row.entry.instruction_id, "")
        told[row.entry.instruction_id] = row.entry.after
    assert told == {one: state.value for one, state in standing.items()}


class _Undone(Exception):
    pass


def _step(kind: str, number: int) -> Callable[[Tx], object]:
    def work(tx: Tx) -> object:
        if kind == "ask":
            return tx.instructions.insert(instruction(), actor="U1")
        if kind == "claim":
            return tx.instructions.claim_due(now=later(number), owner="w", lease_seconds=5, limit=3)
        open_ones = [one for one in tx.instructions.awaiting(set(State)) if one.state not in FINAL]
        return _act(tx, kind, open_ones[number % len(open_ones)], number) if open_ones else None

    return work


def _act(tx: Tx, kind: str, one: Instruction, number: int) -> object:
    if kind == "vote":
        return tx.votes.cast(vote(one, f"U{number % 3}"))
    if kind == "touch":
        return tx.instructions.touch(one, now=later(number), reads=number, show=True)
    moved = _move(tx, one, number)
    if kind == "fail":
        raise _Undone
    if kind == "stale":
        assert _move(tx, one, number) is None
    return moved


def _move(tx: Tx, one: Instruction, number: int) -> Instruction | None:
    targets = sorted(state for state in State if MACHINES[one.kind].allows(one.state, state))
    lease: Any = {"lease_owner": "w", "lease_until": later(30)}
    to = targets[number % len(targets)]
    return tx.instructions.move(one, to, now=later(number), actor="w", action="step", **lease)
