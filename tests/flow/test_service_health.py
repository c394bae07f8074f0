"""What status and App Home show of a service: by its last call, whichever way it failed."""

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.support.rig import FINANCE, OLGA, Rig
from tests.workflows.looking import service_status

WELL, FAILS, UNUSED = ":large_green_circle:", ":red_circle:", ":white_circle:"


async def ask(rig: Rig, fault: FaultKind | None) -> str:
    """Mark of Payments after one call that meets this fault."""
    rig.payments.faults.clear()
    if fault is not None:
        rig.payments.faults.arm(Fault(fault, times=None))
    await rig.workspace.slash(OLGA, FINANCE, "/pay", "partner")
    await rig.settle()
    return (await service_status(rig, "Payments")).partition(" ")[0]


async def in_home(rig: Rig) -> bool:
    await rig.workspace.open_home(OLGA)
    view = rig.workspace.home(OLGA)
    assert view is not None
    return "Payments: " in str(view.blocks)


async def test_service_is_well_after_a_successful_call_only(rig: Rig) -> None:
    assert (await service_status(rig, "Payments")).startswith(UNUSED)
    for fault in (FaultKind.ERROR_500, FaultKind.LOST, FaultKind.GARBAGE):
        assert (await ask(rig, fault), await in_home(rig)) == (FAILS, True), fault
        assert (await ask(rig, None), await in_home(rig)) == (WELL, False)
    assert await ask(rig, FaultKind.REFUSED) == WELL  # an answer about one resource
    assert await ask(rig, FaultKind.ERROR_500) == FAILS
    assert await ask(rig, FaultKind.TOO_MANY) == FAILS  # says nothing
    await rig.start_again()
    assert (await service_status(rig, "Payments")).startswith(FAILS)


@pytest.mark.rig(payments_partner_secret="another")
async def test_service_that_refuses_our_key_is_unwell(rig: Rig) -> None:
    assert await ask(rig, None) == FAILS
