"""One run of a plan: a flow with people who act by themselves, and the faults of the plan.

People repeat what nobody acknowledged; time passes until everything is final or with a person.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextvars import Context
from pathlib import Path

from bot.playground.workspace import Ack
from bot.wiring.workers import WORKERS
from tests.support.settling import run_due
from tests.world.checker import Ask, Violation
from tests.world.conversation import OVER, Finding
from tests.world.flows import Flow
from tests.world.people import Person
from tests.world.plans import CRASHES, Kind, Plan, Point
from tests.world.witness import Act
from tests.world.world import UNDELIVERED, World

_LONGEST_SECONDS = 45 * 60.0
"""Half an hour and the quiet period: by then everything is final or with a person."""
_MOST_TURNS = 400
_TIME_OUT = 0.4
"""Time-out of our side in seconds, in runs with a full time-out."""
_QUIET_SECONDS = 240.0
"""Four reads a minute apart; the default of a quarter of an hour only repeats them."""


class Run(World):
    def __init__(self, *, flow: Flow, plan: Plan, folder: Path) -> None:
        self.flow = flow
        self.plan = plan
        self.paid_outside = flow.paid_outside
        self.hits: list[Point] = []
        self._faults = {**dict(flow.base), **dict(plan.faults)}
        hanging = Kind.TIMED_OUT in self._faults.values()
        super().__init__(
            folder,
            simulator={"step_seconds": flow.step_seconds},
            around={"service_total": _TIME_OUT, "slack_total": _TIME_OUT} if hanging else {},
            quiet_seconds=_QUIET_SECONDS,
        )
        self._ask = Ask(requester=flow.requester, email=flow.email, cents=flow.cents, law=self.law)

    def furnish(self) -> None:
        self.flow.furnish(self.payments)

    def asked(self, instruction_id: str) -> Ask:  # noqa: ARG002 - in a flow everybody asks for the same
        return self._ask

    def fault_at(self, point: Point) -> Kind | None:
        kind = self._faults.get(point)
        if kind is not None:
            self.hits.append(point)
        return kind

    async def meanwhile(self, point: Point) -> None:
        person = self.flow.overtaking.get(point)
        if person is not None:
            # In a context of its own: a person's act does not belong to the life in which it happens.
            await asyncio.create_task(person.turn(self), context=Context())

    async def live(self) -> None:
        for _ in range(_MOST_TURNS):
            person = self._next_actor()
            if person is not None:
                await person.turn(self)
                self.disturbed_at = self.clock.seconds()
                await self.settle()
                continue
            await self.settle()
            if self._next_actor() is not None:
                continue
            if self.is_over():
                return
            await self._pass_time()
        self.gave_up = f"after {_MOST_TURNS} turns: {self.books.undone()}"

    def _next_actor(self) -> Person | None:
        """The next person to act: the first with a reason who is not waiting after an earlier act."""
        ready = (p for p in self.flow.people if p.wants(self) and p.looks_at <= self.clock.seconds())
        return next(ready, None)

    def is_over(self) -> bool:
        """Whether no person wants to act and nothing is queued, under way or due, except decisions of people."""
        rows = self.books.rows("SELECT state FROM instruction")
        return (
            all(row["state"] in OVER for row in rows)
            and not any(person.wants(self) for person in self.flow.people)
            and not self.books.undone()
            and self.payments.book.next_due() is None
        )

    async def run_due(self) -> int:
        found = 0
        pending = self.books.pending(self.clock.seconds())
        for name in WORKERS:
            if name not in pending:
                continue
            try:
                found += await run_due(self.rig.switchboard.context, name)
            except Exception as trouble:  # noqa: BLE001 - as the product's own pump does
                self.troubles.append(f"{name}: {trouble!r}")
        return found

    async def _pass_time(self) -> None:
        now = self.clock.seconds()
        moments = [self.books.next_due(now), self.payments.book.next_due()]
        moments += [person.looks_at for person in self.flow.people if person.wants(self)]
        later = [moment for moment in moments if moment is not None and moment > now]
        self.clock.advance(min(later, default=now + 1.0) - now + 0.001)
        await self.service_moves()

    async def person_acts(
        self, user: str, what: str, doing: Awaitable[Ack], *, durable: Callable[[], bool] = lambda: False
    ) -> Ack:
        """Let a person act, and record the answer and the database at that moment."""
        before = frozenset(message.ts for message in self.workspace.ephemerals(user))
        held, already = False, durable()

        async def acting() -> Ack:
            nonlocal held
            ack = await doing
            held = durable()
            return ack

        ack = await self.act(acting()) or Ack(status=0, error=UNDELIVERED)
        if not self._busy:
            await self.answered()
        view = self.workspace.modal(user)
        opened = view is not None and bool(view.submit)
        self.witness.acts.append(
            Act(
                at=self.clock.seconds(),
                user=user,
                what=what,
                ack=ack,
                durable=held,
                already=already,
                opened=opened,
                before=before,
            )
        )
        return ack


def check(run: Run) -> list[Violation]:
    violations, rows = run.checker.end(), run.books.instructions()
    found = (*run.checker.conversation.repeated(rows), *_people(run), *_end(run), *_hits(run))
    return [*violations, *(Violation(code, seen) for code, seen in found)]


def _people(run: Run) -> Iterator[Finding]:
    """Acknowledged acts are durable, or the person was told that they are not."""
    acts = run.witness.acts
    for index, act in enumerate(acts):
        if not act.ack.ok or (act.user == run.flow.requester and act.what.endswith("payout.approve")):
            continue  # no answer was seen; or a vote that never counts
        later = next((other.before for other in acts[index + 1 :] if other.user == act.user), None)
        said = [
            message.text
            for message in run.workspace.ephemerals(act.user)
            if message.ts not in act.before and (later is None or message.ts in later)
        ]
        yield from _answered(run, act, [text for text in (str(act.ack.body or ""), *said) if text])


def _answered(run: Run, act: Act, said: list[str]) -> Iterator[Finding]:
    only_single = len(run.plan.faults) + len(run.flow.base) <= 1
    if only_single and not (act.durable or said or act.opened):
        yield "I8", f"{act.user}'s '{act.what}' was acknowledged and is stored nowhere"
    denied = [text for text in said if "Nothing was done" in text]
    if act.durable and denied and not act.already:
        yield "D1", f"{act.user} was told to repeat what is stored: {denied[0][:120]}"
    if not act.durable and any("Request sent: " in text for text in said):
        yield "I8", f"{act.user} was told that '{act.what}' is recorded, and it was not: {said}"


def _end(run: Run) -> Iterator[Finding]:
    states = [row["state"] for row in run.books.instructions()]
    if run.gave_up:
        yield "I10", f"it never came to an end: {run.gave_up}"
    if not states:
        yield "I10", "nothing was ever asked for"
    lasted = run.clock.seconds() - run.disturbed_at
    if lasted > _LONGEST_SECONDS and "expired" not in states:
        yield "I10", f"it took {lasted / 60:.0f} minutes after the last disturbance"
    if not run.plan.faults and states != [run.flow.ends]:
        yield "F1", f"without a fault it ends at {states}"
    if run.flow.ends != "expired" and all(state == "expired" for state in states):
        yield "I10", "everybody who had to act wanted to, and still it expired"


def _hits(run: Run) -> Iterator[Finding]:
    hit = Counter(run.hits)
    planned = Counter([*(point for point, _ in run.plan.faults[:1]), *run.flow.base])
    if any(count > 1 for count in hit.values()) or planned - hit:
        yield "I16", f"planned {[str(point) for point in planned]}, hit {[str(point) for point in run.hits]}"
    deadly = {point for point, kind in run.plan.faults if kind in CRASHES}
    if run.lives < 1 + len(deadly & set(run.hits)) - run.died_before:
        yield "I16", "the process was to die and did not"
