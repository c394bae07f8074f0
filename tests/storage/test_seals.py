"""F94: a seal covers every column that decides, is the same in every database, and belongs to one row and one key."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.domain.payments.instruction import AttemptOutcome
from storage import Store, Tx
from storage.seals import SEALED, Seals
from storage.tables.instructions import attempt as attempt_table
from storage.tables.instructions import instruction as instruction_table
from storage.tables.instructions import vote as vote_table
from storage.types import Moment
from tests.storage.factories import KEY, NOW, ask, attempt, later, unit, vote
from tests.workflows.looking import there

BY_TABLE = {one.name: one for one in (instruction_table, vote_table, attempt_table)}
FREE = {
    "instruction": (
        "version origin_channel source_key recipient progress remote_status svc_hash reason decided_by refusal "
        "posted_at held_at reads last_read_at puts_off due_at lease_owner lease_until tries errors stopped closed_at "
        "payee_email cents chosen_code seal"
    ),
    "vote": "seal",
    "attempt": "seal",
}
"""Columns without a seal: nothing is sent, and no vote counts, because of them."""


def test_each_column_is_sealed_or_free() -> None:
    assert {name: {*SEALED[name].split(), *FREE[name].split()} for name in BY_TABLE} == {
        name: set(table.c.keys()) for name, table in BY_TABLE.items()
    }


async def sealed(store: Store) -> dict[str, Any]:
    asked = await ask(store, created_at=NOW + timedelta(microseconds=123_456))
    await unit(store).instructions.touch(asked, sent_at=later(1.000001), remote_id="r1")
    await unit(store).votes.cast(vote(asked))
    await unit(store).attempts.open(attempt(asked))
    await unit(store).attempts.close(asked.id, 1, AttemptOutcome.DONE, "paid \u0000 \U0001f600", later(2.000003))

    def work(tx: Tx) -> dict[str, Any]:
        rows = (tx.instructions.get(asked.id), tx.votes.of(asked.id, 1)[0], tx.attempts.of(asked.id)[0])
        return dict(zip(BY_TABLE, rows, strict=True))

    return await store.read(work)


async def test_rows_are_sealed_as_they_are_read_back(store: Store) -> None:
    seals, other = Seals(KEY), Seals(b"another key")
    for name, row in (await sealed(store)).items():
        table = BY_TABLE[name]
        assert seals.hold(table, row)
        assert not other.hold(table, row)
        assert not seals.hold(table, replace(row, seal=""))


async def test_changed_column_breaks_the_seal(store: Store) -> None:
    for name, row in (await sealed(store)).items():
        for column in SEALED[name].split():
            empty = NOW if isinstance(BY_TABLE[name].c[column].type, Moment) else "x"
            changed = replace(row, **{column: empty if getattr(row, column) is None else None})
            assert not Seals(KEY).hold(BY_TABLE[name], changed), column


async def test_forged_row_is_never_sealed_by_a_change_of_it(store: Store) -> None:
    asked = await ask(store)
    forged = replace(asked, requester="thief")
    after = await unit(store).instructions.touch(forged, round=2)
    assert after is not None
    assert not await store.read(lambda tx: tx.instructions.is_sealed(after))
    assert not await store.read(lambda tx: tx.instructions.is_sealed(there(tx.instructions.get(asked.id))))
