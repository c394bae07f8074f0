"""One run, row by row: addresses out, answers in, stored in groups; one limit of requests in flight for all runs.

The service recommends a ceiling and may still ask for less. Then all runs pause for as long as it says, and go on with
half as many. Answers raise the number again by a twentieth a round.
"""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Hashable
from datetime import timedelta

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import CONCURRENCY_LIMIT, Answer, Busy, Lost, Outcome, RunState, fair_shares
from bot.domain.errors import OperatorError
from bot.domain.reasons import OfList, Reason
from bot.domain.tracking import back_off, named_or
from bot.domain.troubles import failed
from bot.workflows.context import Context, Unit
from bot.workflows.emails.lists import subject_of, tell
from bot.workflows.slack.boards import post_file, show_board
from storage.leases import LEASE_SECONDS
from storage.rows import Job

_FIRST_HOLD = 1.0
_LONGEST_HOLD = 60.0
_GROWTH = 20


class Pressure:
    """Shared by all runs of a process.

    Args:
        clock: monotonic seconds.
        limit: requests at a time, never exceeded.
    """

    def __init__(self, *, clock: Callable[[], float], limit: int = CONCURRENCY_LIMIT) -> None:
        self._clock = clock
        self._limit = limit
        self._room = limit
        self._held_until = float("-inf")
        self._answers = 0
        self._holds = 0
        self._wants: dict[Hashable, int] = {}
        self._shares: dict[Hashable, int] = {}

    @property
    def room(self) -> int:
        """Requests at a time for all runs together."""
        return self._room

    @property
    def holds(self) -> int:
        """How often in a row the service asked to wait, without an answer in between."""
        return self._holds

    def join(self, run: Hashable, *, wants: int) -> None:
        """A run begins, or changes its number of requests at a time."""
        self._wants[run] = wants
        self._divide()

    def leave(self, run: Hashable) -> None:
        """A run is over; the others get its share."""
        self._wants.pop(run, None)
        self._divide()

    def share(self, run: Hashable) -> int:
        """How many requests this run may have in flight; at least one, or it would never progress."""
        return max(1, self._shares.get(run, 0))

    def rest(self) -> float:
        """Seconds until anything may be sent."""
        return max(0.0, self._held_until - self._clock())

    def busy(self, retry_after: float | None) -> None:
        """The service asks to wait. Answers to requests sent before that count once."""
        now = self._clock()
        if now < self._held_until:
            return
        self._holds += 1
        grown = back_off(first=_FIRST_HOLD, attempts=self._holds - 1, ceiling=_LONGEST_HOLD)
        wait = min(named_or(retry_after, grown), timedelta(seconds=_LONGEST_HOLD))
        self._held_until = now + wait.total_seconds()
        in_use = sum(self._shares.values()) or self._room
        self._room = max(1, min(self._room, in_use) // 2)
        self._answers = 0
        self._divide()

    def answered(self) -> None:
        """The service answered."""
        self._holds = 0
        if self._room == self._limit:
            return
        self._answers += 1
        if self._answers >= self._room:
            self._answers = 0
            self._room = min(self._limit, self._room + max(1, self._room // _GROWTH))
            self._divide()

    def forget(self) -> None:
        """A person resumes: the next request need not wait."""
        self._holds = 0
        self._held_until = float("-inf")

    def _divide(self) -> None:
        runs = list(self._wants)
        self._shares = dict(zip(runs, fair_shares([self._wants[run] for run in runs], room=self._room), strict=True))


RESULT = "result"

_TRIES = 3
_MOST_HOLDS = 8
_LEAST_LOSSES = 20
_LINGER_SECONDS = 0.02
"""How long answers wait for a group before they are stored; a write costs as much as thirty requests."""
_PORTION = 20
"""Requests begun in one turn of the event loop."""
_GROUP = 4
"""A fourth of the requests in flight is a group."""
_SHOW_SECONDS = 1.0

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_Taken = tuple[int, str]


class Run:
    """The work of one process on one run.

    Args:
        job: as it was claimed.
        stopping: whether the process is about to end.
    """

    def __init__(
        self, *, ctx: Context, client: EmailsClient, job: Job, pressure: Pressure, stopping: Callable[[], bool]
    ) -> None:
        self._ctx = ctx
        self._client = client
        self._id = job.id
        self._pressure = pressure
        self._stopping = stopping
        self._wants = int(job.payload["concurrency"])
        self._state = RunState(job.state)
        self._waiting: deque[_Taken] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self._answers: list[tuple[int, str, str]] = []
        self._tries: dict[int, int] = {}
        self._losses = 0
        self._trouble: Reason | None = None
        self._is_empty = False
        self._news = asyncio.Event()
        self._shown_at = float("-inf")

    async def go(self) -> None:
        """Work until it is done, paused, stopped, or has to wait for the service."""
        self._pressure.join(self._id, wants=self._wants)
        try:
            await self._pick_up()
            while not self._is_over():
                await self._send()
                await self._collect()
                await self._store()
        finally:
            self._pressure.leave(self._id)
            for task in self._under_way:
                task.cancel()
            await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._close()

    async def _pick_up(self) -> None:
        """Ask again, and count, the addresses that an earlier process had in flight."""

        def pick_up(uow: Unit) -> list[_Taken]:
            left = uow.emails.pick_up(self._id)
            if left:
                show_board(uow, subject_of(self._id))
            return left

        self._waiting.extend(await self._ctx.write(pick_up, name="email_pick_up", wakes=False))

    @property
    def _is_sending(self) -> bool:
        return self._state is RunState.RUNNING and not self._trouble and not self._stopping()

    @property
    def _room(self) -> int:
        """How many more may be sent: an answer counts as in flight until it is stored."""
        return self._pressure.share(self._id) - len(self._under_way) - len(self._answers)

    def _is_over(self) -> bool:
        if self._under_way or self._answers:
            return False
        if not self._is_sending or self._pressure.rest() > 0:
            return True
        return self._is_empty and not self._waiting

    async def _send(self) -> None:
        """Start requests up to the limit, a few at a time: a thousand at once would block the event loop."""
        while self._is_sending and self._pressure.rest() <= 0:
            few = min(self._room, len(self._waiting), _PORTION)
            if few <= 0:
                return
            for _ in range(few):
                task = asyncio.create_task(self._ask(*self._waiting.popleft()))
                self._under_way.add(task)
                task.add_done_callback(self._under_way.discard)
            await asyncio.sleep(0)

    async def _collect(self) -> None:
        """Wait for answers, and a moment longer for a whole group."""
        if not self._under_way and not self._answers:
            return
        await self._news.wait()
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                while self._under_way and len(self._answers) * _GROUP < len(self._under_way):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            pass  # no more answers in time
        self._news.clear()

    async def _ask(self, number: int, address: str) -> None:
        try:
            said = await self._client.check(address)
        except OperatorError as refused:
            self._trouble = failed(refused)
            self._waiting.appendleft((number, address))
        else:
            self._take_in(number, address, said)
        finally:
            self._news.set()

    def _take_in(self, number: int, address: str, said: Answer | Busy | Lost) -> None:
        match said:
            case Answer():
                self._losses = 0
                self._pressure.answered()
                self._answers.append(_stored(number, said))
            case Busy(reason=reason, retry_after=retry_after):
                self._waiting.appendleft((number, address))
                self._pressure.busy(retry_after)
                if self._pressure.holds > _MOST_HOLDS:
                    self._trouble = Reason(OfList.ASKED_TO_WAIT, why=reason, times=_MOST_HOLDS)
            case Lost(reason=reason):
                self._lost(number, address, reason)

    def _lost(self, number: int, address: str, reason: Reason) -> None:
        """Retry later; after too many lost answers the run stops sending."""
        self._losses += 1
        self._tries[number] = self._tries.get(number, 0) + 1
        if self._losses >= max(_LEAST_LOSSES, 2 * self._pressure.share(self._id)):
            self._trouble = Reason(OfList.NOT_WORKING, why=reason)
        if self._tries[number] >= _TRIES and not self._trouble:
            answer = Answer(outcome=Outcome.FAILED, why=Reason(OfList.ASKED_IN_VAIN, why=reason, times=_TRIES))
            self._answers.append(_stored(number, answer))
        else:
            self._waiting.append((number, address))

    async def _store(self) -> None:
        """Store the answers, claim as many again, check whether a button was pressed."""
        answers, self._answers = self._answers, []
        wanted = self._room - len(self._waiting) if self._is_sending and self._pressure.rest() == 0 else 0
        at = self._ctx.clock.boottime()
        shows = at - self._shown_at >= _SHOW_SECONDS

        def store(uow: Unit) -> tuple[str | None, list[_Taken]]:
            uow.emails.record(self._id, answers)
            job = uow.jobs.get(self._id)
            if job is not None and job.state == RunState.PAUSED and uow.emails.is_complete(self._id):
                job = uow.jobs.touch(job, due_at=uow.now, keep_lease=True)  # nothing is left to resume
            taken = uow.emails.take(self._id, wanted)
            if shows and answers:
                show_board(uow, subject_of(self._id), progress=True)
            return (None if job is None else job.state), taken

        try:
            state, taken = await self._ctx.write(store, name="email_store", wakes=False)
        except BaseException:
            self._answers = [*answers, *self._answers]
            raise
        if shows and answers:
            self._shown_at = at
        self._waiting.extend(taken)
        self._is_empty = wanted > 0 and not taken
        self._state = RunState.STOPPING if state is None else RunState(state)

    async def _close(self) -> None:
        """Store the state, now that nothing is in flight."""
        rest, trouble, stopping = self._pressure.rest(), self._trouble, self._stopping()
        waiting = len(self._waiting)

        def close(uow: Unit) -> None:
            job = uow.jobs.get(self._id)
            if job is None:
                return
            state = RunState(job.state)
            finished = not waiting and (self._is_empty or uow.emails.is_complete(self._id))
            uow.emails.park(self._id, waiting)
            if state is RunState.STOPPING or finished:
                end = RunState.DONE if finished else RunState.STOPPED
                uow.jobs.move(job, end)
                post_file(uow, subject=subject_of(self._id), key=RESULT, payload={"what": RESULT}, last=True)
            elif state is RunState.RUNNING and trouble is not None:
                detail = {**job.detail, "reason": trouble.stored()}
                uow.jobs.move(job, RunState.PAUSED, detail=detail, due_at=None)
                key = f"paused:{job.version}"
                tell(uow, self._id, key=key, state=RunState.PAUSED, reason=trouble)
            elif state is RunState.RUNNING and not stopping:
                uow.jobs.touch(job, show=True, due_at=uow.now + timedelta(seconds=rest))
            else:
                uow.jobs.touch(job, show=True)

        await self._ctx.write(close, name="email_close", wakes=False)


async def hold_lease(ctx: Context, job_id: str) -> None:
    """Renew the lease."""
    until = ctx.clock.now() + timedelta(seconds=LEASE_SECONDS)
    await ctx.write(lambda uow: uow.jobs.extend(job_id, owner=ctx.owner, until=until), name="email_lease", wakes=False)


def _stored(number: int, answer: Answer) -> tuple[int, str, str]:
    return number, answer.outcome.value, _ENCODER.encode(answer.stored())
