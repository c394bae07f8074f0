"""After a start: find payments at the service that report to us and have no row here.

A database that was lost, or restored on a host without its anchors, lacks them, and their requesters would ask again.
The newest are compared: both ends of the service's list are read, because its order is not documented.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.evidence import SKEW
from bot.domain.payments.operation import Operation
from bot.domain.reasons import OfMode, Reason
from bot.workflows.context import Context
from bot.workflows.payments.addresses import callback_folder
from bot.workflows.reading_only import resumed_at
from storage.transaction import Tx

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
