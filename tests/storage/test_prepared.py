"""Prepared statements do what SQLAlchemy does with them: the same values, the same rows, the same errors."""

import pytest
from sqlalchemy import Connection, bindparam, insert, select, update

from bot.domain.reasons import given
from storage import Conflict, Store, Tx
from storage.prepared import Prepared
from storage.tables.instructions import instruction as table
from storage.tables.instructions import vote as votes
from tests.storage.factories import ask, opened, unit, vote

BY_ID = select(table).where(table.c.id == bindparam("wanted"))


def connection_of(tx: Tx) -> Connection:
    return tx._connection  # a unit of work has no other way to it


async def test_rows_are_those_that_sqlalchemy_reads(store: Store) -> None:
    asked = await ask(store)

    def both(tx: Tx) -> tuple[object, object, object]:
        connection, values = connection_of(tx), {"wanted": asked.id}
        [usual] = connection.execute(BY_ID, values)
        return (
            tuple(usual),
            Prepared(BY_ID).first(connection, values),
            Prepared(BY_ID).rows(connection, {"wanted": "?"}),
        )

    usual, quick, none = await store.read(both)
    assert (quick, none) == (usual, [])
    assert asked.created_at in tuple(usual)  # type: ignore[arg-type]


async def test_an_update_says_how_many_rows_it_changed(store: Store) -> None:
    asked = await ask(store)
    change = Prepared(update(table).where(table.c.id == bindparam("wanted"), table.c.stopped == ""))

    def count(tx: Tx, wanted: str) -> int:
        return change.count(connection_of(tx), {"wanted": wanted, "reason": given("later"), "due_at": None})

    assert await store.write(lambda tx: (count(tx, asked.id), count(tx, "nobody"))) == (1, 0)
    found = await unit(store).instructions.get(asked.id)
    assert (found.reason, found.due_at) == (given("later"), None)


async def test_what_the_database_refuses_is_the_same_error(store: Store) -> None:
    asked = await ask(store)
    cast = Prepared(insert(votes))
    mine = vote(asked)
    values = {column: getattr(mine, column) for column in (one.name for one in votes.c)}

    def twice(tx: Tx) -> None:
        for _ in range(2):
            cast.count(connection_of(tx), values)

    with pytest.raises(Conflict):
        await store.write(twice)
    assert await unit(store).votes.of(asked.id, 1) == []


async def test_a_list_is_not_prepared(sqlite_url: str) -> None:
    async with opened(sqlite_url) as store:
        some = Prepared(select(table.c.id).where(table.c.id.in_(bindparam("some", expanding=True))))
        with pytest.raises(ValueError, match="a list"):
            await store.read(lambda tx: some.rows(connection_of(tx), {"some": ["a"]}))
