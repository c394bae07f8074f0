"""Requests to process a list, pause it, resume it, stop it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bot.domain.approvals import Role, listed
from bot.domain.emails.lists import CONCURRENCY, OVER, RUN, WHOLE, RunState
from bot.domain.reasons import Reason, stored
from bot.domain.references import ulid
from bot.workflows.context import Context, Unit
from bot.workflows.slack.boards import post_job, post_line, show_board
from storage.rows import Job

SUBJECT = "email"
"""Kind of board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedList:
    """A checked request.

    Attributes:
        thread_ts: thread of the board: the file's, or None.
        file_id: the file in Slack.
        column: zero-based place of the addresses.
        whole: the whole file at once instead of row by row.
        concurrency: requests at a time.
        source_key: the click that made it, so that it is done once.
    """

    requester: str
    channel: str
    thread_ts: str | None
    file_id: str = field(repr=False)
    file_name: str
    column: int
    column_name: str
    whole: bool
    concurrency: int = CONCURRENCY
    source_key: str


def subject_of(job_id: str) -> str:
    """The board of a job."""
    return f"{SUBJECT}:{job_id}"


async def request_list(ctx: Context, requested: RequestedList) -> bool:
    """Store the job and queue its board; False when the same click made it before."""
    now = ctx.clock.now()
    job = Job(
        id=ulid(now),
        kind=WHOLE if requested.whole else RUN,
        state=RunState.PREPARING,
        payload={
            "file": requested.file_id,
            "name": requested.file_name,
            "column": requested.column,
            "column_name": requested.column_name,
            "concurrency": requested.concurrency,
        },
        detail={},
        requester=requested.requester,
        channel=requested.channel,
        thread_ts=requested.thread_ts,
        source_key=requested.source_key,
        created_at=now,
        due_at=now,
    )

    added = await ctx.write(lambda uow: post_job(uow, job, subject_of(job.id)), name="ask_emails", wakes=False)
    ctx.emails.wake()
    ctx.wake()
    return added


def tell(
    uow: Unit,
    job_id: str,
    *,
    key: str,
    state: RunState,
    reason: Reason | None,
) -> None:
    """Queue a line for the requester: an end without a file, or a pause that nobody requested."""
    payload = {"state": state.value, "reason": stored(reason)}
    post_line(uow, subject=subject_of(job_id), key=key, payload=payload, last=True)


class Press(StrEnum):
    """Actions on a run under way."""

    PAUSE = "pause"
    RESUME = "resume"
    STOP = "stop"


class Pressed(StrEnum):
    """Result of a press."""

    DONE = "done"
    NOT_YOURS = "not yours"
    """Only the requester, or an admin."""
    TOO_LATE = "too late"


_FROM = {
    Press.PAUSE: frozenset({RunState.RUNNING}),
    Press.RESUME: frozenset({RunState.PAUSED}),
    Press.STOP: frozenset({RunState.PREPARING, RunState.RUNNING, RunState.PAUSED}),
}
_TO = {Press.PAUSE: RunState.PAUSED, Press.RESUME: RunState.RUNNING, Press.STOP: RunState.STOPPING}


async def press(ctx: Context, job_id: str, what: Press, *, person: str) -> tuple[Pressed, RunState | None]:
    """Pause, resume or stop; also where it stands now, None when there is no such run."""
    standing = await ctx.people.standing(person)
    admin = listed(Role.ADMIN, standing, ctx.policy.people)
    now = ctx.clock.now()

    def change(uow: Unit) -> tuple[Pressed, RunState | None]:
        job = uow.jobs.get(job_id)
        if job is None or job.kind != RUN:
            return Pressed.TOO_LATE, None
        state = RunState(job.state)
        if job.requester != person and not admin:
            return Pressed.NOT_YOURS, state
        if state in OVER or state not in _FROM[what]:
            return Pressed.TOO_LATE, state
        detail: dict[str, Any] = {key: value for key, value in job.detail.items() if key != "reason"}
        due = None if what is Press.PAUSE and not uow.emails.is_complete(job_id) else now
        # Its worker keeps the lease: it still stores the answers to requests in flight.
        uow.jobs.change(job, now=now, state=_TO[what], detail=detail, due_at=due, keep_lease=True)
        show_board(uow, subject_of(job_id))
        return Pressed.DONE, _TO[what]

    pressed = await ctx.write(change, name="press_emails", wakes=False)
    ctx.emails.wake(at_once=what is Press.RESUME)
    ctx.wake()
    return pressed
