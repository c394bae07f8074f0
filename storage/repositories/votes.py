"""Votes: one row per person and round, however often a button is clicked."""

from sqlalchemy import bindparam, select

from bot.domain.payments.instruction import Vote
from storage.damage import Shape, read_one
from storage.prepared import Prepared
from storage.repositories.common import Repository, columns, insert_once
from storage.tables.instructions import vote as table

_NAMES = ("instruction_id", "round", "person", "choice", "at", "typed")
_SHAPE = Shape(table, Vote)
_ALL = select(*(table.c[name] for name in _NAMES))
_OF_ROUND = Prepared(
    _ALL.where(table.c.instruction_id == bindparam("wanted"), table.c.round == bindparam("wanted_round")).order_by(
        table.c.at, table.c.person
    )
)


class Votes(Repository):
    """The table ``vote``."""

    def cast(self, vote: Vote) -> bool:
        """Store a vote; False when this person has voted in this round already."""
        return insert_once(self._connection, table, columns(vote), unless=("instruction_id", "round", "person"))

    def of(self, instruction_id: str, round: int) -> list[Vote]:  # noqa: A002 - the domain's word
        """The votes of one round, in the order of voting.

        Raises:
            RowUnreadable: one of them cannot be read.
        """
        rows = _OF_ROUND.rows(self._connection, {"wanted": instruction_id, "wanted_round": round})
        return [read_one(self._damage, _SHAPE, dict(zip(_NAMES, row, strict=True))) for row in rows]
