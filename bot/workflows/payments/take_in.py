"""Import an external payout that is only created: people approve it, then it is committed, once.

Approvers approve the record as it was read. It is read again before they see it and before the commit; any change
ends the request. Payouts that Switchboard made, from whichever database, are not imported, nor are rows of unfinished
bulk payments: the service pays those by itself, and their maker may pay them again. Each payout has one request at a
time, enforced in the write: its source key names the payout.
"""

from dataclasses import dataclass

from bot.clients.payments import PaymentsClient
from bot.domain.payments.bulk_operations import SKEW, may_be_item
from bot.domain.payments.bulk_records import BulkJob, JobStatus
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import Operation
from bot.domain.payments.taken import NotTaken, may_be_taken, payload_of
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context, Unit
from bot.workflows.payments.own_rows import made_here
from bot.workflows.payments.sought import request_about
from bot.workflows.requests.request import Requested, request_of


@dataclass(frozen=True, slots=True)
class Refused:
    """The payout was not imported. ``operation``: the record as read; ``reason``: the evidence that it is ours."""

    why: NotTaken
    operation: Operation
    reason: Reason | None = None


async def may_be_offered(ctx: Context, operation: Operation) -> bool:
    """Whether people may request its commit. Raises RowUnreadable."""
    is_payout = not isinstance(payload_of(operation), NotTaken)
    return is_payout and await ctx.read(lambda uow: made_here(uow, operation)) is None


async def take_in(
    ctx: Context, payments: PaymentsClient, operation_id: str, *, requester: str, channel: str
) -> tuple[Instruction, bool] | Refused:
    """Read the payout and store the request to commit it, durably.

    Returns:
        The request, and whether it is new (a repeated press returns the first one); or why it was refused.

    Raises:
        ServiceNever, ServiceNow, OperatorError: the payout cannot be read, or could not be committed.
    """
    payments.require("commit_payout")
    operation = await payments.get_operation(operation_id)
    payload = payload_of(operation)
    if isinstance(payload, NotTaken):
        return Refused(payload, operation)
    if payload.cents > ctx.policy.approval.daily_limit:
        return Refused(NotTaken.ABOVE_LIMIT, operation)
    made: list[str] = []

    def known(uow: Unit, _key: str) -> Instruction | None:
        before = request_about(ctx, uow, operation)
        return None if may_be_taken(before) else before

    def is_ours(uow: Unit) -> Reason | None:
        return None if known(uow, "") else made_here(uow, operation)

    if (reason := await ctx.read(is_ours) or await _row_of_others(payments, operation)) is not None:
        return Refused(NotTaken.MADE_HERE, operation, reason)

    def make(uow: Unit) -> Requested:
        before = request_about(ctx, uow, operation)
        made.append(f"taken:{operation.id}:{before.id if before is not None else ''}")
        return Requested(
            requester=requester,
            channel=channel,
            kind=Kind.PAYOUT,
            payload=payload,
            source_key=made[-1],
            remote_id=operation.id,
        )

    asked = await request_of(ctx, f"taken:{operation.id}", make, known=known)
    return asked, asked.source_key in made


async def _row_of_others(payments: PaymentsClient, operation: Operation) -> Reason | None:
    """Return the row of an unfinished bulk payment that a payout without a code may be; items have no codes."""
    if operation.code:
        return None
    async for found in payments.bulk_history():
        for job in found.jobs:
            if job.state is JobStatus.DONE or _is_older(operation, job):
                continue
            items = [item async for page in payments.bulk_items(job.id) for item in page.items]
            for row, item in enumerate(items, 1):
                if may_be_item(operation, item):
                    return Reason(OfRequest.MAY_BE_ROW, reference=job.id, row=row)
    return None


def _is_older(operation: Operation, job: BulkJob) -> bool:
    made, begun = operation.created_at, job.created_at
    return made is not None and begun is not None and made < begun - SKEW
