"""Jobs, and the lists of e-mail addresses that jobs check."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Unpack

from sqlalchemy import Select, bindparam, delete, exists, func, insert, or_, select, update

from bot.domain.emails.lists import ROW_BY_ROW, RUN, WHOLE, WHOLE_FILE, RunState
from bot.domain.localization.progress import (
    BATCH_LANE,
    LANES,
    PIECE_LANE,
    CallProgress,
    CallState,
    Order,
    batch_key,
    piece_key,
)
from bot.domain.localization.progress import MOVES as CALLS
from bot.domain.machine import Machine
from bot.domain.payments.lookups import CHECK
from storage.damage import Broken, Shape, are_words, is_object
from storage.repositories.leased import NO_LEASE, Repository, claiming, columns, insert_once
from storage.repositories.moving import MovingRows
from storage.rows import EmailRun, Hold, Job
from storage.tables.queues import job
from storage.tables.services import email_address, email_block, email_run, result_block

_FILE: Final = {"file": str, "name": str, "places": dict}
_LIST: Final = {"file": str, "name": str, "column": int, "column_name": str, "concurrency": int}


def _read_job(*, kind: str, state: str, payload: dict[str, Any], detail: dict[str, Any], **values: Any) -> Job:
    read: dict[str, tuple[Any, object]] = {}
    if kind in LANES:
        read = {"state": (CallState, state), "payload": (Order.read, payload), "detail": (CallProgress.read, detail)}
    elif kind in (RUN, WHOLE, CHECK):
        read = {"state": (RunState, state)}
    for column, (as_record, value) in read.items():
        try:
            as_record(value)
        except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as wrong:
            raise Broken(column) from wrong
    if kind in (RUN, WHOLE) and any(type(payload.get(name)) is not wanted for name, wanted in _LIST.items()):
        raise Broken("payload")
    if kind == CHECK and any(type(payload.get(name)) is not wanted for name, wanted in _FILE.items()):
        raise Broken("payload")
    return Job(kind=kind, state=state, payload=payload, detail=detail, **values)


_MACHINES: Final[Mapping[str, Machine[RunState]]] = {RUN: ROW_BY_ROW, WHOLE: WHOLE_FILE, CHECK: ROW_BY_ROW}
_AGE = (job.c.created_at, job.c.id)
_TURNS = (
    select(job.c.id, func.row_number().over(partition_by=job.c.requester, order_by=_AGE).label("turn"))
    .where(job.c.kind == bindparam("of_kind"), job.c.closed_at.is_(None))
    .subquery()
)
"""Each open job of a kind, and its position among its requester's jobs."""
_WITH_TURNS = job.join(_TURNS, _TURNS.c.id == job.c.id)
_IN_TURN = (_TURNS.c.turn, *_AGE)
_CLAIM_IN_TURN = claiming(job, job.c.kind == bindparam("of_kind"), source=_WITH_TURNS, order=_IN_TURN)


def _pieces_of(document: Job) -> tuple[Any, ...]:
    """Return conditions for a document's pieces or a batch's calls: an index has their requester and creation time."""
    is_batch = document.kind == BATCH_LANE
    key = batch_key(document.id) if is_batch else piece_key(document.id)
    return (
        job.c.requester == document.requester,
        job.c.created_at == document.created_at,
        job.c.kind != PIECE_LANE if is_batch else job.c.kind == PIECE_LANE,
        job.c.source_key.startswith(key, autoescape=True),
    )


_BY_ITSELF = (job.c.kind != PIECE_LANE, ~job.c.source_key.startswith(batch_key(), autoescape=True))
"""Conditions that exclude pieces of documents and files of batches."""


class Jobs(MovingRows[Job]):
    shape = Shape(job, _read_job, holds={"payload": is_object, "detail": is_object})
    claims = claiming(job, job.c.kind == bindparam("of_kind"), order=[job.c.due_at])

    def add(self, new: Job) -> bool:
        """Store a job; False if one was created from the same source before."""
        return insert_once(self._connection, job, columns(new), unless=("source_key",))

    def open(self, kind: str | None = None, *, limit: int = 100) -> list[Job]:
        """Return open jobs, oldest first; without a kind, all but pieces of documents and files of batches."""
        query = self._rows(job.c.closed_at.is_(None)).order_by(*_AGE).limit(limit)
        return self._all(self.shape, query.where(*(_BY_ITSELF if kind is None else (job.c.kind == kind,))))

    def lately(self, requester: str, kind: str, *, since: datetime) -> list[Job]:
        """Return this person's jobs of one kind created after that time, newest first."""
        query = self._rows(job.c.requester == requester, job.c.kind == kind, job.c.created_at > since)
        return self._all(self.shape, query.order_by(job.c.created_at.desc(), job.c.id.desc()))

    def latest(self, requester: str, *, since: datetime, limit: int) -> list[Job]:
        """Return this person's jobs created since then, newest first, without pieces of documents."""
        query = self._rows(job.c.requester == requester, job.c.created_at >= since, job.c.kind != PIECE_LANE)
        return self._all(self.shape, query.order_by(job.c.created_at.desc(), job.c.id.desc()).limit(limit))

    def counts(self) -> dict[tuple[str, str], int]:
        """Count open jobs by kind and state, without pieces of documents and files of batches."""
        which = job.c.closed_at.is_(None), *_BY_ITSELF
        query = select(job.c.kind, job.c.state, func.count()).where(*which)
        rows = self._connection.execute(query.group_by(job.c.kind, job.c.state))
        return {(str(kind), str(state)): count for kind, state, count in rows}

    def pieces(self, document: Job) -> list[Job]:
        """Return the pieces of a document, or the calls of a batch, in order."""
        return self._whole(self.shape, self._rows(*_pieces_of(document)).order_by(job.c.source_key))

    def piece_states(self, document: Job) -> Counter[str]:
        query = select(job.c.state, func.count()).where(*_pieces_of(document)).group_by(job.c.state)
        return Counter({str(state): count for state, count in self._connection.execute(query)})

    def end_waiting(self, document: Job, to: str, *, detail: Mapping[str, object], now: datetime) -> int:
        """End every piece of a document, or call of a batch, that hasn't begun; return how many."""
        waiting, ended = (*_pieces_of(document), job.c.state == CallState.WAITING), {"closed_at": now, "due_at": None}
        return self._change(job, *waiting, state=to, detail=detail, version=job.c.version + 1, **NO_LEASE, **ended)

    def has_old(self, *, before: datetime) -> bool:
        """Return whether there are pieces of documents that closed before then."""
        old = select(job.c.id).where(job.c.kind == PIECE_LANE, job.c.closed_at < before).limit(1)
        return self._connection.execute(old).first() is not None

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Delete pieces that closed before then; the documents keep the whole result."""
        return self._forget(job.c.id, job.c.kind == PIECE_LANE, job.c.closed_at < before, limit=limit)

    def in_turn(self, kind: str, *, limit: int = 1_000) -> list[Job]:
        """Return open jobs of one kind, round-robin by requester, so that no one waits for all of another's jobs."""
        query = select(job).select_from(_WITH_TURNS).order_by(*_IN_TURN).limit(limit)
        return self._all(self.shape, query.params(of_kind=kind))

    def claim_due(self, *, kind: str, in_turn: bool = False, **hold: Unpack[Hold]) -> list[Job]:
        """Claim due jobs of one kind, longest due first or in the order of :meth:`in_turn`."""
        return self._sorted(self._claim(hold, _CLAIM_IN_TURN if in_turn else self.claims, of_kind=kind))

    def _machine(self, row: Job) -> Machine[Any]:
        return _MACHINES.get(row.kind, CALLS)


class Results(Repository):
    """Result files of a batch's calls, in pieces, kept until they are in its archive."""

    def add(self, job_id: str, *, part: str, n: int, content: bytes) -> None:
        self._connection.execute(insert(result_block).values(job_id=job_id, part=part, n=n, content=content))

    def drop_file(self, job_id: str, *, part: str) -> None:
        same = (result_block.c.job_id == job_id, result_block.c.part == part)
        self._connection.execute(delete(result_block).where(*same))

    def piece(self, job_id: str, *, part: str, n: int) -> bytes | None:
        """Return piece ``n``; None if there are no more."""
        same = (result_block.c.job_id == job_id, result_block.c.part == part, result_block.c.n == n)
        return self._connection.execute(select(result_block.c.content).where(*same)).scalar_one_or_none()

    def size(self, batch_id: str) -> int:
        """Return the number of bytes stored for a batch."""
        total = select(func.coalesce(func.sum(func.length(result_block.c.content)), 0)).where(_made_by(batch_id))
        return int(self._connection.execute(total).scalar_one())

    def drop(self, batch_id: str) -> None:
        self._connection.execute(delete(result_block).where(_made_by(batch_id)))

    def has_old(self, *, before: datetime) -> bool:
        old = select(result_block.c.job_id).where(_old_made(before)).limit(1)
        return self._connection.execute(old).first() is not None

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Delete pieces of calls that closed before then."""
        some = select(result_block.c.job_id).where(_old_made(before)).limit(limit).scalar_subquery()
        return self._connection.execute(delete(result_block).where(result_block.c.job_id.in_(some))).rowcount


def _made_by(batch_id: str) -> Any:
    """Return the condition for results of a batch: ids of its calls, and of their pieces, begin with its id."""
    return result_block.c.job_id.startswith(f"{batch_id}-", autoescape=True)


def _old_made(before: datetime) -> Any:
    return result_block.c.job_id.in_(select(job.c.id).where(job.c.closed_at < before))


Numbered = tuple[int, str]
"""An address and its number."""

_UNANSWERED = email_address.c.answer.is_(None)
_THIS = (email_address.c.job_id == bindparam("job"), email_address.c.n == bindparam("number"), _UNANSWERED)
_RECORD = update(email_address).where(*_THIS).values(answer=bindparam("said"))


_RUN = Shape(
    email_run,
    EmailRun,
    holds={
        "header": are_words,
        "outcomes": lambda value: isinstance(value, dict) and all(type(count) is int for count in value.values()),
    },
)


class EmailRuns(Repository):
    def begin(self, run: EmailRun) -> None:
        """Start a run, deleting rows of a process that died while reading the file."""
        for table in (email_address, email_block, email_run):
            self._connection.execute(delete(table).where(table.c.job_id == run.job_id))
        self._connection.execute(insert(email_run), columns(run))

    def add_addresses(self, job_id: str, addresses: Sequence[Numbered]) -> None:
        rows = [{"job_id": job_id, "n": n, "address": address, "answer": None} for n, address in addresses]
        if rows:
            self._connection.execute(insert(email_address), rows)

    def add_block(self, job_id: str, *, part: str, n: int, content: bytes) -> None:
        self._connection.execute(insert(email_block).values(job_id=job_id, part=part, n=n, content=content))

    def drop_blocks(self, job_id: str, *, part: str) -> None:
        self._connection.execute(delete(email_block).where(email_block.c.job_id == job_id, email_block.c.part == part))

    def get(self, job_id: str) -> EmailRun | None:
        return self._one(_RUN, select(email_run).where(email_run.c.job_id == job_id))

    def take(self, job_id: str, count: int) -> list[Numbered]:
        """Return the next addresses, and count them as taken."""
        if count <= 0:
            return []
        run = self._connection.execute(select(email_run.c.taken).where(email_run.c.job_id == job_id)).scalar_one()
        found = self._addresses(job_id, email_address.c.n >= run, limit=count)
        if found:
            self.note(job_id, taken=found[-1][0] + 1)
        return found

    def pick_up(self, job_id: str) -> list[Numbered]:
        """Return taken addresses without an answer."""
        # Addresses that weren't parked may have been checked by a process that died, so they count as repeated.
        taken = select(email_run.c.taken).where(email_run.c.job_id == job_id).scalar_subquery()
        left = self._addresses(job_id, _UNANSWERED, email_address.c.n < taken)
        self.note(job_id, repeated=email_run.c.repeated + len(left) - email_run.c.parked, parked=0)
        return left

    def record(self, job_id: str, answers: Sequence[tuple[int, str, str]]) -> None:
        """Store answers as (number, outcome, stored form). An answer that is already stored is kept."""
        if not answers:
            return
        kept = select(email_run.c.outcomes).where(email_run.c.job_id == job_id)
        outcomes: Counter[str] = Counter(self._connection.execute(kept).scalar_one())
        asked = [number for number, _, _ in answers]
        answered = (email_address.c.job_id == job_id, ~_UNANSWERED, email_address.c.n.between(min(asked), max(asked)))
        known = set(self._connection.execute(select(email_address.c.n).where(*answered)).scalars())
        new = {number: (outcome, said) for number, outcome, said in answers if number not in known}
        if not new:
            return
        self._connection.execute(_RECORD, [{"job": job_id, "number": n, "said": said} for n, (_, said) in new.items()])
        outcomes.update(outcome for outcome, _ in new.values())
        self.note(job_id, outcomes=dict(outcomes))

    def answers(self, job_id: str) -> Mapping[int, str]:
        query = select(email_address.c.n, email_address.c.answer).where(email_address.c.job_id == job_id, ~_UNANSWERED)
        return {row[0]: row[1] for row in self._connection.execute(query)}

    def blocks(self, job_id: str, *, part: str) -> Iterator[bytes]:
        query = select(email_block.c.content).where(email_block.c.job_id == job_id, email_block.c.part == part)
        return iter(self._connection.execute(query.order_by(email_block.c.n)).scalars())

    def is_complete(self, job_id: str) -> bool:
        """Return whether every address has an answer, by the totals of the run; False before these are known."""
        run = self.get(job_id)
        return run is not None and 0 < run.total <= sum(run.outcomes.values())

    def has_old(self, *, before: datetime) -> bool:
        return self._connection.execute(_old(before)).first() is not None

    def forget(self, *, before: datetime, limit: int) -> int:
        """Delete up to ``limit`` addresses, with files, of one list closed before then; return how many rows."""
        job_id = self._connection.execute(_old(before)).scalar_one_or_none()
        if job_id is None:
            return 0
        some = select(email_address.c.n).where(email_address.c.job_id == job_id).limit(limit).scalar_subquery()
        blocks = delete(email_block).where(email_block.c.job_id == job_id)
        addresses = delete(email_address).where(email_address.c.job_id == job_id, email_address.c.n.in_(some))
        return self._connection.execute(blocks).rowcount + self._connection.execute(addresses).rowcount

    def note(self, job_id: str, **values: object) -> None:
        """Set these columns of a run, e.g. its totals; ``parked`` counts taken addresses that wait, not in flight."""
        self._change(email_run, email_run.c.job_id == job_id, **values)

    def _addresses(self, job_id: str, *conditions: Any, limit: int | None = None) -> list[Numbered]:
        query = select(email_address.c.n, email_address.c.address).where(email_address.c.job_id == job_id, *conditions)
        rows = self._connection.execute(query.order_by(email_address.c.n).limit(limit))
        return [(n, address) for n, address in rows]


def _old(before: datetime) -> Select[tuple[str]]:
    held = or_(*(exists().where(table.c.job_id == email_run.c.job_id) for table in (email_address, email_block)))
    over = select(email_run.c.job_id).join(job, job.c.id == email_run.c.job_id).where(job.c.closed_at < before)
    return over.where(held).limit(1)
