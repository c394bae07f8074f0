"""Votes: one row a person and round, whatever is clicked how often."""

from sqlalchemy import Connection, bindparam, select

from bot.domain.instruction import Vote
from storage.repositories.common import columns, insert_once
from storage.tables import vote as table

_ALL = select(table.c.instruction_id, table.c.round, table.c.person, table.c.choice, table.c.at, table.c.typed)
_OF_ROUND = _ALL.where(
    table.c.instruction_id == bindparam("wanted"), table.c.round == bindparam("wanted_round")
).order_by(table.c.at, table.c.person)


class Votes:
    """The table ``vote``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def cast(self, vote: Vote) -> bool:
        """Store a vote; False when this person has voted in this round already."""
        return insert_once(self._connection, table, columns(vote), unless=("instruction_id", "round", "person"))

    def of(self, instruction_id: str, round: int) -> list[Vote]:  # noqa: A002 - the domain's word
        """The votes of one round, in the order of voting."""
        rows = self._connection.execute(_OF_ROUND, {"wanted": instruction_id, "wanted_round": round})
        return [Vote(**row._mapping) for row in rows]  # noqa: SLF001

    def all_of(self, instruction_id: str) -> list[Vote]:
        """The votes of every round, in the order of voting."""
        query = _ALL.where(table.c.instruction_id == instruction_id)
        rows = self._connection.execute(query.order_by(table.c.round, table.c.at, table.c.person))
        return [Vote(**row._mapping) for row in rows]  # noqa: SLF001
