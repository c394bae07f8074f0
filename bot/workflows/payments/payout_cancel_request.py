"""Request to cancel a payout in escrow: a cancellation of one item, which is the payout itself."""

from bot.clients.payments import PaymentsClient
from bot.domain.money import Cents
from bot.domain.payments.bulk import CancelPayload, hashes_digest
from bot.domain.payments.bulk_account import BulkRow
from bot.domain.payments.bulk_state import PENDING_WORD
from bot.domain.payments.instruction import FINAL, Instruction, Kind
from bot.domain.payments.operation import Operation, OperationStatus
from bot.workflows.context import Context, Unit
from bot.workflows.requests.request import Requested, request_of


async def request_return(
    ctx: Context, payments: PaymentsClient, payout: Instruction, *, requester: str, channel: str, source_key: str
) -> Instruction | Operation:
    """Read the payout at the service and store the request, durably; the one that is open already, if there is one.

    Returns:
        The request, or the record of a payout that is not pending any more.

    Raises:
        OperatorError: it could not be canceled; see ``PaymentsClient.require_cancel_payout``.
        ServiceNow, ServiceNever: the payout could not be read.
    """
    payments.require_cancel_payout()
    operation = await payments.get_operation(payout.remote_id or "")
    if operation.state is not OperationStatus.PENDING:
        return operation
    row = BulkRow(
        row=1, email=payout.payload.email, cents=Cents(payout.cents), status=PENDING_WORD, hash=operation.id, note=""
    )
    payload = CancelPayload(
        bulk=payout.reference,
        bulk_remote_id=operation.id,
        count=1,
        cents=payout.cents,
        items_digest=hashes_digest({operation.id: int(payout.cents)}),
        payout_to=payout.payload.email,
    )
    requested = Requested(
        requester=requester,
        channel=channel,
        kind=Kind.BULK_CANCEL,
        payload=payload,
        source_key=source_key,
        items=[row],
    )

    def known(uow: Unit, key: str) -> Instruction | None:
        same = uow.instructions.last_same(
            kind=Kind.BULK_CANCEL, payee=payload.payee, since=payout.created_at, ignoring=FINAL
        )
        return same or uow.instructions.by_source(key)

    def make(_uow: Unit) -> Requested:
        return requested

    return await request_of(ctx, source_key, make, known=known)
