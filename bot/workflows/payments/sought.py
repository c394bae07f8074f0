"""Look for something at the service by our own code, and say what that proves: found, not there, or nothing.

A list that does not show our codes, and one with a record that may be what is looked for, prove nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.evidence import Listing, Sought, folded
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind
from bot.domain.payments.operation import Operation
from bot.domain.payments.payout import absence_is_proven, looks_after
from bot.workflows.context import Context
from storage.repositories.instructions import Changes
from storage.transaction import Tx

Held = TypeVar("Held", Operation, BulkJob)

_HAD_AN_EFFECT = frozenset({AttemptOutcome.OPEN, AttemptOutcome.UNKNOWN, AttemptOutcome.DONE})
_KINDS: dict[OperationType, frozenset[Kind]] = {
    "payout": frozenset({Kind.PAYOUT, Kind.ONE_STEP}),
    "purchase": frozenset({Kind.PURCHASE}),
}


@dataclass(frozen=True, slots=True)
class Look(Generic[Held]):
    """What one look came to.

    Attributes:
        hits: what is ours. Several are a matter for people.
        doubt: why nothing follows from there being none; empty when it counts as a look that did not find it.
        suspect: id of what may be ours, when that is the doubt.
    """

    hits: tuple[Held, ...] = ()
    doubt: str = ""
    suspect: str | None = None

    @property
    def shows_nothing(self) -> bool:
        """Whether it was read to its end, would have shown it, and did not."""
        return not self.hits and not self.doubt


async def by_code(
    ctx: Context, payments: PaymentsClient, instruction: Instruction, operation_type: OperationType = "payout"
) -> Look[Operation]:
    """Read the whole list of one type once, for the code of this request.

    Raises:
        OperatorError: see :meth:`PaymentsClient.find_by_code`.
    """
    known, since = await ctx.store.read(lambda tx: _known(tx, instruction, _KINDS[operation_type]))
    sought = Sought(code=instruction.code, email=instruction.payload.email, cents=instruction.cents, since=since)
    listing = Listing(sought, known=known)
    search = await payments.find_by_code(instruction.code, operation_type, see=listing.see)
    if search.hits:
        return Look(search.hits)
    suspect = await ctx.store.read(lambda tx: _nobody_elses(tx, instruction, listing.suspects))
    if suspect is not None:
        return Look(doubt=may_be_ours(suspect.id), suspect=suspect.id)
    unusable = "" if search.complete else f"the list cannot be used: {search.reason}"
    return Look(doubt=unusable or listing.doubt)


def may_be_ours(remote_id: str) -> str:
    """What people read of a record that nobody but they can tell."""
    return (
        f"the service holds {remote_id}, made since this was sent, for the same recipient and amount and without our "
        "code: look whether that is this one"
    )


def taken_note_of(ctx: Context, instruction: Instruction, look: Look[Held], now: datetime) -> tuple[Changes, bool]:
    """What to keep of a look that found nothing, and whether absence is proven with it.

    Looks in a row count, a spacing apart, once the request can no longer be on its way. What may be ours starts the
    count anew.
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


def hold_back(ctx: Context, tx: Tx, instruction: Instruction, doubt: str, changes: Changes) -> None:
    """Nothing is sent anew yet, for want of looks or for a doubt, which the card then says; look again soon."""
    now = ctx.clock.now()
    reason = doubt or instruction.reason
    held: Changes = {**changes, "reason": reason, "due_at": now + ctx.quiet.spacing}
    tx.instructions.touch(instruction, now=now, show=reason != instruction.reason, **held)


def _known(tx: Tx, instruction: Instruction, kinds: frozenset[Kind]) -> tuple[frozenset[str], datetime]:
    """Codes of ours that the list may show, and when the first request of this one left."""
    codes = frozenset(map(folded, tx.instructions.codes_at_the_service(kinds)))
    sent = [one.claimed_at for one in tx.attempts.of(instruction.id) if one.outcome in _HAD_AN_EFFECT]
    return codes, min(sent, default=instruction.created_at)


def _nobody_elses(tx: Tx, instruction: Instruction, suspects: Sequence[Operation]) -> Operation | None:
    """The first that belongs to no other request of ours."""
    own = instruction.id
    left = (one for one in suspects if not tx.instructions.belongs_to_another(one.id, one.code, than=own))
    return next(left, None)
