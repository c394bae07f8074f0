"""Purchases: opened once, found again by our own code, followed until the buyer decided, told once."""

from dataclasses import replace
from ipaddress import ip_network

import aiohttp
import pytest

from bot.domain.payments.instruction import CallbackKind, State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PurchaseOrder, Record
from bot.playground.workspace import Message
from bot.presentation.payments import purchases
from storage.rows import InboxState
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, Rig
from tests.workflows.calling import call, inbox, token
from tests.workflows.looking import alerts, asked, newest, operation, state, there, told, told_once

CONFIRMED = "confirmed"


COLLECT = 'collect ben@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"'


async def collect(rig: Rig) -> None:
    await rig.pay(COLLECT)


def card(rig: Rig, channel: str = FINANCE) -> Message:
    return rig.cards(channel)[-1]


def link(rig: Rig) -> str:
    elements = (element for block in card(rig).blocks for element in block.get("elements", []))
    return next((str(element["url"]) for element in elements if "url" in element), "")


async def decide(rig: Rig) -> None:
    await rig.payments.settle(operation(rig).id, CONFIRMED)
    await rig.payments.delivered()
    await rig.pass_time(2)


async def given_out(rig: Rig) -> str:
    what = f":link: <@{MARIA}> $119.50 from ben@example.com ({(await newest(rig)).reference})"
    return f"{what}: checkout link ready. Send it to the buyer, to open in their default browser: <{link(rig)}>"


def thread(rig: Rig) -> list[Message]:
    return [message for message in rig.news(FINANCE) if message.thread_ts == card(rig).ts]


async def test_purchase_card_has_the_link_and_no_approval(rig: Rig) -> None:
    await collect(rig)
    assert link(rig) == f"{rig.payments.base_url}/checkout/{operation(rig).id}"
    assert [button.text for button in card(rig).buttons] == ["Open checkout"]
    assert "$119.50 from ben@example.com" in card(rig).plain
    assert not rig.cards(APPROVALS)
    ack = await rig.pay("approvals", user=ADA)
    assert "Nothing waits for approval" in ack.body["text"]
    await rig.pass_time(10 * MINUTE, steps=5)
    (picture,) = rig.news(FINANCE)
    assert (picture.text, picture.thread_ts) == (await given_out(rig), card(rig).ts)
    file, reference = there(rig.workspace.file(picture.files[0])), (await newest(rig)).reference
    assert file.content.startswith(b"\x89PNG")
    assert (file.mimetype, file.name) == ("image/png", f"{reference}.png")
    assert file.alt_text == f"QR code of the checkout link of {reference}: {link(rig)}"


async def test_without_file_scope_the_link_is_posted_alone(rig: Rig) -> None:
    scopes = tuple(scope for scope in rig.workspace.identity.scopes if scope != "files:write")
    rig.workspace._state.identity = replace(rig.workspace.identity, scopes=scopes)
    await collect(rig)
    (said,) = rig.news(FINANCE)
    assert not said.files
    assert said.text == await given_out(rig)


@pytest.mark.parametrize("kind", [FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.LOST])
async def test_unsendable_picture_does_not_block_later_posts(rig: Rig, kind: FaultKind) -> None:
    for step in ("files.getUploadURLExternal", "upload", "files.completeUploadExternal"):
        rig.workspace.faults.clear()
        rig.workspace.faults.arm(Fault(kind, step, times=None))
        await collect(rig)
        assert not thread(rig), step
        await rig.pass_time(4 * MINUTE, steps=8)
        assert [bool(message.files) for message in thread(rig)] == [False], step
        await decide(rig)
        assert ["*Paid*" in message.text for message in thread(rig)] == [False, True], step


async def test_late_checkout_link_is_withheld_after_the_end(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "files.getUploadURLExternal", times=2))
    await collect(rig)
    await decide(rig)
    await rig.pass_time(MINUTE, steps=6)
    assert [("*Paid*" in message.text, bool(message.files)) for message in rig.news(FINANCE)] == [(True, False)]


async def test_checkout_with_another_amount_is_withheld_and_alerted(rig: Rig) -> None:
    make = rig.payments.book.create_purchase

    def dearer(order: PurchaseOrder) -> Record:
        record = make(order)
        record.cents = 99_999
        return record

    rig.payments.book.create_purchase = dearer  # type: ignore[method-assign]
    await collect(rig)
    assert await state(rig) is State.MISMATCH
    assert not link(rig)
    assert "Don't share any link. The amount is 999.99 instead of 119.50." in told_once(rig, "failed", FINANCE)
    assert not [message for message in thread(rig) if message.files]
    assert len(alerts(rig)) == 1
    await decide(rig)
    await rig.pass_time(10 * MINUTE, steps=5)
    assert len(alerts(rig)) == 2
    assert "was paid, although its link wasn't given out." in alerts(rig)[1]
    assert await state(rig) is State.MISMATCH
    before = asked(rig, "get_operation")
    await rig.pass_time(DAY, steps=6)
    assert asked(rig, "get_operation") == before


async def test_unexpected_buyer_is_named(rig: Rig) -> None:
    await collect(rig)
    operation(rig).email = "eve@example.com"
    await decide(rig)
    assert "eve@example.com" in told_once(rig, "*paid*", FINANCE)


async def visit(rig: Rig, secret: str) -> tuple[int, str]:
    url = f"{rig.switchboard.url}/callbacks/payments/{secret}"
    async with aiohttp.ClientSession() as browser, browser.get(url) as page:
        return page.status, await page.text()


@pytest.mark.parametrize(
    ("kind", "words"), [(CallbackKind.CONFIRMATION, "Thank you"), (CallbackKind.CANCEL, "You left the checkout")]
)
async def test_returning_buyer_is_thanked_and_verified(rig: Rig, kind: CallbackKind, words: str) -> None:
    rig.payments.callbacks.switches.drop = True
    await collect(rig)
    secret = token((await newest(rig)).id, kind)
    status, page = await visit(rig, secret)
    assert (status, words in page, secret in page) == (200, True, False)
    await rig.settle()
    assert await state(rig) is State.OPEN
    await rig.payments.settle(operation(rig).id, CONFIRMED)
    await visit(rig, secret)
    await rig.pass_time(5)
    told_once(rig, "*paid*", FINANCE)


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
async def test_buyer_return_is_accepted_from_anywhere_without_alert(rig: Rig) -> None:
    await collect(rig)
    secret = token((await newest(rig)).id)
    assert (await call(rig, secret, {}))[0] == 404, "a callback comes from the service alone"
    assert (await visit(rig, secret))[0] == 200
    await rig.pass_time(28 * HOUR, steps=8)
    assert (await inbox(rig), alerts(rig)) == ([InboxState.UNCONFIRMED], [])


async def test_unopened_purchase_can_be_withdrawn(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "create_purchase", times=None))
    await collect(rig)
    assert [button.text for button in card(rig).buttons] == ["Withdraw"]
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    rig.payments.faults.clear()
    await rig.pass_time(HOUR, steps=6)
    assert await state(rig) is State.WITHDRAWN
    assert not told(rig, FINANCE, "withdrawn"), "people are not told what they did themselves"
    assert not rig.payments.operations
    assert purchases.CHECKOUT not in [button.action_id for button in card(rig).buttons]
