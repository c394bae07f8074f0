"""Requests to the payments service whose answer is lost, of each kind."""

from bot.playground.faults import Fault, FaultKind
from tests.support.rig import FINANCE, MARIA, Rig

NOW = 'now ana@example.com 25.00 "March"'


SEND = 'send ana@example.com 25.00 "March"'


COLLECT = 'collect ana@example.com "March" web=1x25.00'


ONE_STEP, CREATE, PURCHASE, BULK = "one_step_payout", "create_payout", "create_purchase", "create_bulk_payment"


def arm(rig: Rig, kind: FaultKind, name: str, *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times))


async def ask(rig: Rig, name: str, kind: FaultKind) -> None:
    """Have the one request that makes it go wrong like this."""
    arm(rig, kind, name)
    if name == BULK:
        await rig.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
        await rig.workspace.submit(MARIA, {"rows": "ana@example.com,10.00\nluis@example.com,20.00"})
        await rig.settle()
    else:
        await rig.pay({ONE_STEP: NOW, CREATE: SEND, PURCHASE: COLLECT}[name])
    if name in (ONE_STEP, BULK):
        await rig.press("approve")
