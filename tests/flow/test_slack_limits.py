"""A workspace that counts strictly: nothing is lost to its limits, and nothing is sent into a wait it asked for."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.playground.workspace import Workspace
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, OLGA, POLICY, Rig
from tests.support.strict import Referee
from tests.workflows.looking import requests, told

THREE_GROUPS = POLICY.replace('admins = ["U0OLGA"]', 'admins = ["S0ADMINS"]')
ADDRESSES = [f"payee{number}@example.com" for number in range(30)]


@pytest.fixture
def referee() -> Referee:
    return Referee()


@pytest.fixture
def variations(referee: Referee) -> dict[str, Any]:
    def prepare(workspace: Workspace) -> None:
        referee.watch(workspace)
        workspace.add_group("S0ADMINS", "admins", users=[OLGA])

    return {"policy": THREE_GROUPS, "prepare": prepare, "around": {"pace": None}}


async def test_with_three_groups_a_payout_every_three_seconds_is_recorded_each_time(rig: Rig, referee: Referee) -> None:
    for number in range(40):
        rig.add_payees(f"payee{number}@example.com")
        await rig.pay(f"send payee{number}@example.com 10.00 rent")
        await rig.pass_time(3)
    assert len(await requests(rig)) == 40
    assert not referee.refused
    assert referee.calls["usergroups.list"] <= 24


async def passes(rig: Rig, so: Callable[[], bool]) -> int:
    """Let seconds pass until it is so, while the service goes on with what it has; how many there were."""
    for second in range(200):
        if so():
            return second
        await rig.pass_time(1)
        await rig.payments.advance()
        await rig.payments.delivered()
    raise AssertionError(rig.workspace.picture())


def paid(rig: Rig, channel: str) -> list[str]:
    return [card.text for card in rig.cards(channel) if card.text.startswith("Paid: ")]


async def test_thirty_payouts_at_once_respect_the_waits_of_slack(rig: Rig, referee: Referee) -> None:
    for address in ADDRESSES:
        rig.payments.add_account(address)
    asked = [rig.workspace.slash(MARIA, FINANCE, "/pay", f"send {address} 10.00 rent") for address in ADDRESSES]
    await asyncio.gather(*asked)
    seconds = await passes(rig, lambda: len(rig.cards(FINANCE)) == len(rig.cards(APPROVALS)) == 30)
    assert seconds <= 15, "twenty of a channel at once, then one a second"
    clicks = [rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve") for card in rig.cards()]
    await asyncio.gather(*clicks)
    await passes(rig, lambda: len(told(rig, FINANCE, "*paid*")) == len(paid(rig, APPROVALS)) == 30)
    assert len(paid(rig, FINANCE)) == 30
    assert not rig.news(APPROVALS), "the cards of the approvers say it"
    assert {found.state for found in await requests(rig)} == {State.COMPLETED}
    assert len(rig.paid) == 30
    assert sum(referee.refused.values()) <= 4, "one a channel, and few more"
    assert not referee.too_early
