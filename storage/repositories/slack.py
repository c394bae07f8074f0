"""Rows about traffic with Slack: outbox, boards, dropped files, and handled requests."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Unpack

import sqlalchemy as sa

from bot.domain.files.dropped import DroppedFile
from storage.damage import Shape, are_words, is_object, read_all
from storage.prepared import Prepared
from storage.repositories.leased import FREED, NO_LEASE, Leased, Queue, Repository, claiming, columns, insert_once
from storage.rows import Board, DropRow, DropState, Hold, OutboxRow, OutboxState
from storage.tables.queues import board, dropped_file, outbox, seen_request
from storage.types import Moment

_UNFINISHED = (OutboxState.NEW, OutboxState.SENDING, OutboxState.UNKNOWN)
_UNCOUNTED = {"attempts": outbox.c.attempts - 1}
OPEN = sa.text("outbox.state IN ('new', 'sending', 'unknown')")
"""Must match the text of the partial index: SQLite doesn't use it for a condition with parameters."""


_HOLDS = {"payload": is_object, "subject": lambda subject: subject is not None}
_EARLIER = outbox.alias("earlier")
_BEHIND = (_EARLIER.c.seq < outbox.c.seq, _EARLIER.c.state.in_(_UNFINISHED), _EARLIER.c.stopped == "")
_SENDING = sa.case((outbox.c.state == OutboxState.NEW, OutboxState.SENDING.value), else_=OutboxState.UNKNOWN.value)


class Outbox(Leased[OutboxRow]):
    """Posts, first in, first out for each subject."""

    shape = Shape(outbox, OutboxRow, called="key", key=("id",), holds=_HOLDS, apart=("seq",))
    claims = claiming(
        outbox,
        OPEN,
        outbox.c.state != OutboxState.SENDING,
        key=outbox.c.seq,
        # As an expression: with the plain column SQLite would scan every row ever sent.
        order=[outbox.c.urgent.desc(), outbox.c.seq + 0],
        free_to_go=~sa.exists().where(_EARLIER.c.subject == outbox.c.subject, *_BEHIND),
        changed={"state": _SENDING, "attempts": outbox.c.attempts + 1},
    )
    unfinished = OPEN

    def add(self, row: OutboxRow) -> bool:
        """Queue a post; False if its ``key`` was queued before, whatever its state."""
        if row.urgent:  # so that earlier posts of the subject don't delay it
            waiting = (outbox.c.subject == row.subject, outbox.c.state == OutboxState.NEW, ~outbox.c.urgent)
            self._change(outbox, *waiting, urgent=True, due_at=row.created_at)
        return insert_once(self._connection, outbox, columns(row), unless=("key",))

    def hasten(self, subject: str, now: datetime) -> None:
        """Make posts of the subject that wait for their due time, and were never tried, due now."""
        waiting = (outbox.c.subject == subject, outbox.c.state == OutboxState.NEW, outbox.c.attempts == 0)
        self._change(outbox, *waiting, outbox.c.due_at > now, due_at=now)

    def get(self, outbox_id: str) -> OutboxRow | None:
        return self._find(outbox.c.id == outbox_id)

    def by_key(self, key: str) -> OutboxRow | None:
        return self._find(outbox.c.key == key)

    def posted(self, subject: str, *, channel: str, ts: str) -> bool:
        """Return whether this message is a post about the subject."""
        it = (outbox.c.subject == subject, outbox.c.sent_channel == channel, outbox.c.sent_ts == ts)
        return self._find(*it) is not None

    def post_anew(self, subject: str, *, action: str, new_id: str, now: datetime) -> bool:
        """Post a finished row's message again, before later rows of its subject; False if unfinished."""
        # ``sent_ts`` stays that of the earlier message until there is a new one.
        finished = (outbox.c.subject == subject, outbox.c.action == action, outbox.c.state.not_in(_UNFINISHED))
        fresh = {"state": OutboxState.NEW, "created_at": now, "due_at": now, "attempts": 0, "last_error": ""}
        return self._change(outbox, *finished, id=new_id, payload={}, **FREED, **fresh) == 1

    def claim_due(self, **hold: Unpack[Hold]) -> list[OutboxRow]:
        """Claim due posts, urgent ones first, as ``SENDING`` (send it) or ``UNKNOWN`` (check first if it arrived)."""
        # A row waits while an earlier one of its subject is unfinished. The claim counts the attempt, so a row that
        # kills its worker is counted too.
        rows = self._claim(hold, self.claims)
        return read_all(self._damage, self.shape, sorted(rows, key=lambda row: (not row.urgent, row.seq)))

    def hold(self, row: OutboxRow, *, now: datetime, until: datetime) -> bool:
        """Extend the lease of a claimed row; False if it has expired, so another worker may hold the row."""
        same = (outbox.c.id == row.id, outbox.c.attempts == row.attempts, outbox.c.lease_owner == row.lease_owner)
        return self._change(outbox, *same, outbox.c.lease_until > now, OPEN, lease_until=until) == 1

    def sent(self, outbox_id: str, channel: str, ts: str, now: datetime) -> bool:
        """Store that it arrived as this message; False if the row was already finished."""
        return self._end(outbox_id, state=OutboxState.SENT, sent_channel=channel, sent_ts=ts, due_at=now, last_error="")

    def again(self, outbox_id: str, due_at: datetime, error: str, *, counted: bool = True) -> bool:
        """Send it (again) at ``due_at``; it certainly didn't arrive. Unless ``counted``, the attempt is subtracted."""
        fewer = {} if counted else _UNCOUNTED
        return self._end(outbox_id, state=OutboxState.NEW, due_at=due_at, last_error=error, **fewer)

    def unknown(
        self,
        outbox_id: str,
        due_at: datetime,
        error: str,
        *,
        payload: Mapping[str, object] | None = None,
        counted: bool = True,
    ) -> bool:
        """Search for it at ``due_at``, as it may have arrived; ``payload`` replaces the payload. See :meth:`again`."""
        changed = {**({} if payload is None else {"payload": dict(payload)}), **({} if counted else _UNCOUNTED)}
        return self._end(outbox_id, state=OutboxState.UNKNOWN, due_at=due_at, last_error=error, **changed)

    def note(self, outbox_id: str, payload: Mapping[str, object]) -> bool:
        return self._change(outbox, outbox.c.id == outbox_id, OPEN, payload=dict(payload)) == 1

    def dead(self, outbox_id: str, error: str) -> bool:
        """Give up on it, so that later rows of its subject can be sent."""
        return self._end(outbox_id, state=OutboxState.DEAD, last_error=error)

    def redirect(self, outbox_id: str, *, payload: Mapping[str, object], due_at: datetime) -> bool:
        """Send it to another place at ``due_at`` with this payload, attempts reset; it certainly didn't arrive."""
        return self._end(outbox_id, state=OutboxState.NEW, payload=dict(payload), due_at=due_at, attempts=0)

    def mark_unknown(self, owner: str, now: datetime, exclusive: bool, look_at: datetime | None = None) -> int:
        """Mark rows whose sender died as unknown, to be searched for at ``look_at`` (default: now); return how many."""
        dead = self._dead(now, owner, exclusive)
        sending = outbox.c.state == OutboxState.SENDING
        count = self._change(outbox, sending, dead, state=OutboxState.UNKNOWN, due_at=look_at or now, **NO_LEASE)
        # A process that died while searching leaves an unknown row, of which only the lease has to end.
        looking = (outbox.c.state == OutboxState.UNKNOWN, outbox.c.lease_until.is_not(None))
        self._change(outbox, *looking, dead, **NO_LEASE)
        return count


_GAP = timedelta(seconds=3)
"""Time between two progress edits: more than people can read would only use up Slack's rate limit."""

BOARD = Shape(board, Board, called="subject")
_FIND = Prepared(
    sa.select(board).where(
        board.c.channel == sa.bindparam("wanted_channel"), board.c.ts == sa.bindparam("wanted_ts"), board.c.ts != ""
    )
)


def _changed(due: Any, *, progress: bool, urgent: Any = False) -> Mapping[str, Any]:
    """Return values that mark a board as outdated: due at ``due`` if posted; an urgent one stays so until shown."""
    due = sa.case((board.c.ts == "", sa.null()), else_=due)
    counted = {"wanted_version": board.c.wanted_version + 1, "due_at": due}
    if progress:
        return {**counted, "progress": board.c.progress | board.c.due_at.is_(None)}
    return {**counted, "progress": False, "urgent": sa.or_(board.c.urgent, urgent), "attempts": 0}


_URGENT = sa.bindparam("last", type_=sa.Boolean)
_MARK_REQUEST = Prepared(
    sa.update(board)
    .where(board.c.instruction_id == sa.bindparam("wanted"))
    .values(_changed(sa.bindparam("moment", type_=Moment), progress=False, urgent=_URGENT))
)


class Boards(Repository):
    """The only message of each subject: where it was posted, and whether it is up to date."""

    def add(
        self,
        subject: str,
        *,
        channel: str,
        thread_ts: str | None,
        requester: str,
        instruction_id: str | None = None,
        shown_in: str | None = None,
    ) -> bool:
        """Store a board that is about to be posted, or shown in another board; False if it is already stored."""
        new = Board(
            subject=subject,
            instruction_id=instruction_id,
            channel=channel,
            thread_ts=thread_ts,
            requester=requester,
            shown_in=shown_in,
        )
        return insert_once(self._connection, board, columns(new), unless=("subject",))

    def get(self, subject: str) -> Board | None:
        """Return the board that shows the subject, which may be another subject's, with the requester of this one."""
        found = self._one(BOARD, sa.select(board).where(board.c.subject == subject))
        if found is None or found.shown_in is None:
            return found
        host = self._one(BOARD, sa.select(board).where(board.c.subject == found.shown_in))
        return found if host is None else replace(host, requester=found.requester)

    def within(self, subject: str) -> list[str]:
        """Return subjects that the message of this one also shows, in the order of their ids."""
        query = sa.select(board.c.subject).where(board.c.shown_in == subject)
        return sorted(self._connection.execute(query).scalars(), key=lambda one: one.partition(":")[2])

    def posted_of(self, subjects: Collection[str]) -> dict[str, Board]:
        """Return the posted boards that show these subjects, by subject; several may share another subject's board."""
        found = self._all(BOARD, sa.select(board).where(board.c.subject.in_(subjects)))
        shown_in = {one.shown_in for one in found if one.shown_in is not None}
        hosts = {one.subject: one for one in self._all(BOARD, sa.select(board).where(board.c.subject.in_(shown_in)))}
        shown = {one.subject: hosts.get(one.shown_in or "", one) for one in found}
        return {subject: one for subject, one in shown.items() if one.ts}

    def find(self, channel: str, ts: str) -> Board | None:
        return next(iter(self._whole(BOARD, _FIND, wanted_channel=channel, wanted_ts=ts)), None)

    def posted(self, subject: str, *, channel: str, ts: str, version: int, now: datetime) -> None:
        """Store that it was posted with ``version``; due at once if that is outdated."""
        # A thread of the original channel does not exist in a direct message.
        thread = sa.case((board.c.channel == channel, board.c.thread_ts), else_=sa.null())
        self._set(subject, channel=channel, ts=ts, thread_ts=thread, **_showing(version, now))

    def lost(self, subject: str, *, ts: str) -> bool:
        """Store that its message ``ts`` was deleted; False if that is known, or the board is another message now."""
        there = (board.c.subject == subject, board.c.ts == ts)
        return self._change(board, *there, ts="", due_at=None, attempts=0) == 1

    def go_elsewhere(self, subject: str, *, direct: bool) -> None:
        """Drop its thread, which is gone; if ``direct``, post it to the requester instead of the channel."""
        self._change(board, _shows(subject), thread_ts=None, **({"channel": ""} if direct else {}))

    def move_to(self, subject: str, channel: str) -> None:
        """Post it in another channel because it couldn't be posted in the first."""
        self._change(board, _shows(subject), board.c.ts == "", channel=channel, thread_ts=None)

    def mark(self, subject: str, *, now: datetime, progress: bool, urgent: bool = False) -> None:
        """Mark it as outdated; an edit that shows only ``progress`` may be delayed, the last state is ``urgent``."""
        due: Any = sa.literal(now, Moment)
        if progress:
            recent = sa.and_(board.c.edited_at.is_not(None), board.c.edited_at > now - _GAP)
            due = sa.func.coalesce(board.c.due_at, sa.case((recent, sa.literal(now + _GAP, Moment)), else_=due))
        self._change(board, _shows(subject), **_changed(due, progress=progress, urgent=sa.literal(urgent)))

    def mark_request(self, instruction_id: str, *, now: datetime, urgent: bool = False) -> None:
        _MARK_REQUEST.count(self._connection, {"wanted": instruction_id, "moment": now, "last": urgent})

    def due(self, now: datetime, limit: int) -> list[Board]:
        """Return boards to edit: last states first, then changes, then progress only; longest due first."""
        order = (board.c.urgent.desc(), board.c.progress, board.c.due_at)
        return self._all(BOARD, sa.select(board).where(board.c.due_at <= now).order_by(*order).limit(limit))

    def claim_due(self, *, now: datetime, again_at: datetime, limit: int) -> list[Board]:
        """Claim boards to edit: due again at ``again_at`` unless shown or delayed; new marks set the next urgency."""
        found = self.due(now, limit)
        for one in found:
            self._set(one.subject, due_at=again_at, progress=True, urgent=False)
        return found

    def hasten(self, now: datetime) -> None:
        """Make every waiting board due now: the process that claimed them, and knew their urgency, is gone."""
        self._change(board, board.c.due_at > now, due_at=now, progress=False)

    def shown(self, subject: str, version: int, now: datetime) -> None:
        """Store that it shows ``version``; due at once if marked again, or if an older edit overtook a newer one."""
        self._set(subject, attempts=0, **_showing(version, now))

    def delay(self, claimed: Board, due_at: datetime, *, failed: bool) -> None:
        """Delay the edit of a claimed board; ``failed`` counts an edit that Slack refused."""
        self._change(
            board,
            board.c.subject == claimed.subject,
            board.c.due_at.is_not(None),
            due_at=due_at,
            attempts=board.c.attempts + int(failed),
            progress=sa.and_(board.c.progress, sa.literal(claimed.progress)),
            urgent=sa.or_(board.c.urgent, sa.literal(claimed.urgent)),
        )

    def _set(self, subject: str, **values: Any) -> None:
        self._change(board, board.c.subject == subject, **values)


_INNER = board.alias("inner_board")


def _shows(subject: str) -> sa.ColumnElement[bool]:
    """Return the condition for the board whose message shows the subject: its own or a shared one."""
    host = sa.select(_INNER.c.shown_in).where(_INNER.c.subject == subject).scalar_subquery()
    return board.c.subject == sa.func.coalesce(host, subject)


def _showing(version: int, now: datetime) -> dict[str, Any]:
    due = sa.case((board.c.wanted_version <= version, sa.null()), else_=sa.literal(now, Moment))
    return {"shown_version": version, "edited_at": now, "due_at": due}


class DroppedFiles(Queue[DropRow]):
    """One row per file, however many events Slack sends about it."""

    shape = Shape(dropped_file, DropRow, called="name", holds={"header": lambda one: one is None or are_words(one)})
    claims = claiming(dropped_file, changed={"attempts": dropped_file.c.attempts + 1})
    unfinished = dropped_file.c.state == DropState.NOTICED

    def notice(self, row: DropRow) -> bool:
        """Store a file to examine; False if this adds nothing."""
        # Only the event about the message contains its timestamp, which is added if that event comes second.
        if insert_once(self._connection, dropped_file, columns(row), unless=("id",)):
            return True
        if not row.message_ts:
            return False
        open_still = dropped_file.c.state.in_((DropState.NOTICED, DropState.QUIET))
        placeless = (dropped_file.c.id == row.id, open_still, dropped_file.c.message_ts == "")
        place = {"channel": row.channel, "message_ts": row.message_ts, "thread_ts": row.thread_ts}
        look = {"state": DropState.NOTICED, "attempts": 0, "due_at": row.due_at}
        return self._change(dropped_file, *placeless, **place, **look) == 1

    def get(self, file_id: str) -> DropRow | None:
        return self._find(dropped_file.c.id == file_id)

    def offered(self, file: DroppedFile, *, batch: str = "") -> bool:
        """Mark it as usable; False if already settled. ``batch`` is the id of the file whose offer also covers it."""
        found = columns(file)
        return self._end(found.pop("id"), state=DropState.OFFERED, due_at=None, batch=batch, **found)

    def lately(self, channel: str, *, since: datetime) -> list[DropRow]:
        """Return files noticed in a conversation since then, newest first."""
        noticed = self._rows(dropped_file.c.channel == channel, dropped_file.c.created_at >= since)
        return self._all(self.shape, noticed.order_by(dropped_file.c.created_at.desc(), dropped_file.c.id.desc()))

    def together(self, file_id: str) -> list[DropRow]:
        """Return the files that the offer of this one covers, in the order of their messages."""
        query = self._rows(sa.or_(dropped_file.c.id == file_id, dropped_file.c.batch == file_id))
        return self._all(self.shape, query.order_by(dropped_file.c.message_ts, dropped_file.c.id))

    def quiet(self, file_id: str) -> bool:
        """Mark it as not worth a post; False if it was already settled."""
        return self._end(file_id, state=DropState.QUIET, due_at=None)

    def gone(self, file_id: str) -> bool:
        """Mark an offered file as deleted; False if it wasn't offered or was already deleted."""
        offered = (dropped_file.c.id == file_id, dropped_file.c.state == DropState.OFFERED)
        return self._change(dropped_file, *offered, state=DropState.GONE) == 1

    def _old(self, before: datetime) -> Sequence[sa.ColumnElement[bool]]:
        finished = (dropped_file.c.state == DropState.QUIET, dropped_file.c.due_at.is_(None))
        return (*finished, dropped_file.c.created_at < before)


class SeenRequests(Repository):
    """Requests from Slack that any of the processes has handled."""

    def claim_signature(self, signature_hash: str, *, now: datetime, kept: timedelta) -> bool:
        """Mark a request as handled; False if a process has handled it before. Deletes some old rows."""
        self._forget(seen_request.c.signature_hash, seen_request.c.seen_at < now - kept, limit=100)
        values = {"signature_hash": signature_hash, "seen_at": now}
        return insert_once(self._connection, seen_request, values, unless=("signature_hash",))
