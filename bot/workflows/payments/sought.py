"""Search the service by our own code; the result proves presence, absence, or nothing.

A list that does not show our codes proves nothing, nor does one with a record that may be ours.
"""

from collections.abc import Sequence
from datetime import datetime

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.payments.evidence import Listing, Sought, folded
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind
from bot.domain.payments.operation import Operation
from bot.domain.recovery import Finding
from bot.workflows.context import Context
from bot.workflows.requests.look_again import Look
from storage.transaction import Tx

_HAD_AN_EFFECT = frozenset({AttemptOutcome.OPEN, AttemptOutcome.UNKNOWN, AttemptOutcome.DONE})
_KINDS: dict[OperationType, frozenset[Kind]] = {
    "payout": frozenset({Kind.PAYOUT, Kind.ONE_STEP}),
    "purchase": frozenset({Kind.PURCHASE}),
}


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


async def find_by_code(
    ctx: Context,
    payments: PaymentsClient,
    instruction: Instruction,
    sent: bool,
    operation_type: OperationType = "payout",
) -> Finding:
    """What the list holds of a request. For one that was never ``sent``, only our code counts.

    Raises:
        OperatorError: see :meth:`PaymentsClient.find_by_code`.
    """
    where = f"the list of {operation_type}s"
    if sent:
        look = await by_code(ctx, payments, instruction, operation_type)
        return Finding.of(hit=bool(look.hits), doubt=look.doubt, where=where)
    search = await payments.find_by_code(instruction.code, operation_type)
    return Finding.of(hit=bool(search.hits), doubt="" if search.complete else search.reason, where=where)


def may_be_ours(remote_id: str) -> str:
    """Text about a record that only a person can identify."""
    return (
        f"the service holds {remote_id}, made since this was sent, for the same recipient and amount and without our "
        "code: look whether that is this one"
    )


def _known(tx: Tx, instruction: Instruction, kinds: frozenset[Kind]) -> tuple[frozenset[str], datetime]:
    """Codes of ours that the list may show, and when the first request of this one was sent."""
    codes = frozenset(map(folded, tx.instructions.codes_at_the_service(kinds)))
    sent = [one.claimed_at for one in tx.attempts.of(instruction.id) if one.outcome in _HAD_AN_EFFECT]
    return codes, min(sent, default=instruction.created_at)


def _nobody_elses(tx: Tx, instruction: Instruction, suspects: Sequence[Operation]) -> Operation | None:
    """The first suspect that belongs to no other request of ours."""
    own = instruction.id
    left = (one for one in suspects if not tx.instructions.belongs_to_another(one.id, one.code, than=own))
    return next(left, None)
