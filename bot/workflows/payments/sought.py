"""Searching the service: by our own code, after a refusal, and for what nothing here asked for.

A list that does not show our codes proves nothing, nor does one with a record that may be ours. A service that refuses
a request may have executed it nevertheless: a proxy repeats a request, and the repeat is refused because the first one
went through. So a refusal is final once a read agrees with it, and reading goes on for a month. For a payout with an
id, one read right after the refusal is enough. What can only be searched for in a list is handled as an unknown
outcome; the card says at once that it was refused and is being checked. Creating moves no money, so one look at the
list is enough there.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.audit import CLOCK_SET, on_any_clock
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, doubted
from bot.domain.payments.evidence import SKEW, Listing, Sought, differences, folded, state_of
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.domain.recovery import SearchResult
from bot.workflows.context import Context, Unit
from bot.workflows.payments.callbacks import callback_folder
from bot.workflows.payments.follow import leave_behind
from bot.workflows.reading_only import resumed_at
from bot.workflows.requests.attempt import Outcome
from bot.workflows.requests.look_again import Look, next_watch
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
    sought = Sought(email=instruction.payload.email, cents=instruction.cents, since=since)
    listing = Listing(sought, known=known)
    search = await payments.find_by_code(instruction.code, listed, see=listing.see)
    if search.hits:
        return Look(search.hits)
    suspect = await ctx.read(lambda uow: _nobody_elses(uow, instruction, listing.suspects))
    if suspect is not None:
        return Look(doubt=Reason(OfRequest.MAY_BE_OURS, id=suspect.id), suspect=suspect.id)
    unusable = None if search.complete else Reason(OfRequest.LIST_UNUSABLE, why=search.reason)
    return Look(doubt=unusable or listing.doubt)


async def find_by_code(ctx: Context, payments: PaymentsClient, instruction: Instruction, sent: bool) -> SearchResult:
    """What the list holds of a request. For one that was never ``sent``, only our code counts.

    Raises:
        OperatorError: see :meth:`PaymentsClient.find_by_code`.
    """
    listed = _list_of(ctx, instruction)
    holds, lacks = Reason(OfRequest.LIST_HOLDS, listed=listed), Reason(OfRequest.LIST_LACKS, listed=listed)
    if sent:
        look = await by_code(ctx, payments, instruction)
        return SearchResult.of(hit=bool(look.hits), doubt=look.doubt, holds=holds, lacks=lacks)
    search = await payments.find_by_code(instruction.code, listed)
    doubt = None if search.complete else search.reason
    return SearchResult.of(hit=bool(search.hits), doubt=doubt, holds=holds, lacks=lacks)


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


async def reread(payments: PaymentsClient, instruction: Instruction, outcome: Outcome[Operation]) -> Outcome[Operation]:
    """Outcome of a commit. A refusal is compared with the payout's own record: where they differ, the record counts."""
    if doubted(outcome) is outcome:
        return outcome
    try:
        operation = await payments.get_operation(instruction.remote_id or "")
    except (ServiceNow, ServiceNever, OperatorError):
        return doubted(outcome)
    if differences(instruction, operation):
        return doubted(outcome)
    if operation.state is OperationStatus.CREATED:
        return outcome
    return Done(value=operation) if state_of(operation) is not None else doubted(outcome)


async def watch_by_code(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED or REFUSED without an id to be read by: what appears after all is followed; when paid, an alert."""
    look = await by_code(ctx, payments, instruction)

    def work(uow: Unit) -> None:
        now = ctx.clock.now()
        if look.hits:
            leave_behind(uow, instruction, look.hits)
        else:
            uow.instructions.touch(instruction, due_at=next_watch(ctx, instruction, now))

    await ctx.write(work, name="watch_closed")


log = structlog.get_logger(__name__)

_AGAIN: Final = timedelta(minutes=1)


async def survey_due(ctx: Context) -> int:
    """Compare once a process, as soon as the service answers; how many have no row. Any starts reading-only mode."""
    at, now = ctx.high_water.survey_at, ctx.clock.now()
    payments = ctx.payments.client
    if payments is None or at is None or now < at:
        return 0
    ctx.high_water.survey_at = now + _AGAIN
    try:
        held = await payments.ends_of_list()
    except ServiceNow as silent:
        log.warning("what the payments service holds is compared later", reason=str(silent))
        return 0
    except (ServiceNever, OperatorError) as refused:
        log.warning("what the payments service holds cannot be compared", reason=str(refused))
        held = ()
    ours = [one for one in held if one.reports_to == callback_folder(ctx)]
    strangers = await ctx.read(lambda uow: _strangers(uow, ours))
    if strangers:
        log.error("the payments service holds what nothing here asked for", operations=[one.id for one in strangers])
        named = [f"{one.operation_type or 'operation'} {one.code or one.id}" for one in strangers]
        await ctx.high_water.doubt(Reason(OfMode.NOBODY_ASKED), sent=named)
        ctx.wake()
    ctx.high_water.survey_at = None  # last: after a database error it is compared again
    return len(strangers)


def _strangers(tx: Tx, ours: Sequence[Operation]) -> list[Operation]:
    """Those that no request of this database made, and that no operator has accounted for."""
    resumed = resumed_at(tx)
    new = (one for one in ours if resumed is None or (one.created_at is not None and one.created_at > resumed + SKEW))
    return [one for one in new if not tx.instructions.belongs_to_another(one.id, one.code, than="")]
