"""Take in a payout that was made elsewhere and is only created: people approve it, then it is committed, once.

What is approved is the record as it was read. It is read again before the approvers see it, and before the commit; what
has changed since ends the request. One payout has one request at a time, in the write: its source key names the payout.
"""

from dataclasses import dataclass

from bot.clients.payments import PaymentsClient
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.operation import Operation
from bot.domain.payments.taken import NotTaken, may_be_taken, payload_of
from bot.workflows.context import Context, Unit
from bot.workflows.payments.sought import is_of
from bot.workflows.requests.request import Requested, request_of


@dataclass(frozen=True, slots=True)
class Refused:
    """The payout was not taken in. ``operation``: the record as it was read."""

    why: NotTaken
    operation: Operation


async def take_in(
    ctx: Context, payments: PaymentsClient, operation_id: str, *, requester: str, channel: str
) -> tuple[Instruction, bool] | Refused:
    """Read the payout and store the request to commit it, durably.

    Returns:
        The request, and whether it is new; pressed again, it is the first one. Or why there is none.

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

    def holder(uow: Unit) -> Instruction | None:
        # Also one of ours whose creation has an unknown outcome: then its code is known, and not yet its id.
        named = uow.instructions.by_code(operation.code) if operation.code else None
        ours = named if named is not None and is_of(ctx, named, operation) else None
        return uow.instructions.by_remote(operation.id) or ours

    def known(uow: Unit, _key: str) -> Instruction | None:
        before = holder(uow)
        return None if may_be_taken(before) else before

    def make(uow: Unit) -> Requested:
        before = holder(uow)
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
