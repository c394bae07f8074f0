"""What a look at a service means for a request of unknown outcome. Each kind takes its looks in its own way.

Absence is proven by two complete looks that would have shown it, a spacing apart and after the quiet period.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation
from bot.domain.payments.payout import MAX_CREATES, absence_is_proven, counts_as_read, looks_after, silence_is_proven
from bot.domain.reasons import Reason
from bot.domain.tracking import named_or
from bot.workflows.context import Context
from bot.workflows.requests.settle import ask_people, end_refused
from storage.repositories.requests import Changes
from storage.transaction import Tx

Held = TypeVar("Held", Operation, BulkJob)

_WATCHED = timedelta(days=30)
_BRISK = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Look(Generic[Held]):
    """Result of one look.

    Attributes:
        hits: records that are ours. Several need a person's decision.
        doubt: why an empty result proves nothing; None when it counts as a look that did not find it.
        suspect: id of a record that may be ours, when that is the doubt.
    """

    hits: tuple[Held, ...] = ()
    doubt: Reason | None = None
    suspect: str | None = None

    @property
    def shows_nothing(self) -> bool:
        """Whether the look was complete, would have shown the request, and did not."""
        return not self.hits and self.doubt is None


TakeIn = Callable[[Context, Tx, Instruction, Sequence[Held], datetime], None]
"""What is done with the hits of a look."""
Ask = Callable[[Context, Tx, Instruction, Look[Held], datetime], None]
"""What is done with a request that no look finds."""


def found_after_create(
    ctx: Context, tx: Tx, instruction: Instruction, look: Look[Held], *, take_in: TakeIn[Held], give_up: Ask[Held]
) -> None:
    """A create of unknown outcome: a hit is taken in; after proven absence it is created again, a few times.

    It is not created again once people were asked: if the first one appears after all, there would be two.
    """
    now, asked = ctx.clock.now(), asks_people_already(instruction)
    changes, absent = taken_note_of(ctx, instruction, look, now)
    if look.hits:
        take_in(ctx, tx, instruction, look.hits, now)
    elif instruction.refusal is not None:
        end_refused(ctx, tx, instruction, now)  # creating moves no money, so one look is enough
    elif absent and not asked and instruction.creates < MAX_CREATES:
        tx.instructions.move(instruction, State.NEW, now=now, action="create_again", due_at=now)
    elif absent or (look.doubt and not asked and ctx.quiet.given_up(since=instruction.unknown_since, now=now)):
        give_up(ctx, tx, instruction, look, now)
    else:
        later(ctx, tx, instruction, now, changes)


def found_after_send(
    ctx: Context, tx: Tx, instruction: Instruction, look: Look[Held], *, take_in: TakeIn[Held], absent_because: Reason
) -> None:
    """A send of unknown outcome: a hit is taken in; proven absence confirms a refusal, otherwise people decide."""
    now = ctx.clock.now()
    changes, absent = taken_note_of(ctx, instruction, look, now)
    if look.hits:
        take_in(ctx, tx, instruction, look.hits, now)
    elif not look.shows_nothing:
        not_read(ctx, tx, instruction, look.doubt, suspect=look.suspect)
    elif not absent or asks_people_already(instruction):
        later(ctx, tx, instruction, now, changes)
    elif instruction.refusal is not None:
        end_refused(ctx, tx, instruction, now)
    else:
        ask_people(ctx, tx, instruction, absent_because, now)


async def is_absent(ctx: Context, instruction: Instruction, look: Look[Held], *, take_in: TakeIn[Held]) -> bool:
    """Before a new attempt: whether the service provably holds nothing of it. What it holds is taken in instead."""

    def work(tx: Tx) -> bool:
        now = ctx.clock.now()
        changes, absent = taken_note_of(ctx, instruction, look, now)
        if absent:
            return True
        if look.hits:
            take_in(ctx, tx, instruction, look.hits, now)
        elif look.suspect is not None:
            ask_people(ctx, tx, instruction, look.doubt, now, suspect=look.suspect)
        else:
            _hold_back(ctx, tx, instruction, look.doubt, changes)
        return False

    return await ctx.write(work, name="reread")


def taken_note_of(ctx: Context, instruction: Instruction, look: Look[Held], now: datetime) -> tuple[Changes, bool]:
    """Changes to store after a look that found nothing, and whether absence is now proven.

    Consecutive looks count, a spacing apart, once the request can no longer be in flight. A suspect restarts the
    count.
    """
    if look.suspect is not None:
        return {"reads": 0, "suspect": look.suspect}, False
    if not look.shows_nothing:
        return {}, False
    looks = looks_after(instruction, quiet=ctx.quiet, now=now)
    counted: Changes = {"reads": looks, "suspect": None}
    if looks > instruction.reads:
        counted["last_read_at"] = now
    return counted, absence_is_proven(looks=looks)


def _hold_back(ctx: Context, tx: Tx, instruction: Instruction, doubt: Reason | None, changes: Changes) -> None:
    """Do not send again yet: too few looks, or a doubt, which the card then shows. Look again soon."""
    now = ctx.clock.now()
    reason = doubt or instruction.reason
    held: Changes = {**changes, "reason": reason, "due_at": now + ctx.quiet.spacing}
    tx.instructions.touch(instruction, now=now, show=reason != instruction.reason, **held)


def not_read(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    reason: Reason | None,
    *,
    suspect: str | None = None,
    wait: float | None = None,
) -> None:
    """A look without a usable result: look again, and ask people when that goes on for too long.

    ``suspect``: id of a record that may be this request; shown at once. ``wait``: seconds that the service named.
    """
    now = ctx.clock.now()
    if instruction.state is State.COMMIT_UNKNOWN and ctx.quiet.given_up(since=instruction.unknown_since, now=now):
        ask_people(ctx, tx, instruction, reason, now, suspect=suspect)
    elif suspect is not None and suspect != instruction.suspect:
        later(ctx, tx, instruction, now, {"suspect": suspect, "reason": reason, "reads": 0})
    else:
        later(ctx, tx, instruction, now, wait=wait)


def still(ctx: Context, tx: Tx, instruction: Instruction, reason: Reason, now: datetime, changes: Changes) -> None:
    """A read by its id shows no change: believed after several reads, then a person decides.

    ``changes``: what else this read changes in the row.
    """
    counted = counts_as_read(instruction, quiet=ctx.quiet, now=now)
    reads = instruction.reads + (1 if counted else 0)
    if silence_is_proven(instruction, reads=reads, quiet=ctx.quiet, now=now):
        ask_people(ctx, tx, instruction, reason, now)
    else:
        last = now if counted else instruction.last_read_at
        seen: Changes = {**changes, "reads": reads, "last_read_at": last, "due_at": now + ctx.quiet.spacing}
        tx.instructions.touch(instruction, now=now, **seen)


def later(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    now: datetime,
    changes: Changes | None = None,
    *,
    wait: float | None = None,
) -> None:
    """Look again after the wait that the service named, or else at the pace of the state.

    ``changes``: results of this look. A new suspect is shown at once.
    """
    pace = named_or(wait, ctx.quiet.spacing * (60 if asks_people_already(instruction) else 1))
    kept: Changes = {**(changes or {}), "due_at": now + pace}
    show = kept.get("suspect", instruction.suspect) != instruction.suspect
    tx.instructions.touch(instruction, now=now, show=show, **kept)


def asks_people_already(instruction: Instruction) -> bool:
    """Whether people already decide on it, so that only a record can change anything."""
    return instruction.state is State.NEEDS_HUMAN


def next_watch(ctx: Context, instruction: Instruction, now: datetime) -> datetime | None:
    """When to look again for a request that ended as not paid: often at first, then daily, for a month."""
    age = now - (instruction.closed_at or now)
    pace = ctx.quiet.spacing * 60
    return None if age >= _WATCHED else now + (pace if age < _BRISK else max(pace, _BRISK))
