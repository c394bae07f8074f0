"""Interpret looks at a service for a request of unknown outcome. Each kind looks in its own way.

Absence is proven by two complete looks that would have shown it, a spacing apart and after the quiet period.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from bot.domain.payments.instruction import Instruction, State
from bot.domain.proof import LOOKS_NEEDED, MAX_CREATES, counts_as_read, silence_is_proven
from bot.domain.reasons import Reason
from bot.domain.tracking import named_or
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import ask_people, end_refused
from storage.repositories.requests import Changes

Held = TypeVar("Held")

_WATCHED = timedelta(days=30)
_BRISK = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Look(Generic[Held]):
    """Result of one look.

    Attributes:
        hits: records that are ours. Several need a person's decision.
        doubt: why an empty result proves nothing; None if it counts as a look that did not find it.
        suspect: id of the record that causes the doubt because it may be ours.
    """

    hits: tuple[Held, ...] = ()
    doubt: Reason | None = None
    suspect: str | None = None

    @property
    def shows_nothing(self) -> bool:
        """Whether the look was complete, would have shown the request, and did not show it."""
        return not self.hits and self.doubt is None


Found = Callable[[Unit, Instruction, Sequence[Held]], None]
"""Applies the hits of a look."""
GiveUp = Callable[[Unit, Instruction, Look[Held]], None]
"""Handles a request that no look finds."""


def found_after_create(
    uow: Unit, instruction: Instruction, look: Look[Held], *, found: Found[Held], give_up: GiveUp[Held]
) -> None:
    """Settle a create of unknown outcome: apply hits; after proven absence create again, a few times.

    Once people were asked it is not created again: if the first one appeared after all, there would be two.
    """
    asked = asks_people_already(instruction)
    changes, absent = counted_look(uow, instruction, look)
    if look.hits:
        found(uow, instruction, look.hits)
    elif instruction.refusal is not None:
        end_refused(uow, instruction)  # creating moves no money, so one look is enough
    elif absent and not asked and instruction.creates < MAX_CREATES:
        uow.instructions.move(instruction, State.NEW, action="create_again", due_at=uow.now)
    elif absent or (look.doubt and not asked and uow.quiet.given_up(since=instruction.unknown_since, now=uow.now)):
        give_up(uow, instruction, look)
    else:
        later(uow, instruction, changes)


def found_after_send(
    uow: Unit, instruction: Instruction, look: Look[Held], *, found: Found[Held], absent_because: Reason
) -> None:
    """Settle a send of unknown outcome: apply hits; proven absence confirms a refusal, otherwise people decide."""
    changes, absent = counted_look(uow, instruction, look)
    if look.hits:
        found(uow, instruction, look.hits)
    elif not look.shows_nothing:
        not_read(uow, instruction, look.doubt, suspect=look.suspect)
    elif not absent or asks_people_already(instruction):
        later(uow, instruction, changes)
    elif instruction.refusal is not None:
        end_refused(uow, instruction)
    else:
        ask_people(uow, instruction, absent_because)


async def is_absent(ctx: Context, instruction: Instruction, look: Look[Held], *, found: Found[Held]) -> bool:
    """Whether the service provably holds nothing of the request, before a new attempt. Hits are applied instead.

    After too few looks, or a doubt, which the card then shows, it is looked for again soon.
    """

    def work(uow: Unit) -> bool:
        changes, absent = counted_look(uow, instruction, look)
        if absent:
            return True
        if look.hits:
            found(uow, instruction, look.hits)
        elif look.suspect is not None:
            ask_people(uow, instruction, look.doubt, suspect=look.suspect)
        else:
            reason = look.doubt or instruction.reason
            held: Changes = {**changes, "reason": reason, "due_at": uow.now + uow.quiet.spacing}
            uow.instructions.touch(instruction, show=reason != instruction.reason, **held)
        return False

    return await ctx.write(work, name="reread")


def counted_look(uow: Unit, instruction: Instruction, look: Look[Held]) -> tuple[Changes, bool]:
    """Return the changes to store after a look that found nothing, and whether absence is now proven.

    Consecutive looks count, a spacing apart, once the request can no longer be in flight. A suspect restarts the
    count.
    """
    if look.suspect is not None:
        return {"reads": 0, "suspect": look.suspect}, False
    if not look.shows_nothing:
        return {}, False
    over = uow.quiet.over(sent_at=instruction.sent_at, now=uow.now)
    counts = over and counts_as_read(instruction, quiet=uow.quiet, now=uow.now)
    looks = instruction.reads + 1 if counts else instruction.reads
    counted: Changes = {"reads": looks, "suspect": None}
    if counts:
        counted["last_read_at"] = uow.now
    return counted, looks >= LOOKS_NEEDED


def not_read(
    uow: Unit, instruction: Instruction, reason: Reason | None, *, suspect: str | None = None, wait: float | None = None
) -> None:
    """Retry a look without a usable result; if the failures last too long, let people decide.

    ``suspect``: id of a record that may be this request. ``wait``: the service's retry delay in seconds.
    """
    if instruction.state is State.COMMIT_UNKNOWN and uow.quiet.given_up(since=instruction.unknown_since, now=uow.now):
        ask_people(uow, instruction, reason, suspect=suspect)
    elif suspect is not None and suspect != instruction.suspect:
        later(uow, instruction, {"suspect": suspect, "reason": reason, "reads": 0})
    else:
        later(uow, instruction, wait=wait)


def still(uow: Unit, instruction: Instruction, reason: Reason, changes: Changes) -> None:
    """Count a read by id that shows no change; after several, let people decide."""
    counted = counts_as_read(instruction, quiet=uow.quiet, now=uow.now)
    reads = instruction.reads + (1 if counted else 0)
    if silence_is_proven(instruction, reads=reads, quiet=uow.quiet, now=uow.now):
        ask_people(uow, instruction, reason)
    else:
        last = uow.now if counted else instruction.last_read_at
        seen: Changes = {**changes, "reads": reads, "last_read_at": last, "due_at": uow.now + uow.quiet.spacing}
        uow.instructions.touch(instruction, **seen)


def later(uow: Unit, instruction: Instruction, changes: Changes | None = None, *, wait: float | None = None) -> None:
    """Look again after the service's retry delay, or else at the pace of the state; show a new suspect."""
    pace = named_or(wait, uow.quiet.spacing * (60 if asks_people_already(instruction) else 1))
    kept: Changes = {**(changes or {}), "due_at": uow.now + pace}
    show = kept.get("suspect", instruction.suspect) != instruction.suspect
    uow.instructions.touch(instruction, show=show, **kept)


def asks_people_already(instruction: Instruction) -> bool:
    """Whether people already decide on it, so that only a record can still change it."""
    return instruction.state is State.NEEDS_HUMAN


def next_watch(uow: Unit, instruction: Instruction) -> datetime | None:
    """Return when to look again for a request that ended as not paid: often at first, then daily, for a month."""
    age = uow.now - (instruction.closed_at or uow.now)
    pace = uow.quiet.spacing * 60
    return None if age >= _WATCHED else uow.now + (pace if age < _BRISK else max(pace, _BRISK))


async def watch_ended(
    ctx: Context, instruction: Instruction, look: Look[Held], found: Found[Held], *, name: str = "watch_closed"
) -> None:
    """Apply a late hit for a request that ended as not paid, keeping its state; without a hit, look again later."""

    def work(uow: Unit) -> None:
        if look.hits:
            found(uow, instruction, look.hits)
        else:
            uow.instructions.touch(instruction, due_at=next_watch(uow, instruction))

    await ctx.write(work, name=name)
