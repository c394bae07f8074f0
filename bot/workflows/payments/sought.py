"""Search the service by our own code; the result proves presence, absence, or nothing.

A list that does not show our codes proves nothing, nor does one with a record that may be ours.
"""

from collections.abc import Sequence
from datetime import datetime

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.audit import CLOCK_SET, on_any_clock
from bot.domain.payments.evidence import Listing, Sought, folded
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind
from bot.domain.payments.operation import Operation
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import Finding
from bot.workflows.context import Context, Unit
from bot.workflows.requests.look_again import Look
from storage.transaction import Tx

_HAD_AN_EFFECT = frozenset({AttemptOutcome.OPEN, AttemptOutcome.UNKNOWN, AttemptOutcome.DONE})


async def by_code(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Look[Operation]:
    """Read the whole list that shows this kind of request once, for the code of this one.

    Raises:
        OperatorError: see :meth:`PaymentsClient.find_by_code`.
    """
    listed = _list_of(ctx, instruction)
    kinds = frozenset(one.kind for one in ctx.kinds.values() if one.listed == listed)
    known, since = await ctx.read(lambda uow: _known(uow, instruction, kinds))
    sought = Sought(code=instruction.code, email=instruction.payload.email, cents=instruction.cents, since=since)
    listing = Listing(sought, known=known)
    search = await payments.find_by_code(instruction.code, listed, see=listing.see)
    if search.hits:
        return Look(search.hits)
    suspect = await ctx.read(lambda uow: _nobody_elses(uow, instruction, listing.suspects))
    if suspect is not None:
        return Look(doubt=Reason(OfRequest.MAY_BE_OURS, id=suspect.id), suspect=suspect.id)
    unusable = None if search.complete else Reason(OfRequest.LIST_UNUSABLE, why=search.reason)
    return Look(doubt=unusable or listing.doubt)


async def find_by_code(ctx: Context, payments: PaymentsClient, instruction: Instruction, sent: bool) -> Finding:
    """What the list holds of a request. For one that was never ``sent``, only our code counts.

    Raises:
        OperatorError: see :meth:`PaymentsClient.find_by_code`.
    """
    listed = _list_of(ctx, instruction)
    holds, lacks = Reason(OfRequest.LIST_HOLDS, listed=listed), Reason(OfRequest.LIST_LACKS, listed=listed)
    if sent:
        look = await by_code(ctx, payments, instruction)
        return Finding.of(hit=bool(look.hits), doubt=look.doubt, holds=holds, lacks=lacks)
    search = await payments.find_by_code(instruction.code, listed)
    doubt = None if search.complete else search.reason
    return Finding.of(hit=bool(search.hits), doubt=doubt, holds=holds, lacks=lacks)


def _list_of(ctx: Context, instruction: Instruction) -> OperationType:
    listed = ctx.kinds[instruction.kind].listed
    if listed is None:
        raise TypeError(f"no list shows {instruction.reference}")
    return listed


def _known(uow: Unit, instruction: Instruction, kinds: frozenset[Kind]) -> tuple[frozenset[str], datetime]:
    """Codes of ours that the list may show, and when the first request of this one was sent.

    Where the clock was set since: the earliest that the service's clock may have said then.
    """
    codes = frozenset(map(folded, uow.instructions.codes_at_the_service(kinds)))
    sent = [one.claimed_at for one in uow.attempts.of(instruction.id) if one.outcome in _HAD_AN_EFFECT]
    earliest, _ = on_any_clock(min(sent, default=instruction.created_at), uow.now, uow.audit.every(CLOCK_SET))
    return codes, earliest


def _nobody_elses(tx: Tx, instruction: Instruction, suspects: Sequence[Operation]) -> Operation | None:
    """The first suspect that belongs to no other request of ours."""
    own = instruction.id
    left = (one for one in suspects if not tx.instructions.belongs_to_another(one.id, one.code, than=own))
    return next(left, None)
