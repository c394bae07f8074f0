"""A database that knows less than the services, with no anchor to say so: what it never asked for is noticed."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.domain.reasons import OfMode, Reason
from bot.playground.faults import Fault, FaultKind
from tests.support.rig import Rig
from tests.support.shown import shown
from tests.workflows.looking import alerts, asked, newest, state, there
from tests.workflows.restoring import anchors, back_up, mode, put_back, resumed

ADDRESS = "https://switchboard.example.com"

pytestmark = pytest.mark.rig(public_url=ADDRESS)


async def elsewhere(rig: Rig, kept: Path) -> None:
    """The copy is started on another host: the anchors stay behind."""
    await rig.switchboard.stop()
    put_back(rig.settings.database_url, kept)
    anchors(rig).path.unlink()
    await rig.start()
    await rig.settle()


async def paid_after_the_copy(rig: Rig, tmp_path: Path) -> Path:
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.pay("now ana@example.com 25.00 rent")
    await rig.press("approve")
    return kept


async def test_a_payment_that_nothing_here_asked_for_is_noticed(rig: Rig, tmp_path: Path) -> None:
    kept = await paid_after_the_copy(rig, tmp_path)
    code = (await newest(rig)).code
    await elsewhere(rig, kept)
    found = there(await mode(rig))
    assert (found.reason, found.sent) == (Reason(OfMode.NOBODY_ASKED), (f"payout {code}",))
    assert shown(alerts(rig)[-1]) == snapshot("""\
:rotating_light: *Action needed: Switchboard is read-only.* The database may be out of date: the provider has \
payments with our callback URL that aren't in our database. Nothing is sent, so that nothing is paid twice. Check the \
open requests, then run `switchboard resume`.""")
    await rig.pay("send ana@example.com 25.00 rent")
    assert asked(rig, "create_payout") == 0


async def test_what_an_operator_has_accounted_for_is_not_held_against_it_again(rig: Rig, tmp_path: Path) -> None:
    await elsewhere(rig, await paid_after_the_copy(rig, tmp_path))
    await rig.pass_time(1200, steps=4)
    await resumed(rig)
    await rig.start_again()
    await rig.settle()
    assert await mode(rig) is None


async def test_a_restart_finds_only_what_is_known(rig: Rig, tmp_path: Path) -> None:
    await paid_after_the_copy(rig, tmp_path)
    await rig.pay("collect ana@example.com Books a=1x5.00")
    before = asked(rig, "list_operations")
    await rig.start_again()
    await rig.pass_time(600, steps=4)
    assert await mode(rig) is None
    assert asked(rig, "list_operations") == before + 1


async def test_what_reports_to_somebody_else_is_somebody_elses(rig: Rig, tmp_path: Path) -> None:
    kept = await paid_after_the_copy(rig, tmp_path)
    rig.settings = rig.settings.model_copy(update={"public_url": "https://other.example.com"})
    await elsewhere(rig, kept)
    assert asked(rig, "list_operations") > 0
    assert await mode(rig) is None


async def test_without_a_public_address_nothing_is_taken_for_ours(rig: Rig, tmp_path: Path) -> None:
    kept = await paid_after_the_copy(rig, tmp_path)
    rig.settings = rig.settings.model_copy(update={"public_url": None})
    before = asked(rig, "list_operations")
    await elsewhere(rig, kept)
    assert asked(rig, "list_operations") == before


async def test_a_service_that_does_not_answer_is_asked_again(rig: Rig, tmp_path: Path) -> None:
    kept = await paid_after_the_copy(rig, tmp_path)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_operations"))
    await elsewhere(rig, kept)
    assert await mode(rig) is None
    await rig.pass_time(61)
    assert await mode(rig) is not None


async def test_a_service_that_refuses_the_list_is_not_asked_for_ever(rig: Rig, tmp_path: Path) -> None:
    kept = await paid_after_the_copy(rig, tmp_path)
    rig.payments.faults.arm(Fault(FaultKind.REFUSED, "list_operations", times=None))
    before = asked(rig, "list_operations")
    await elsewhere(rig, kept)
    await rig.pass_time(600, steps=4)
    assert asked(rig, "list_operations") == before + 1
    assert await mode(rig) is None


async def test_approved_request_of_a_copy_waits_while_the_list_cannot_be_read(rig: Rig, tmp_path: Path) -> None:
    rig.payments.switches.accept_duplicate_codes = True
    await rig.pay("now ana@example.com 25.00 rent")
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("approve")
    await rig.payments.start(port=port)
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.pass_time(60)
    assert asked(rig, "one_step_payout") == 1
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_operations", times=None))
    await elsewhere(rig, kept)
    await rig.pass_time(600, steps=6)
    assert (await state(rig), asked(rig, "one_step_payout")) == (State.APPROVED, 1)
