"""One run, row by row: addresses out, answers in, stored in groups."""

import asyncio
import json
from collections import deque
from datetime import timedelta

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import Answer, Busy, Denied, Dropped, Outcome, RunState
from bot.domain.errors import OperatorError
from bot.domain.reasons import OfList, Reason
from bot.domain.troubles import failed
from bot.workflows.context import Context, Unit
from bot.workflows.emails.lists import tell
from bot.workflows.emails.pace import allowed, give_up
from bot.workflows.slack.boards import post_file, show_board
from storage.rows import Job

RESULT = "result"

_TRIES = 3
_MOST_HOLDS = 8
_LEAST_LOSSES = 20
_DENIALS = 3
"""Consecutive refusals of our account before a pause: the next address would be refused too."""
_LINGER_SECONDS = 0.02
"""How long answers wait for a group before they are stored; a write costs as much as thirty requests."""
_PORTION = 20
"""Requests started per iteration of the event loop."""
_GROUP = 4
"""Answers are stored in groups of this fraction (a fourth) of the requests in flight."""
_SHOW_SECONDS = 1.0

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Run:
    """The work of one process on one run. ``job`` is the claimed row."""

    def __init__(self, *, ctx: Context, client: EmailsClient, job: Job) -> None:
        self._ctx = ctx
        self._client = client
        self._id, self._subject = job.id, job.subject
        self._pressure = ctx.emails.pressure
        self._wants = int(job.payload["concurrency"])
        self._state = RunState(job.state)
        self._waiting: deque[tuple[int, str]] = deque()
        self._under_way: set[asyncio.Task[None]] = set()
        self._answers: list[tuple[int, str, str]] = []
        self._tries: dict[int, int] = {}
        self._losses = 0
        self._denials = 0
        self._denied: set[int] = set()
        self._trouble: Reason | None = None
        self._is_empty = False
        self._news = asyncio.Event()
        self._shown_at = float("-inf")

    async def go(self) -> None:
        """Work until it is done, paused, stopped, or has to wait for the service."""

        def pick_up(uow: Unit) -> tuple[list[tuple[int, str]], int]:
            left, run = uow.emails.pick_up(self._id), uow.emails.get(self._id)
            if left:
                show_board(uow, self._subject)
            self._pressure.join(self._id, wants=min(self._wants, max(run.total, 1)) if run else self._wants)
            return left, allowed(uow)

        try:
            # Addresses that an earlier process had in flight are requested again, and counted as repeated.
            left, room = await self._ctx.write(pick_up, name="email_pick_up", wakes=False)
            self._pressure.allow(room)
            self._waiting.extend(left)
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

    @property
    def _is_sending(self) -> bool:
        return self._state is RunState.RUNNING and not self._trouble and not self._ctx.workers.stopping

    @property
    def _room(self) -> int:
        """Number of requests that may still be sent; an answer counts as in flight until it is stored."""
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
        """Wait for an answer, then briefly for a full group."""
        if not self._under_way and not self._answers:
            return
        await self._news.wait()
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                while self._under_way and len(self._answers) * _GROUP < len(self._under_way):
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            pass  # store the answers received so far
        self._news.clear()

    async def _ask(self, number: int, address: str) -> None:
        try:
            said = await self._client.check(address)
        except OperatorError as refused:
            self._trouble = failed(refused)
            self._waiting.appendleft((number, address))
        else:
            match said:
                case Answer():
                    self._losses = self._denials = 0
                    self._denied.clear()
                    self._pressure.answered()
                    self._answers.append(_stored(number, said))
                case Busy(reason=reason, retry_after=retry_after):
                    self._waiting.appendleft((number, address))
                    self._pressure.busy(retry_after)
                    if self._pressure.holds > _MOST_HOLDS:
                        self._trouble = Reason(OfList.ASKED_TO_WAIT, why=reason, times=_MOST_HOLDS)
                case Dropped(reason=reason):
                    self._lost(number, address, reason)
                case Denied(error=error, certain=certain):
                    self._refused(number, address, failed(error), certain=certain)
        finally:
            self._news.set()

    def _refused(self, number: int, address: str, reason: Reason, *, certain: bool) -> None:
        """Retry later; after a few consecutive refusals the list pauses. Uncertain ones count once per address."""
        self._denials += 1
        if number not in self._tries:
            self._denied.add(number)
        if (self._denials if certain else len(self._denied)) >= _DENIALS:
            self._trouble = Reason(OfList.ACCOUNT, why=reason)
        self._try_later(number, address, reason)

    def _lost(self, number: int, address: str, reason: Reason) -> None:
        """Retry later; after too many lost answers the run stops sending."""
        self._losses += 1
        if self._losses >= max(_LEAST_LOSSES, 2 * self._pressure.share(self._id)):
            self._trouble = Reason(OfList.NOT_WORKING, why=reason)
        self._try_later(number, address, reason)

    def _try_later(self, number: int, address: str, reason: Reason) -> None:
        self._tries[number] = self._tries.get(number, 0) + 1
        if self._tries[number] >= _TRIES and not self._trouble:
            answer = Answer(outcome=Outcome.FAILED, why=Reason(OfList.ASKED_IN_VAIN, why=reason, times=_TRIES))
            self._answers.append(_stored(number, answer))
        else:
            self._waiting.append((number, address))

    async def _store(self) -> None:
        """Store the answers, take as many new addresses, and check whether a button was clicked."""
        answers, self._answers = self._answers, []
        wanted = self._room - len(self._waiting) if self._is_sending and self._pressure.rest() == 0 else 0
        at = self._ctx.clock.boottime()
        shows = at - self._shown_at >= _SHOW_SECONDS
        self._pressure.use(self._id, len(self._under_way))

        def store(uow: Unit) -> tuple[str | None, list[tuple[int, str]], int]:
            uow.emails.record(self._id, answers)
            job = uow.jobs.get(self._id)
            if job is not None and job.state == RunState.PAUSED and uow.emails.is_complete(self._id):
                job = uow.jobs.touch(job, due_at=uow.now, keep_lease=True)  # nothing is left to resume
            taken = uow.emails.take(self._id, wanted)
            if shows and answers:
                show_board(uow, self._subject, progress=True)
            return (None if job is None else job.state), taken, allowed(uow)

        try:
            state, taken, room = await self._ctx.write(store, name="email_store", wakes=False)
        except BaseException:
            self._answers = [*answers, *self._answers]
            raise
        if shows and answers:
            self._shown_at = at
        self._pressure.allow(room)
        self._waiting.extend(taken)
        self._is_empty = wanted > 0 and not taken
        self._state = RunState.STOPPING if state is None else RunState(state)

    async def _close(self) -> None:
        rest, trouble, stopping = self._pressure.rest(), self._trouble, self._ctx.workers.stopping
        waiting = len(self._waiting)

        def close(uow: Unit) -> None:
            job = uow.jobs.get(self._id)
            if job is None:
                return
            if not self._pressure.wants:
                give_up(uow)
            state = RunState(job.state)
            finished = not waiting and (self._is_empty or uow.emails.is_complete(self._id))
            uow.emails.note(self._id, parked=waiting)
            if state is RunState.STOPPING or finished:
                uow.jobs.move(job, RunState.DONE if finished else RunState.STOPPED)
                post_file(uow, subject=self._subject, key=RESULT, payload={"what": RESULT}, last=True)
            elif state is RunState.RUNNING and trouble is not None:
                uow.jobs.move(job, RunState.PAUSED, detail={**job.detail, "reason": trouble.stored()}, due_at=None)
                tell(uow, job, key=f"paused:{job.version}", state=RunState.PAUSED, reason=trouble)
            elif state is RunState.RUNNING and not stopping:
                uow.jobs.touch(job, show=True, due_at=uow.now + timedelta(seconds=rest))
            else:
                uow.jobs.touch(job, show=True)

        await self._ctx.write(close, name="email_close", wakes=False)


def _stored(number: int, answer: Answer) -> tuple[int, str, str]:
    return number, answer.outcome.value, _ENCODER.encode(answer.stored())
