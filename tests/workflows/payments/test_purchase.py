"""Purchases: opened once, found again by our own code, followed until the buyer decided, told once."""

from dataclasses import replace
from ipaddress import ip_network
from typing import Any

import aiohttp
import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import AttemptOutcome, CallbackKind, Instruction, Kind, State
from bot.domain.payments.operation import OperationStatus
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import Item, PurchaseOrder, Record
from bot.playground.workspace import Message
from bot.presentation.payments import purchases
from bot.workflows.payments.purchase import PURCHASE
from storage.rows import InboxState, OutboxState
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, RANDOM, Rig
from tests.support.shown import shown
from tests.workflows.calling import call, inbox, token
from tests.workflows.looking import (
    DAY,
    HOUR,
    MINUTE,
    QUIET,
    actions,
    alerts,
    asked,
    attempts,
    newest,
    operation,
    read,
    state,
    told,
    told_once,
)

COLLECT = 'collect ben@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"'
CREATE = "create_purchase"
CONFIRMED = "confirmed"


class Crash(BaseException):
    """The process died."""


async def collect(rig: Rig, text: str = COLLECT, **more: Any) -> None:
    ack = await rig.pay(text, **more)
    assert ack.ok


def arm(rig: Rig, kind: FaultKind, name: str = CREATE, *, times: int | None = 1, skip: int = 0) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times, seconds=0.1, skip=skip))


def card(rig: Rig, channel: str = FINANCE) -> Message:
    return rig.cards(channel)[-1]


def link(rig: Rig) -> str:
    """The checkout link on the card's button; nothing when there is none."""
    elements = (element for block in card(rig).blocks for element in block.get("elements", []))
    return next((str(element["url"]) for element in elements if "url" in element), "")


async def outcomes(rig: Rig) -> list[AttemptOutcome]:
    return [attempt.outcome for attempt in await attempts(rig)]


async def decide(rig: Rig, status: str = CONFIRMED, **more: Any) -> None:
    """The buyer, or the service, decides; its callback arrives and is verified."""
    await rig.payments.settle(operation(rig).id, status, **more)
    await rig.payments.delivered()
    await rig.pass_time(2)


async def given_out(rig: Rig) -> str:
    """What the thread says of the link."""
    what = f":link: <@{MARIA}> 119.50 USD from ben@example.com ({(await newest(rig)).reference}) is *open*."
    return f"{what} Pass the checkout link on to the buyer, to be opened in their browser: <{link(rig)}>"


def thread(rig: Rig) -> list[Message]:
    """What is said of the newest purchase."""
    return [message for message in rig.news(FINANCE) if message.thread_ts == card(rig).ts]


def pictures(rig: Rig) -> list[Message]:
    return [message for message in thread(rig) if message.files]


# opened


async def test_show_has_the_link_while_it_is_open(rig: Rig) -> None:
    await collect(rig)
    reference = (await newest(rig)).reference
    first, *_, last = shown((await rig.pay(f"show {reference}")).body["text"]).splitlines()
    assert first.endswith(" nothing has been paid. Checkout: <http://127.0.0.1/checkout/······>")
    assert last.endswith("  The service opened it as “······”; the buyer can pay.")
    await decide(rig)
    first, *_, last = shown((await rig.pay(f"show {reference}")).body["text"]).splitlines()
    assert first.endswith(" *completed*: the service confirms that the buyer paid.")
    assert last.endswith("  The service says confirmed.")


async def test_nobody_hears_of_it_before_it_is_stored(rig: Rig) -> None:
    ack = await rig.workspace.slash(MARIA, FINANCE, "/pay", COLLECT)
    assert ack.ok
    assert not rig.payments.calls
    found = await newest(rig)
    assert (found.kind, found.state, found.requester, found.cents) == (Kind.PURCHASE, State.NEW, MARIA, 11_950)
    assert found.intact()
    assert await actions(rig) == ["requested"]


async def test_what_is_opened_is_what_was_asked(rig: Rig) -> None:
    await collect(rig)
    found, made = await newest(rig), operation(rig)
    assert (found.state, found.remote_id) == (State.OPEN, made.id)
    assert (made.operation_type, made.email, made.cents, made.code) == (
        "purchase",
        "ben@example.com",
        11_950,
        found.code,
    )
    assert made.description == "Spring campaign"
    assert [(one.description, one.quantity, one.cents) for one in made.items] == [
        ("web", 2, 1000),
        ("Print ads", 1, 9950),
    ]
    assert len({made.confirmation_uri, made.cancel_uri, made.failure_uri, made.callback_uri}) == 4
    assert await outcomes(rig) == [AttemptOutcome.DONE]
    assert await actions(rig) == ["requested", "create", "opened"]


async def test_the_card_has_the_link_and_nothing_to_approve(rig: Rig) -> None:
    await collect(rig)
    assert link(rig) == f"{rig.payments.base_url}/checkout/{operation(rig).id}"
    assert [button.text for button in card(rig).buttons] == ["Open checkout"]
    assert shown(card(rig)) == snapshot(
        "Purchase C-······: 119.50 USD from ben@example.com for “Spring campaign” (2 × web at 10.00; 1 × Print ads "
        "at 99.50), asked by <@U0MARIA>. :link: *open*: waiting for the buyer; nothing has been paid. Checkout: "
        "<http://127.0.0.1/checkout/······>\n"
        "119.50 USD from ben@example.com\n"
        "*Asked by*\n"
        "<@U0MARIA>\n"
        "*Reference*\n"
        "C-······\n"
        "For: Spring campaign\n"
        "Item\n"
        "Quantity × each\n"
        "USD\n"
        "web\n"
        "2 × 10.00\n"
        "20.00\n"
        "Print ads\n"
        "1 × 99.50\n"
        "99.50\n"
        ":link: *open*: waiting for the buyer; nothing has been paid.\n"
        "Open checkout"
    )
    assert not rig.cards(APPROVALS)
    ack = await rig.pay("approvals", user=ADA)
    assert ack.body["text"] == ":tada: Nothing waits for approval."


async def test_the_link_comes_once_as_a_picture_into_the_thread(rig: Rig) -> None:
    await collect(rig)
    await rig.pass_time(10 * MINUTE, steps=5)
    (picture,) = pictures(rig)
    assert picture.text == await given_out(rig)
    file = rig.workspace.file(picture.files[0])
    assert file is not None
    assert file.content.startswith(b"\x89PNG")
    assert (file.mimetype, file.name) == ("image/png", f"{(await newest(rig)).reference}.png")
    assert file.alt_text == f"QR code of the checkout link of {(await newest(rig)).reference}: {link(rig)}"
    assert rig.news(FINANCE) == [picture]


async def test_where_the_bot_is_no_member_the_requester_has_it_alone(rig: Rig) -> None:
    await collect(rig, channel=RANDOM)
    assert await state(rig) is State.OPEN
    direct = rig.workspace.open_dm(MARIA).id
    (root,) = rig.cards(direct)
    assert shown(root.text).startswith("Purchase C-······: 119.50 USD from ben@example.com for “Spring campaign” (")
    assert any(message.files for message in rig.workspace.messages(direct, thread_ts=root.ts))


async def test_an_app_that_may_not_share_files_posts_the_link_alone(rig: Rig) -> None:
    scopes = tuple(scope for scope in rig.workspace.identity.scopes if scope != "files:write")
    rig.workspace._state.identity = replace(rig.workspace.identity, scopes=scopes)
    await collect(rig)
    (said,) = rig.news(FINANCE)
    assert not said.files
    assert said.text == await given_out(rig)


@pytest.mark.parametrize("kind", [FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.LOST])
async def test_a_picture_that_cannot_be_sent_for_long_does_not_hold_up_what_comes_after_it(
    rig: Rig, kind: FaultKind
) -> None:
    for step in ("files.getUploadURLExternal", "upload", "files.completeUploadExternal"):
        rig.workspace.faults.clear()
        rig.workspace.faults.arm(Fault(kind, step, times=None))
        await collect(rig)
        assert not thread(rig), step
        await rig.pass_time(4 * MINUTE, steps=8)
        assert [bool(message.files) for message in thread(rig)] == [False], step
        await decide(rig)
        assert ["completed" in message.text for message in thread(rig)] == [False, True], step


async def test_a_picture_that_is_late_once_is_still_a_picture(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "upload"))
    await collect(rig)
    await rig.pass_time(5)
    assert len(pictures(rig)) == 1


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500])
async def test_a_picture_whose_posting_was_not_answered_is_found_again(rig: Rig, kind: FaultKind) -> None:
    rig.workspace.faults.arm(Fault(kind, "files.completeUploadExternal"))
    await collect(rig)
    await rig.pass_time(5 * MINUTE, steps=10)
    assert len(rig.news(FINANCE)) == 1
    rows = await read(rig, lambda tx: tx.outbox.by_key(f"link:{tx.instructions.awaiting([State.OPEN])[0].id}"))
    assert rows is not None
    assert (rows.state, rows.sent_ts) == (OutboxState.SENT, pictures(rig)[0].ts)


async def test_a_picture_that_was_lost_is_posted_after_looking(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.LOST, "files.completeUploadExternal"))
    await collect(rig)
    assert not rig.news(FINANCE)
    await rig.pass_time(MINUTE, steps=4)
    assert len(pictures(rig)) == 1


async def test_a_link_that_is_late_is_not_given_out_when_it_is_over(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "files.getUploadURLExternal", times=2))
    await collect(rig)
    await decide(rig)
    await rig.pass_time(MINUTE, steps=6)
    assert [("completed" in message.text, bool(message.files)) for message in rig.news(FINANCE)] == [(True, False)]


# lost and found


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE])
async def test_a_purchase_whose_answer_was_lost_is_found_by_its_code(rig: Rig, kind: FaultKind) -> None:
    arm(rig, kind)
    await collect(rig)
    assert await state(rig) is State.CREATE_UNKNOWN
    assert card(rig).text.endswith(" Do not ask again.")
    assert not link(rig)
    await rig.pass_time(3)
    assert (await newest(rig)).remote_id == operation(rig).id
    assert await state(rig) is State.OPEN
    assert (asked(rig, CREATE), len(rig.payments.operations)) == (1, 1)
    assert await outcomes(rig) == [AttemptOutcome.UNKNOWN]
    assert len(pictures(rig)) == 1


@pytest.mark.parametrize("kind", [FaultKind.LOST, FaultKind.ERROR_500])
async def test_absence_is_believed_after_the_quiet_period_and_two_scans_that_agree(rig: Rig, kind: FaultKind) -> None:
    arm(rig, kind)
    await collect(rig)
    await rig.pass_time(QUIET - MINUTE, steps=7)
    assert asked(rig, CREATE) == 1
    await rig.pass_time(2 * MINUTE, steps=2)
    assert asked(rig, CREATE) == 2
    codes = {call.body["code"] for call in rig.payments.calls_of(CREATE)}  # type: ignore[index]
    assert codes == {(await newest(rig)).code}
    assert (await state(rig), len(rig.payments.operations)) == (State.OPEN, 1)
    assert await outcomes(rig) == [AttemptOutcome.UNKNOWN, AttemptOutcome.DONE]


async def test_what_cannot_be_opened_three_times_has_failed(rig: Rig) -> None:
    arm(rig, FaultKind.ERROR_500, times=None)
    await collect(rig)
    await rig.pass_time(4 * QUIET, steps=36)
    assert asked(rig, CREATE) == 3
    assert await state(rig) is State.CLOSED
    assert shown(told_once(rig, "failed", FINANCE)) == snapshot(
        ":no_entry: <@U0MARIA> 119.50 USD from ben@example.com (C-······) has *failed*: it was never opened, so "
        "nobody can pay it. Reason: the service does not list it."
    )
    assert not card(rig).buttons


async def test_a_list_that_cannot_be_used_for_long_needs_a_person_and_is_looked_at_again(rig: Rig) -> None:
    arm(rig, FaultKind.DONE_DROPPED)
    arm(rig, FaultKind.ERROR_500, "list_operations", times=None)
    await collect(rig)
    await rig.pass_time(5 * QUIET, steps=20)
    assert await state(rig) is State.NEEDS_HUMAN
    assert shown(told_once(rig, "needs a person", FINANCE)) == snapshot(
        ":warning: <@U0MARIA> 119.50 USD from ben@example.com (C-······) *needs a person*: whether the service "
        "opened it is *unknown*. Reason: the list cannot be used: it answered 500, saying “Internal server error”."
    )
    (alert,) = alerts(rig)
    assert shown(alert) == snapshot(
        """\
:rotating_light: Purchase C-······, 119.50 USD from ben@example.com, asked by Maria Silva: needs a person: whether \
the service opened it is unknown. Look it up there.
The list cannot be used: it answered 500, saying “Internal server error”.
Our code at the service: `······` · <http://127.0.0.1/archives/C0FINANCE/p······|The card>
Runbook: `docs/alerts.md#needs-a-person`\
"""
    )
    assert not card(rig).buttons
    rig.payments.faults.clear()
    await rig.pass_time(5 * HOUR, steps=5)
    assert await state(rig) is State.OPEN
    assert link(rig)
    assert asked(rig, CREATE) == 1


async def test_after_people_were_asked_nothing_is_opened_by_itself(rig: Rig) -> None:
    arm(rig, FaultKind.LOST)
    arm(rig, FaultKind.ERROR_500, "list_operations", times=None)
    await collect(rig)
    await rig.pass_time(5 * QUIET, steps=20)
    assert await state(rig) is State.NEEDS_HUMAN
    rig.payments.faults.clear()
    await rig.pass_time(5 * HOUR, steps=5)
    assert await state(rig) is State.CLOSED
    assert asked(rig, CREATE) == 1
    told_once(rig, "failed", FINANCE)


async def test_two_with_our_code_are_stopped(rig: Rig) -> None:
    rig.payments.switches.accept_duplicate_codes = True
    arm(rig, FaultKind.DONE_DROPPED)
    await collect(rig)
    twin = PurchaseOrder(
        code=(await newest(rig)).code,
        description="Spring campaign",
        cents=11_950,
        items=(Item(description="web", cents=11_950, quantity=1),),
    )
    rig.payments.book.create_purchase(twin)
    await rig.pass_time(3)
    assert await state(rig) is State.MISMATCH
    assert not link(rig)
    assert len(alerts(rig)) == 1


@pytest.mark.parametrize("kind", [FaultKind.TOO_MANY, FaultKind.REFUSED])
async def test_what_was_not_executed_is_tried_later_or_refused_for_good(rig: Rig, kind: FaultKind) -> None:
    arm(rig, kind)
    await collect(rig)
    await rig.pass_time(MINUTE, steps=6)
    if kind is FaultKind.TOO_MANY:
        assert (await state(rig), asked(rig, CREATE)) == (State.OPEN, 2)
    else:
        assert (await state(rig), asked(rig, CREATE)) == (State.REFUSED, 1)
        assert shown(told_once(rig, "failed", FINANCE)) == snapshot(
            ":x: <@U0MARIA> 119.50 USD from ben@example.com (C-······) has *failed*: the service refused it, "
            "so there is nothing to pay. Reason: answer 422, saying “The request is not valid; request: was "
            "refused”."
        )


async def test_another_amount_is_not_given_out_and_its_payment_is_an_alarm(rig: Rig) -> None:
    make = rig.payments.book.create_purchase

    def dearer(order: PurchaseOrder) -> Record:
        record = make(order)
        record.cents = 99_999
        return record

    rig.payments.book.create_purchase = dearer  # type: ignore[method-assign]
    await collect(rig)
    assert await state(rig) is State.MISMATCH
    assert not link(rig)
    assert shown(told_once(rig, "failed", FINANCE)) == snapshot(
        ":octagonal_sign: <@U0MARIA> 119.50 USD from ben@example.com (C-······) has *failed*: the service's record "
        "is not what was asked for; do not pass any link on. Reason: the amount is 999.99 instead of 119.50."
    )
    assert not pictures(rig)
    assert len(alerts(rig)) == 1
    await decide(rig)
    await rig.pass_time(10 * MINUTE, steps=5)
    assert len(alerts(rig)) == 2
    assert shown(alerts(rig)[1]) == snapshot(
        """\
:rotating_light: Purchase C-······, 119.50 USD from ben@example.com, asked by Maria Silva: was paid, although its \
link was not given out.
The service says completed.
The service's id: `······` · <http://127.0.0.1/archives/C0FINANCE/p······|The card>
Runbook: `docs/alerts.md#paid-elsewhere`\
"""
    )
    assert await state(rig) is State.MISMATCH
    before = asked(rig, "get_operation")
    await rig.pass_time(DAY, steps=6)
    assert asked(rig, "get_operation") == before


# a process that dies


@pytest.mark.parametrize(("point", "sent"), [("write.after:claim_create", 0), ("write.before:created", 1)])
async def test_a_process_that_dies_around_the_request_leaves_one_purchase(rig: Rig, point: str, sent: int) -> None:
    dying = [point]

    def probe(reached: str) -> None:
        if reached in dying:
            dying.remove(reached)
            raise Crash

    await rig.start_again(probe=probe)
    with pytest.raises(Crash):
        await collect(rig)
    before = asked(rig, CREATE)
    await rig.start_again()
    await rig.pass_time(QUIET + 2 * MINUTE, steps=9)
    assert await state(rig) is State.OPEN
    assert (before, asked(rig, CREATE)) == (sent, 1)
    assert len(rig.payments.operations) == 1
    assert len(pictures(rig)) == 1


async def test_a_restart_goes_on_following(rig: Rig) -> None:
    rig.payments.callbacks.switches.drop = True
    await collect(rig)
    await rig.switchboard.stop()
    await rig.payments.settle(operation(rig).id, CONFIRMED)
    await rig.start()
    await rig.pass_time(MINUTE, steps=2)
    told_once(rig, "completed", FINANCE)
    assert len(pictures(rig)) == 1


async def test_a_claim_that_is_too_old_is_not_sent(rig: Rig) -> None:
    """The machine sleeps between the claim and the request."""
    naps = ["write.after:claim_create"]

    def probe(point: str) -> None:
        if point in naps:
            naps.remove(point)
            rig.clock.advance(6)

    await rig.start_again(probe=probe)
    await collect(rig)
    assert asked(rig, CREATE) == 0
    await rig.pass_time(MINUTE)
    assert (asked(rig, CREATE), await state(rig)) == (1, State.OPEN)


# the buyer decides


@pytest.mark.parametrize("callbacks", [True, False], ids=["callback", "polling alone"])
async def test_each_end_is_told_once(rig: Rig, callbacks: bool) -> None:
    rig.payments.callbacks.switches.drop = not callbacks
    for status, ends, words in (
        ("confirmed", State.COMPLETED, "is *completed*: the service confirms that the buyer paid."),
        ("canceled", State.CANCELED, "was *canceled* at the service; no money moved."),
        ("failed", State.FAILED, "has *failed* at the service. Reason: Card declined."),
    ):
        await collect(rig)
        await decide(rig, status, reason="Card declined")
        await rig.pass_time(10 * MINUTE, steps=10)
        assert await state(rig) is ends
        assert told_once(rig, ends.value, FINANCE).partition(") ")[2] == words
        assert card(rig).text.partition(">. ")[2].split("*")[1] == ends.value
        assert not card(rig).buttons, status
        assert len(thread(rig)) == 2, status
        assert not alerts(rig), status
        kept = await read(rig, lambda tx: tx.tracked.get(PURCHASE, operation(rig).id))
        assert kept is not None, status
        assert kept.due_at is None, status


@pytest.mark.parametrize("switch", ["double", "out_of_order", "forged"])
async def test_doubled_swapped_and_forged_callbacks_tell_the_truth_once(rig: Rig, switch: str) -> None:
    setattr(rig.payments.callbacks.switches, switch, True)
    await collect(rig)
    await decide(rig)
    await rig.pass_time(MINUTE, steps=4)
    await rig.payments.delivered()
    await rig.pass_time(10 * MINUTE, steps=4)
    assert await state(rig) is State.COMPLETED
    assert shown(told_once(rig, "completed", FINANCE)) == snapshot(
        ":white_check_mark: <@U0MARIA> 119.50 USD from ben@example.com (C-······) is *completed*: the service "
        "confirms that the buyer paid."
    )
    assert card(rig).text.endswith(" *completed*: the service confirms that the buyer paid.")


async def test_a_forged_body_changes_nothing_that_the_record_does_not_say(rig: Rig) -> None:
    await collect(rig)
    found = await newest(rig)
    for kind in CallbackKind:
        for status in OperationStatus:
            lie = {"id": operation(rig).id, "status": status.value, "amount": "119.50", "code": found.code}
            assert (await call(rig, token(found.id, kind), lie))[0] == 200
    await rig.pass_time(MINUTE, steps=4)
    assert await state(rig) is State.OPEN
    assert len(rig.news(FINANCE)) == 1


async def test_a_callback_of_one_purchase_cannot_speak_for_another(rig: Rig) -> None:
    await collect(rig)
    first = await newest(rig)
    await collect(rig, "collect luis@example.com rent flat=1x30.00")
    await rig.payments.settle(operation(rig).id, CONFIRMED)
    lie = {"id": operation(rig).id, "status": CONFIRMED, "code": (await newest(rig)).code}
    assert (await call(rig, token(first.id, CallbackKind.PURCHASE), lie))[0] == 200
    await rig.settle()
    held = await read(rig, lambda tx: tx.instructions.get(first.id))
    assert isinstance(held, Instruction)
    assert held.state is State.OPEN


async def test_what_was_reported_and_never_confirmed_is_said_after_a_day(rig: Rig) -> None:
    await collect(rig)
    assert (await call(rig, token((await newest(rig)).id, CallbackKind.PURCHASE), {"status": CONFIRMED}))[0] == 200
    await rig.pass_time(27 * HOUR, steps=9)
    assert len(alerts(rig)) == 1
    assert shown(alerts(rig)[0]) == snapshot("""\
:rotating_light: Purchase C-······, 119.50 USD from ben@example.com, asked by Maria Silva: was reported, not confirmed.
A callback reported payment, but the service's record never confirmed it.
The service's id: `······` · <http://127.0.0.1/archives/C0FINANCE/p······|The card>
Runbook: `docs/alerts.md#reported-not-confirmed`\
""")
    assert await inbox(rig) == [InboxState.UNCONFIRMED]
    assert await state(rig) is State.OPEN


async def test_whoever_pays_with_the_link_is_named(rig: Rig) -> None:
    await collect(rig)
    operation(rig).email = "mallory&co@example.com"
    await decide(rig)
    assert told_once(rig, "completed", FINANCE).endswith(" the buyer paid. Paid by mallory&amp;co@example.com.")


async def test_a_status_nobody_knows_is_shown_as_it_came_and_is_no_end(rig: Rig) -> None:
    await collect(rig)
    operation(rig).status = "On <Hold>"
    await rig.pass_time(MINUTE, steps=2)
    assert await state(rig) is State.OPEN
    assert shown(card(rig).text.partition(":link: ")[2]) == snapshot(
        """*open*: whether the buyer has paid is *unknown*. The service calls this “On &lt;Hold&gt;”, a status \
Switchboard does not know. Checkout: <http://127.0.0.1/checkout/······>"""
    )
    assert link(rig)
    operation(rig).status = "created"
    await decide(rig)
    told_once(rig, "completed", FINANCE)


async def test_a_record_of_another_amount_is_an_alarm_and_no_end(rig: Rig) -> None:
    await collect(rig)
    operation(rig).cents = 1
    await decide(rig)
    await rig.pass_time(10 * MINUTE, steps=5)
    assert await state(rig) is State.OPEN
    (alert,) = alerts(rig)
    assert alert.splitlines()[1] == "The amount is 0.01 instead of 119.50."


async def test_a_service_that_contradicts_itself_is_an_alarm(rig: Rig) -> None:
    await collect(rig)
    await decide(rig)
    await rig.payments.settle(operation(rig).id, "failed", force=True)
    await rig.payments.delivered()
    await rig.pass_time(MINUTE)
    assert await state(rig) is State.COMPLETED
    (alert,) = alerts(rig)
    assert shown(alert) == snapshot(
        """\
:rotating_light: Purchase C-······, 119.50 USD from ben@example.com, asked by Maria Silva: the service contradicts \
what it said before.
It was completed, now the service says failed.
The service's id: `······` · <http://127.0.0.1/archives/C0FINANCE/p······|The card>
Runbook: `docs/alerts.md#the-service-contradicts-itself`\
"""
    )


async def test_an_open_purchase_is_looked_at_ever_more_rarely_and_never_given_up(rig: Rig) -> None:
    rig.payments.callbacks.switches.drop = True
    await collect(rig)
    before = asked(rig, "get_operation")
    await rig.pass_time(DAY, steps=144)
    in_a_day = asked(rig, "get_operation") - before
    assert 24 <= in_a_day <= 60
    await rig.pass_time(40 * DAY, steps=20)
    before = asked(rig, "get_operation")
    await rig.pass_time(2 * DAY, steps=24)
    assert asked(rig, "get_operation") - before <= 4
    await rig.payments.settle(operation(rig).id, CONFIRMED)
    await rig.pass_time(2 * DAY, steps=8)
    told_once(rig, "completed", FINANCE)


# the buyer's browser


async def visit(rig: Rig, secret: str) -> tuple[int, str]:
    url = f"{rig.switchboard.url}/callbacks/payments/{secret}"
    async with aiohttp.ClientSession() as browser, browser.get(url) as page:
        return page.status, await page.text()


@pytest.mark.parametrize(
    ("kind", "words"), [(CallbackKind.CONFIRMATION, "Thank you"), (CallbackKind.CANCEL, "You left the checkout")]
)
async def test_the_buyer_who_comes_back_is_thanked_and_believed_after_reading(
    rig: Rig, kind: CallbackKind, words: str
) -> None:
    rig.payments.callbacks.switches.drop = True
    await collect(rig)
    secret = token((await newest(rig)).id, kind)
    status, page = await visit(rig, secret)
    assert (status, words in page) == (200, True)
    assert secret not in page
    await rig.settle()
    assert await state(rig) is State.OPEN
    await rig.payments.settle(operation(rig).id, CONFIRMED)
    await visit(rig, secret)
    await rig.pass_time(5)
    told_once(rig, "completed", FINANCE)


async def test_a_buyer_who_only_looked_alarms_nobody(rig: Rig) -> None:
    await collect(rig)
    await visit(rig, token((await newest(rig)).id, CallbackKind.CANCEL))
    await rig.pass_time(27 * HOUR, steps=9)
    assert await inbox(rig) == [InboxState.UNCONFIRMED]
    assert not alerts(rig)


async def test_no_other_address_has_a_page(rig: Rig) -> None:
    await collect(rig)
    bought = await newest(rig)
    await rig.pay()
    paid = await newest(rig)
    nothing = await visit(rig, "A" * 43)
    assert nothing[0] == 404
    for secret in (
        token(bought.id, CallbackKind.PURCHASE),
        token(bought.id, CallbackKind.FAILURE),
        token(paid.id, CallbackKind.CONFIRMATION),
        token(paid.id, CallbackKind.CANCEL),
        "short",
    ):
        assert await visit(rig, secret) == nothing
    assert not await inbox(rig)


@pytest.mark.rig(callback_allowed_sources=[ip_network("203.0.113.0/24")])
async def test_a_buyer_comes_from_anywhere_a_callback_from_the_service_alone(rig: Rig) -> None:
    await collect(rig)
    secret = token((await newest(rig)).id)
    assert (await call(rig, secret, {}))[0] == 404
    assert (await visit(rig, secret))[0] == 200
    assert len(await inbox(rig)) == 1


async def test_the_database_holds_no_token_and_no_card_shows_one(rig: Rig) -> None:
    await collect(rig)
    found = await newest(rig)
    secrets = [token(found.id, kind) for kind in CallbackKind]
    everything = "\n".join(message.plain for message in rig.workspace.messages(FINANCE))
    assert not [secret for secret in secrets if secret in everything]


# beside payouts


async def test_what_a_buyer_pays_makes_no_known_recipient(rig: Rig) -> None:
    await collect(rig, "collect ana@example.com rent flat=1x25.00")
    await decide(rig)
    assert not await read(rig, lambda tx: tx.instructions.paid_before("ana@example.com"))
    await rig.pay()
    payout = await newest(rig)
    assert payout.requirement.quorum == 1
    assert not payout.requirement.reasons


async def test_one_that_was_not_opened_yet_can_be_withdrawn(rig: Rig) -> None:
    arm(rig, FaultKind.TOO_MANY, times=None)
    await collect(rig)
    assert [button.text for button in card(rig).buttons] == ["Withdraw"]
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert await state(rig) is State.WITHDRAWN
    rig.payments.faults.clear()
    await rig.pass_time(HOUR, steps=6)
    assert shown(told_once(rig, "withdrawn", FINANCE)) == snapshot(
        ":wastebasket: <@U0MARIA> 119.50 USD from ben@example.com (C-······) was *withdrawn* by Maria Silva. "
        "It was never opened."
    )
    assert not rig.payments.operations
    assert not told(rig, FINANCE, "open*")
    assert purchases.CHECKOUT not in [button.action_id for button in card(rig).buttons]
