"""News of a request whose own conversation takes no message."""

from typing import Any

import pytest

from bot.domain.errors import ServiceNever
from bot.domain.reasons import Exchange, Reason
from bot.slack.messenger import Posted
from tests.support.clock import HOUR
from tests.support.rig import APPROVALS, MONEY, POLICY, Rig
from tests.workflows.looking import alerts, operation

IN_ONE = pytest.mark.rig(policy=POLICY.replace('payments = "C0MONEY"', 'payments = "C0APPROVE"'))


@pytest.mark.parametrize(
    ("command", "channels"),
    [
        ("now ana@example.com 25.00 rent", {MONEY}),
        pytest.param("now ana@example.com 25.00 rent", set(), marks=IN_ONE),  # the approvers' card is there
        pytest.param("collect ana@example.com rent web=1x25.00", {APPROVALS}, marks=IN_ONE),
    ],
)
async def test_news_that_cannot_be_posted_go_to_the_payments_channel(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, command: str, channels: set[str]
) -> None:
    messenger = rig.switchboard.context.messenger
    post = messenger.post

    async def closed(*, channel: str, **more: Any) -> Posted:
        if channel.startswith(("C0FINANCE", "D", "U")):
            raise ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="is_archived"))
        return await post(channel=channel, **more)

    await rig.pay(command)
    if command.startswith("now"):
        await rig.press("approve")
    monkeypatch.setattr(messenger, "post", closed)
    await rig.payments.settle(operation(rig).id, "completed" if command.startswith("now") else "confirmed")
    await rig.pass_time(12 * HOUR, steps=60)
    places = {one for one in (MONEY, APPROVALS) if "*Paid*" in str([m.text for m in rig.workspace.messages(one)])}
    assert places == channels
    assert len(alerts(rig)) == 1
