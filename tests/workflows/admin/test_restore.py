"""A database that went back in time: payments freeze, an operator resumes, people decide, and nothing is paid twice."""

from pathlib import Path

import aiohttp
import pytest

from bot.domain.bookings.booking import Stage
from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest, Reason
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from tests.laws.effects import closed, retried
from tests.support.bulk import ask as ask_bulk
from tests.support.bulk import held as bulk_in_escrow
from tests.support.bulk import reference, submissions
from tests.support.clock import QUIET
from tests.support.deliveries import book, open_rig, service_of
from tests.support.rig import ADA, ALERTS, FINANCE, LIN, MARIA, OLGA, Rig, approve_card
from tests.workflows.looking import alerts, asked, disagreements, ephemerals, newest, read, requests, state
from tests.workflows.restoring import anchors, back_up, older, restore, resumed

PAID = (State.COMMITTED, State.COMPLETED, State.PENDING_ESCROW)
CHECK = Reason(OfRequest.RESTORED)
KINDS = ("send", "now", "bulk", "cancel")
"""The last: a bulk payment of which what is pending is taken back."""
both = pytest.mark.rig(on="both")


async def ask(rig: Rig, kind: str) -> None:
    rig.payments.switches.accept_duplicate_codes = True
    if kind == "bulk":
        await ask_bulk(rig)
    elif kind == "cancel":
        await bulk_in_escrow(rig)
        await rig.pay(f"bulk cancel {reference(rig)} all")
    else:
        await rig.pay(f"{kind} ana@example.com 25.00 rent")


async def approve_while_away(rig: Rig) -> None:
    """People approve, and the service is away: it stays approved."""
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("approve", user=ADA)
    await rig.payments.start(port=port)


async def another(rig: Rig) -> Message:
    """The card of another request, which waits."""
    await rig.pay("now luis@example.com 10.00 other")
    return rig.cards()[-1]


def back_up_of(rig: Rig, tmp_path: Path) -> Path:
    return back_up(rig.settings.database_url, tmp_path / "kept.db")


def sends(rig: Rig) -> tuple[int, ...]:
    operations = ("create_payout", "commit_payout", "one_step_payout", "create_purchase", "cancel_bulk_items")
    return *(asked(rig, one) for one in operations), submissions(rig)


async def get(rig: Rig, path: str) -> str:
    async with aiohttp.ClientSession() as session, session.get(rig.switchboard.url + path) as answer:
        return await answer.text()


@both
@pytest.mark.parametrize("kind", KINDS)
async def test_approved_request_that_was_sent_is_not_sent_again(rig: Rig, tmp_path: Path, kind: str) -> None:
    await ask(rig, kind)
    await approve_while_away(rig)
    kept = back_up_of(rig, tmp_path)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(120, steps=4)
    before, paid = sends(rig), rig.paid
    await restore(rig, kept)
    await rig.pass_time(600, steps=4)
    assert (await state(rig), sends(rig)) == (State.APPROVED, before)  # frozen, its deadline included
    assert await resumed(rig) == [(await newest(rig)).reference]
    found = await newest(rig)
    assert (found.state, found.reason) == (State.NEEDS_HUMAN, CHECK)
    await rig.settle()
    assert found.reference in alerts(rig)[-1]
    await rig.pass_time(5 * QUIET, steps=10)
    assert (sends(rig), rig.paid) == (before, paid)
    assert await state(rig) in PAID  # as the service's records show
    assert await disagreements(rig) == ()


@both
@pytest.mark.parametrize("kind", KINDS)
async def test_approved_request_that_was_not_sent_is_sent_once_people_decide(
    rig: Rig, tmp_path: Path, kind: str
) -> None:
    other = await another(rig)
    await ask(rig, kind)
    await approve_while_away(rig)
    kept = back_up_of(rig, tmp_path)
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    await approve_card(rig, other)
    await rig.settle()
    before = sends(rig)
    await restore(rig, kept)
    await resumed(rig)
    await rig.settle()
    await rig.pass_time(5 * QUIET, steps=10)
    assert (await state(rig), sends(rig)) == (State.NEEDS_HUMAN, before)
    await retried(rig, LIN)
    await rig.pass_time(600, steps=6)
    assert await state(rig) in PAID
    assert sum(sends(rig)) == sum(before) + 1
    assert await disagreements(rig) == ()
    assert await older(rig) is None


@both
@pytest.mark.parametrize("kind", KINDS)
async def test_restored_request_can_be_closed_as_not_paid(rig: Rig, tmp_path: Path, kind: str) -> None:
    await ask(rig, kind)
    await approve_while_away(rig)
    kept = back_up_of(rig, tmp_path)
    await rig.pass_time(120, steps=4)
    before = sends(rig)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "*", times=None))
    await restore(rig, kept)
    await resumed(rig)
    await rig.settle()
    await closed(rig)
    await rig.pass_time(600, steps=4)
    assert (await state(rig), sends(rig)) == (State.CLOSED, before)


@both
@pytest.mark.parametrize("kind", ["send", "now", "bulk"])
async def test_waiting_request_that_was_sent_since_needs_a_person(rig: Rig, tmp_path: Path, kind: str) -> None:
    await ask(rig, kind)
    kept = back_up_of(rig, tmp_path)
    await rig.press("approve", user=ADA)
    await rig.pass_time(120, steps=4)
    before, paid = sends(rig), rig.paid
    await restore(rig, kept)
    await rig.press("approve", user=LIN)
    assert await state(rig) is State.AWAITING  # nothing can be decided while it is frozen
    assert await resumed(rig) == [(await newest(rig)).reference]
    assert await state(rig) is State.NEEDS_HUMAN
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "*"))  # the first read
    await rig.settle()
    await retried(rig, LIN)  # without a look at the provider's dashboard
    await rig.pass_time(5 * QUIET, steps=10)
    assert (sends(rig), rig.paid) == (before, paid)
    assert await state(rig) in PAID


@both
async def test_waiting_request_that_was_not_sent_is_approved_again(rig: Rig, tmp_path: Path) -> None:
    other = await another(rig)
    await rig.pay("now ana@example.com 25.00 rent")
    kept = back_up_of(rig, tmp_path)
    await approve_card(rig, other)
    await rig.settle()
    await restore(rig, kept)
    assert await resumed(rig) == [(await requests(rig))[0].reference]
    await rig.settle()
    found = await newest(rig)
    assert (found.state, found.round, found.reason) == (State.AWAITING, 2, CHECK)
    assert "check at the provider first" in rig.cards()[-1].plain
    await rig.press("approve", user=LIN)
    assert await state(rig) in PAID
    assert [cents for _, cents in rig.paid] == [1_000, 2_500]


@both
@pytest.mark.parametrize("command", ["send ana@example.com 25.00 rent", 'collect ana@example.com "Books" a=1x5.00'])
async def test_already_created_payout_is_not_created_again(rig: Rig, tmp_path: Path, command: str) -> None:
    port = rig.payments.port
    await rig.payments.stop()
    await rig.pay(command)
    kept = back_up_of(rig, tmp_path)
    assert await state(rig) is State.NEW
    await rig.payments.start(port=port)
    await rig.pass_time(60, steps=2)
    await restore(rig, kept)
    await resumed(rig)
    assert await state(rig) is State.NEEDS_HUMAN
    await rig.settle()
    if command.startswith("send"):
        await retried(rig, LIN)  # for the creation alone
    await rig.pass_time(600, steps=6)
    assert await state(rig) in (State.AWAITING, State.OPEN)
    assert len(rig.payments.operations) == 1


@both
async def test_freeze_and_its_remedy_are_shown_everywhere(rig: Rig, tmp_path: Path) -> None:
    kept = back_up_of(rig, tmp_path)
    await rig.pay("now ana@example.com 25.00 rent")
    await rig.press("approve")
    code = (await newest(rig)).code
    await restore(rig, kept)
    assert f"Sent, and not in this database: payments.one_step_payout {code}." in alerts(rig)[-1]
    assert '"mode": "frozen"' in await get(rig, "/readyz")
    assert "switchboard_frozen 1.0" in await get(rig, "/metrics")
    help_ = "an operator has to run switchboard resume"
    await rig.workspace.slash(OLGA, FINANCE, "/switchboard", "status")
    await rig.workspace.until(lambda: any(help_ in text for text in ephemerals(rig, OLGA)) or None)
    for user, command in ((ADA, "unfreeze"), (MARIA, "send ana@example.com 25.00 rent")):
        await rig.pay(command, user=user)
        assert help_ in ephemerals(rig, user)[-1]
    said = len(alerts(rig))
    await rig.start_again()
    await rig.settle()
    assert await older(rig) is not None, "it outlives a restart"
    assert len(alerts(rig)) == said
    assert (await requests(rig), await resumed(rig)) == ([], [])
    await rig.start_again()
    assert await older(rig) is None  # what was lost has been accounted for


async def test_unstored_effect_is_not_sent(rig: Rig) -> None:
    await rig.pay("now ana@example.com 25.00 rent")
    path = anchors(rig).path
    path.rename(path.with_suffix(".kept"))
    path.mkdir()
    await rig.press("approve")
    await rig.pass_time(120, steps=4)
    assert (await state(rig), asked(rig, "one_step_payout")) == (State.APPROVED, 0)
    assert [text for text in alerts(rig) if "nothing is sent" in text and path.name in text]
    path.rmdir()
    await rig.pass_time(120, steps=4)
    assert (await state(rig) in PAID, asked(rig, "one_step_payout")) == (True, 1)
    assert "The anchor file can be written again" in alerts(rig)[-1]


async def test_each_effect_is_stored_before_sending(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    found = await newest(rig)
    about = [anchor.about for anchor in anchors(rig).read().held if anchor.about]
    assert about == [f"payments.create_payout {found.code}", f"payments.commit_payout {found.remote_id}"]


@pytest.mark.parametrize(
    ("before", "behind", "alerts"),
    [
        (b"garbage\n", b"", 1),
        (b'{"at": "2026-11-2\n', b"", 1),
        (b"", b'{"at": "2026-11-2', 0),
    ],
    ids=["a line of another", "a line that was cut", "half a line at the end"],
)
async def test_changed_anchors_are_alerted_once(rig: Rig, before: bytes, behind: bytes, alerts: int) -> None:
    await rig.pay()
    await rig.press("approve")
    await rig.switchboard.stop()
    [file] = Path(rig.settings.database_url.partition("///")[2]).parent.glob("*.anchors")
    file.write_bytes(before + file.read_bytes() + behind)
    for _ in range(2):
        await rig.start()
        await rig.settle()
        await rig.pay()
        told = [m.text for m in rig.workspace.messages(ALERTS) if "the anchor file was modified" in m.text]
        assert [": line 1 of " in text for text in told] == [True] * alerts
        await rig.switchboard.stop()
    await rig.start()


@pytest.mark.rig(on="both", opened_by=open_rig)
async def test_already_sent_booking_is_found_and_not_resent(rig: Rig, tmp_path: Path) -> None:
    async def stages() -> list[Stage]:
        return [one.stage for one in await read(rig, lambda tx: tx.bookings.open(limit=10))]

    service = service_of(rig)
    service.faults.arm(Fault(FaultKind.TOO_MANY, "create_booking"))
    await book(rig)
    kept = back_up_of(rig, tmp_path)
    await rig.pass_time(300, steps=5)
    assert (await stages(), len(service.bookings)) == ([Stage.OPEN], 1)
    await restore(rig, kept)
    await rig.pass_time(300, steps=5)
    assert await stages() == [Stage.NEW]
    assert "not in this database" not in alerts(rig)[-1]
    await resumed(rig)
    await rig.pass_time(300, steps=5)
    assert (await stages(), len(service.bookings)) == ([Stage.OPEN], 1)
