"""Asking for money: from the slash command to the buyer's decision, through the real stack."""

import aiohttp
import pytest
from inline_snapshot import snapshot

from bot.playground.workspace import Message
from bot.presentation.payments import purchases
from tests.support.rig import APPROVALS, FINANCE, Rig
from tests.support.shown import shown

COLLECT = 'collect ben@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"'


async def opened(rig: Rig) -> Message:
    return await rig.workspace.until(
        lambda: next(
            (card for card in rig.cards(FINANCE) if any(b.action_id == purchases.CHECKOUT for b in card.buttons)), None
        )
    )


def link_on(card: Message) -> str:
    return next(
        str(element["url"]) for block in card.blocks for element in block.get("elements", []) if "url" in element
    )


async def at_checkout(link: str, choice: str) -> str:
    async with aiohttp.ClientSession() as browser:
        async with browser.get(link) as page:
            assert "119.50" in await page.text()
        async with browser.post(link, data={"choice": choice}) as page:
            assert page.status == 200
            return await page.text()


async def complete(rig: Rig) -> None:
    ack = await rig.pay(COLLECT)
    assert ack.ok
    card = await opened(rig)
    assert await at_checkout(link_on(card), "pay") == purchases.THANKS
    told = await rig.workspace.until(lambda: [m for m in rig.news(FINANCE) if "*Paid*" in m.text])
    assert [shown(one.text) for one in told] == [
        snapshot("""*Paid*: $119.50 from ben@example.com (C-······). <@U0MARIA>""")
    ]
    assert not rig.cards(APPROVALS)
    await rig.workspace.until(lambda: not any(card.buttons for card in rig.cards(FINANCE)))


@pytest.mark.rig(on="both", clock=None)
async def test_over_http(rig: Rig) -> None:
    await complete(rig)


@pytest.mark.rig(clock=None, socket_mode=True)
async def test_over_socket_mode(rig: Rig) -> None:
    await complete(rig)


@pytest.mark.parametrize("callbacks", [True, False], ids=["callback", "polling alone"])
async def test_on_a_clock_that_is_moved(rig: Rig, callbacks: bool) -> None:
    rig.payments.callbacks.switches.drop = not callbacks
    await rig.pay(COLLECT)
    assert await at_checkout(link_on(rig.cards(FINANCE)[0]), "cancel") == purchases.LEFT
    await rig.payments.delivered()
    await rig.pass_time(60, steps=4)
    assert ["*Canceled*" in m.text for m in rig.news(FINANCE)] == [False, True]
    assert shown(rig.cards(FINANCE)[0].text) == snapshot("""\
Purchase C-······: $119.50 from ben@example.com for “Spring campaign” (2 × web at 10.00; 1 × Print ads at 99.50), \
requested by <@U0MARIA>. :leftwards_arrow_with_hook: *Canceled*: No money moved.""")
    assert not rig.cards(APPROVALS)
