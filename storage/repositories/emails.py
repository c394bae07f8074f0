"""Runs through lists of e-mail addresses.

Addresses are taken in the order of their numbers, so one number shows which were taken: all below it. Those without
an answer were in flight when a process died.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, delete, exists, func, insert, or_, select, update

from storage.damage import Broken, Shape
from storage.repositories.common import Repository, columns
from storage.rows import EmailRun
from storage.tables.queues import job
from storage.tables.services import email_address, email_block, email_run

Numbered = tuple[int, str]
"""An address, or an answer in its stored form, by its number."""

_RECORD = (
    update(email_address)
    .where(
        email_address.c.job_id == bindparam("job"),
        email_address.c.n == bindparam("number"),
        email_address.c.answer.is_(None),
    )
    .values(answer=bindparam("said"))
)


def _read(*, header: object, outcomes: object, **values: Any) -> EmailRun:
    if not isinstance(header, list) or not all(isinstance(one, str) for one in header):
        raise Broken("header")
    if not isinstance(outcomes, dict) or not all(type(count) is int for count in outcomes.values()):
        raise Broken("outcomes")
    return EmailRun(**values, header=header, outcomes=outcomes)


_SHAPE = Shape(email_run, _read)


class EmailRuns(Repository):
    """The tables ``email_run``, ``email_address`` and ``email_block``."""

    def begin(self, run: EmailRun) -> None:
        """Start empty: delete what a process stored that died while it read the file."""
        for table in (email_address, email_block, email_run):
            self._connection.execute(delete(table).where(table.c.job_id == run.job_id))
        self._connection.execute(insert(email_run), columns(run))

    def add_addresses(self, job_id: str, addresses: Sequence[Numbered]) -> None:
        """Addresses, each once."""
        rows = [{"job_id": job_id, "n": n, "address": address, "answer": None} for n, address in addresses]
        if rows:
            self._connection.execute(insert(email_address), rows)

    def add_block(self, job_id: str, *, part: str, n: int, content: bytes) -> None:
        """A piece of a file."""
        values = {"job_id": job_id, "part": part, "n": n, "content": content}
        self._connection.execute(insert(email_block), values)

    def drop_blocks(self, job_id: str, *, part: str) -> None:
        """Delete the pieces of a file."""
        self._connection.execute(delete(email_block).where(email_block.c.job_id == job_id, email_block.c.part == part))

    def get(self, job_id: str) -> EmailRun | None:
        """The progress of a run."""
        return self._one(_SHAPE, select(email_run).where(email_run.c.job_id == job_id))

    def sized(self, job_id: str, *, rows: int, skipped: int, total: int) -> None:
        """Store the totals, once the whole file has been read."""
        self._note(job_id, rows=rows, skipped=skipped, total=total)

    def take(self, job_id: str, count: int) -> list[Numbered]:
        """The next addresses; from now on they count as asked."""
        if count <= 0:
            return []
        run = self._connection.execute(select(email_run.c.taken).where(email_run.c.job_id == job_id)).scalar_one()
        found = self._addresses(job_id, email_address.c.n >= run, limit=count)
        if found:
            self._note(job_id, taken=found[-1][0] + 1)
        return found

    def park(self, job_id: str, count: int) -> None:
        """Store how many taken addresses wait for the next worker; none is in flight any more."""
        self._note(job_id, parked=count)

    def pick_up(self, job_id: str) -> list[Numbered]:
        """Addresses that were taken and have no answer; ask all of them.

        Those that were not parked may have been asked by a process that died; they count as repeated.
        """
        left = self.unanswered(job_id)
        self._note(job_id, repeated=email_run.c.repeated + len(left) - email_run.c.parked, parked=0)
        return left

    def unanswered(self, job_id: str) -> list[Numbered]:
        """Addresses that were taken, with no answer stored."""
        taken = select(email_run.c.taken).where(email_run.c.job_id == job_id).scalar_subquery()
        return self._addresses(job_id, email_address.c.answer.is_(None), email_address.c.n < taken)

    def record(self, job_id: str, answers: Sequence[tuple[int, str, str]]) -> None:
        """Store answers as (number, outcome, stored form). An answer stored before is kept."""
        if not answers:
            return
        kept = select(email_run.c.outcomes).where(email_run.c.job_id == job_id)
        outcomes: Counter[str] = Counter(self._connection.execute(kept).scalar_one())
        asked = [number for number, _, _ in answers]
        known = set(
            self._connection.execute(
                select(email_address.c.n).where(
                    email_address.c.job_id == job_id,
                    email_address.c.n.between(min(asked), max(asked)),
                    email_address.c.answer.is_not(None),
                )
            ).scalars()
        )
        new = {number: (outcome, said) for number, outcome, said in answers if number not in known}
        if not new:
            return
        self._connection.execute(_RECORD, [{"job": job_id, "number": n, "said": said} for n, (_, said) in new.items()])
        outcomes.update(outcome for outcome, _ in new.values())
        self._note(job_id, outcomes=dict(outcomes))

    def answers(self, job_id: str) -> Mapping[int, str]:
        """Every stored answer, by the number of its address."""
        query = select(email_address.c.n, email_address.c.answer).where(
            email_address.c.job_id == job_id, email_address.c.answer.is_not(None)
        )
        return {row[0]: row[1] for row in self._connection.execute(query)}

    def blocks(self, job_id: str, *, part: str) -> Iterator[bytes]:
        """The pieces of a file, in order."""
        query = (
            select(email_block.c.content)
            .where(email_block.c.job_id == job_id, email_block.c.part == part)
            .order_by(email_block.c.n)
        )
        return iter(self._connection.execute(query).scalars())

    def counted(self, job_id: str) -> tuple[int, int]:
        """Addresses and answers counted in the table: what the figures of the run must equal."""
        query = select(func.count(), func.count(email_address.c.answer)).where(email_address.c.job_id == job_id)
        total, answered = self._connection.execute(query).one()
        return total, answered

    def is_complete(self, job_id: str) -> bool:
        """Whether every address of a run has its answer, by the figures of the run; False before it is sized."""
        run = self.get(job_id)
        return run is not None and 0 < run.total <= sum(run.outcomes.values())

    def has_old(self, *, before: datetime) -> bool:
        """Whether :meth:`forget` would find anything."""
        return self._connection.execute(_old(before)).first() is not None

    def forget(self, *, before: datetime, limit: int) -> int:
        """Delete addresses, answers and files of one list closed before then, up to ``limit``; how many rows."""
        job_id = self._connection.execute(_old(before)).scalar_one_or_none()
        if job_id is None:
            return 0
        some = select(email_address.c.n).where(email_address.c.job_id == job_id).limit(limit).scalar_subquery()
        blocks = delete(email_block).where(email_block.c.job_id == job_id)
        addresses = delete(email_address).where(email_address.c.job_id == job_id, email_address.c.n.in_(some))
        return self._connection.execute(blocks).rowcount + self._connection.execute(addresses).rowcount

    def _note(self, job_id: str, **values: object) -> None:
        self._change(email_run, email_run.c.job_id == job_id, **values)

    def _addresses(self, job_id: str, *conditions: Any, limit: int | None = None) -> list[Numbered]:
        query = (
            select(email_address.c.n, email_address.c.address)
            .where(email_address.c.job_id == job_id, *conditions)
            .order_by(email_address.c.n)
            .limit(limit)
        )
        return [(n, address) for n, address in self._connection.execute(query)]


def _old(before: datetime) -> Select[tuple[str]]:
    """One list that was closed before then and of which something is left."""
    held = or_(
        exists().where(email_address.c.job_id == email_run.c.job_id),
        exists().where(email_block.c.job_id == email_run.c.job_id),
    )
    over = select(email_run.c.job_id).join(job, job.c.id == email_run.c.job_id).where(job.c.closed_at < before)
    return over.where(held).limit(1)
