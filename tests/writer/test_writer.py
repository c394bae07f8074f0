"""Whoever writes to the database without its key moves no money: every column, in every state of a request.

Here each column is attacked once, its value and the state drawn by its place; ``make chaos ARGS="writer"`` runs all.
"""

import asyncio
from itertools import cycle

import pytest

from bot.domain.payments.instruction import Kind, State
from bot.domain.payments.moves import MACHINES
from bot.workflows.payments import bulk, bulk_cancel
from bot.workflows.requests import authority
from tests.writer.attacks import CUT, SHARED, WHOLE, Attack, Mode, attacks
from tests.writer.columns import ATTACKED, HARMLESS, unclassified
from tests.writer.scenes import Result, run
from tests.writer.states import LEFT_OUT, SCENES, Scene

_BULK = frozenset({"bulk_item", "bulk_flight"})
_ALONE = (
    Scene(Kind.PAYOUT, State.APPROVED),
    Scene(Kind.ONE_STEP, State.WITHDRAWN),
    Scene(Kind.PAYOUT, State.AWAITING),
    Scene(Kind.ONE_STEP, State.REJECTED),
)
_TOGETHER = (Scene(Kind.BULK, State.APPROVED),)


def test_every_column_is_attacked_or_leads_to_nothing() -> None:
    assert unclassified() == {}
    assert all(why for why, _ in HARMLESS.values())


def test_every_state_is_attacked_or_left_out_for_a_reason() -> None:
    attacked = {(scene.kind, scene.state) for scene in SCENES}
    every = {
        (kind, state)
        for kind, machine in MACHINES.items()
        for before, after in machine.arrows.items()
        for state in (before, *after)
    }
    assert attacked | LEFT_OUT.keys() == every
    assert attacked & LEFT_OUT.keys() == set()
    assert all(LEFT_OUT.values())


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
        (Scene(Kind.ONE_STEP, State.WITHDRAWN), Attack("audit", CUT, 0, Mode.PUSHED)),
        (Scene(Kind.ONE_STEP, State.COMPLETED), Attack("audit", CUT, 2, Mode.CLEANED)),
        (Scene(Kind.BULK, State.COMPLETED), Attack("audit", CUT, 2, Mode.CLEANED)),
        (Scene(Kind.ONE_STEP, State.COMMIT_UNKNOWN), Attack("attempt", "delete", 0, Mode.CLEANED)),
        (Scene(Kind.ONE_STEP, State.NEEDS_HUMAN), Attack("attempt", "delete", 0, Mode.VOTED)),
        (Scene(Kind.PAYOUT, State.AWAITING), Attack("audit", "actor", 2, Mode.PLAIN)),
        (Scene(Kind.PAYOUT, State.APPROVED), Attack("audit_head", "seq", 0, Mode.PLAIN)),
    ],
    ids=str,
)
def test_nor_with_the_audit_changed_besides(scene: Scene, attack: Attack) -> None:
    (result,) = asyncio.run(run(scene, [attack]))
    assert result.done
    assert result.violation == ""


OTHER_NOTE = Attack("bulk_item", "note", 1, Mode.PLAIN)
OTHER_CODE = Attack("instruction", "code", 1, Mode.PLAIN)
OTHER_PAYLOAD = Attack("instruction", "payload", 1, Mode.PLAIN)
OTHER_HASH = Attack("bulk_item", "hash", 4, Mode.PLAIN)


@pytest.mark.parametrize(
    ("scene", "attack"),
    [
        (Scene(Kind.ONE_STEP, State.APPROVED), OTHER_CODE),
        (Scene(Kind.ONE_STEP, State.APPROVED), OTHER_PAYLOAD),
        (Scene(Kind.BULK, State.APPROVED), OTHER_NOTE),
        (Scene(Kind.BULK_CANCEL, State.APPROVED, returns=True), OTHER_HASH),
    ],
    ids=str,
)
def test_it_would_be_seen_if_it_were_sent(scene: Scene, attack: Attack, monkeypatch: pytest.MonkeyPatch) -> None:
    def agrees(*_: object, **__: object) -> tuple[()]:
        return ()

    def is_whole(*_: object) -> bool:
        return True

    monkeypatch.setattr(authority, "disagreements", agrees)
    for module in (authority, bulk, bulk_cancel):
        monkeypatch.setattr(module, "has_its_items", is_whole)
    (result,) = asyncio.run(run(scene, [attack]))
    assert result.done
    assert "nobody asked for" in result.violation


@pytest.mark.parametrize(
    ("scene", "table", "column"),
    [
        (Scene(Kind.PAYOUT, State.APPROVED), "instruction", "remote_id"),
        (Scene(Kind.ONE_STEP, State.APPROVED), "instruction", "payload"),
        (Scene(Kind.BULK_CANCEL, State.APPROVED), "bulk_item", "hash"),
    ],
    ids=str,
)
def test_row_of_another_request_is_not_sent(scene: Scene, table: str, column: str) -> None:
    other = max(one.nth for one in attacks() if (one.table, one.column) == (table, column))
    results = asyncio.run(run(scene, [Attack(table, column, other, mode) for mode in Mode]))
    assert _told(results) == []
    assert [(one.done, one.sent) for one in results] == [(True, False)] * 4


@pytest.mark.parametrize("returns", [False, True])
def test_cancellation_names_no_item_twice(returns: bool) -> None:
    scene = Scene(Kind.BULK_CANCEL, State.SENDING, returns=returns)
    results = asyncio.run(run(scene, [Attack("bulk_item", "attempt", nth, Mode.PLAIN) for nth in (0, 3)]))
    assert _told(results) == []
    assert [(one.done, one.held, one.sent) for one in results] == [(True, True, False)] * 2
