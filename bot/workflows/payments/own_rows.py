"""Match operations of the service with stored rows of bulk payments that were requested here."""

from contextlib import suppress

from bot.domain.payments.bulk_operations import OwnRow, SentRow, named_row, row_of
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.payments.taken import mark_of
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Unit
from storage.errors import RowUnreadable


def own_row(uow: Unit, operation: Operation) -> OwnRow | None:
    """Return the row that the operation is or may be. Raises RowUnreadable, as an unreadable row could be it."""
    named = named_row(operation)
    found = uow.bulk_items.sent_as(*named) if named is not None else []
    found += uow.bulk_items.sent_to(operation.email) if operation.email else []
    if operation.svc_hash and operation.state is OperationStatus.CREATED:  # only created payouts can be imported
        found += uow.bulk_items.sent_with(operation.svc_hash)
    if not found:
        return None
    bulks = {of: uow.instructions.get(of) for of, _ in found}
    rows = [
        SentRow(bulk=bulk, row=row, since=(bulk.sent_at or bulk.created_at) - uow.ctx.clock.doubt)
        for of, row in found
        if (bulk := bulks[of]) is not None
    ]
    return row_of(operation, rows)


def made_here(uow: Unit, operation: Operation) -> Reason | None:
    """Return the evidence that Switchboard made, or may have made, the operation; or None. Raises RowUnreadable."""
    if (row := own_row(uow, operation)) is not None:
        code = OfRequest.ROW_OF_BULK if row.is_certain else OfRequest.MAY_BE_ROW
        return Reason(code, reference=row.reference, row=row.row)
    mark = mark_of(operation)
    return Reason(OfRequest.CARRIES_MARK, mark=mark) if mark else None


def readable_row(uow: Unit, operation: Operation) -> OwnRow | None:
    """Like ``own_row``, but skip unreadable rows, which are noted, instead of raising."""
    with suppress(RowUnreadable):
        return own_row(uow, operation)
    return None
