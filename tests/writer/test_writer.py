"""Whoever writes to the database without its key moves no money: every column, in every state of a request.

Here each column is attacked once, its value and the state drawn by its place; ``make chaos ARGS="writer"`` runs all.
"""

import asyncio
from itertools import cycle

import pytest

from bot.domain.payments.instruction import Kind
from tests.writer.attacks import CUT, SHARED, WHOLE, Attack, Mode, attacks
from tests.writer.columns import ATTACKED, HARMLESS, unclassified
from tests.writer.scenes import Result, Scene, run

_BULK = frozenset({"bulk_item", "bulk_flight"})
_ALONE = (
    Scene(Kind.PAYOUT, "approved"),
    Scene(Kind.ONE_STEP, "withdrawn"),
    Scene(Kind.PAYOUT, "awaiting"),
    Scene(Kind.ONE_STEP, "rejected"),
)
_TOGETHER = (Scene(Kind.BULK, "approved"),)


def test_every_column_is_attacked_or_leads_to_nothing() -> None:
    assert unclassified() == {}
    assert all(why for why, _ in HARMLESS.values())


def _drawn() -> dict[Scene, list[Attack]]:
    """One attack for each column: its last value that is neither empty nor nothing, in the next scene and mode."""
    by_column: dict[tuple[str, str], list[Attack]] = {}
    for attack in attacks():
        by_column.setdefault((attack.table, attack.column), []).append(attack)
    scenes: dict[bool, cycle[Scene]] = {True: cycle(_TOGETHER), False: cycle(_ALONE)}
    modes = cycle([Mode.VOTED, Mode.PUSHED, Mode.PLAIN, Mode.VOTED, Mode.PUSHED])
    found: dict[Scene, list[Attack]] = {}
    for n, ((table, _), every) in enumerate(by_column.items()):
        if table in SHARED:
            continue
        mode, scene = next(modes), next(scenes[table in _BULK])
        mine = [one for one in every if one.mode is mode]
        found.setdefault(scene, []).append(mine[n % len(mine)])
    return found


DRAWN = _drawn()


def _told(results: list[Result]) -> list[str]:
    return [str(one) for one in results if one.violation]


@pytest.mark.parametrize("scene", DRAWN, ids=str)
def test_nothing_is_sent_that_was_not_approved(scene: Scene) -> None:
    results = asyncio.run(run(scene, DRAWN[scene]))
    assert _told(results) == []
    assert sum(one.done for one in results) > len(results) // 2
    forged = [one for one in results if one.done and one.attack.mode is Mode.VOTED]
    assert [str(one) for one in forged if one.sent] == []
    assert sum(one.held for one in forged) > len(forged) // 2


def test_each_column_has_its_turn() -> None:
    drawn = {(one.table, one.column) for every in DRAWN.values() for one in every}
    wanted = {
        (table, column)
        for table, columns in ATTACKED.items()
        for column in (*columns.split(), *WHOLE)
        if table not in SHARED
    }
    assert drawn == wanted


@pytest.mark.parametrize(
    ("scene", "attack"),
    [
        (Scene(Kind.ONE_STEP, "withdrawn"), Attack("audit", CUT, 0, Mode.PUSHED)),
        (Scene(Kind.ONE_STEP, "sent"), Attack("audit", CUT, 2, Mode.CLEANED)),
        (Scene(Kind.BULK, "sent"), Attack("audit", CUT, 2, Mode.CLEANED)),
        (Scene(Kind.ONE_STEP, "unknown"), Attack("attempt", "delete", 0, Mode.CLEANED)),
        (Scene(Kind.ONE_STEP, "needs_human"), Attack("attempt", "delete", 0, Mode.VOTED)),
        (Scene(Kind.PAYOUT, "awaiting"), Attack("audit", "actor", 2, Mode.PLAIN)),
        (Scene(Kind.PAYOUT, "approved"), Attack("audit_head", "seq", 0, Mode.PLAIN)),
    ],
    ids=str,
)
def test_nor_with_the_audit_changed_besides(scene: Scene, attack: Attack) -> None:
    (result,) = asyncio.run(run(scene, [attack]))
    assert result.done
    assert result.violation == ""
