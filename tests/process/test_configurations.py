"""The real process with other settings: Socket Mode alone, renamed commands, a service that is not configured."""

import pytest

from tests.process.conftest import Opening
from tests.support.rig import APPROVALS, FINANCE, MARIA

_PAYMENTS = ("PAYMENTS_BASE_URL", "PAYMENTS_PARTNER_ID", "PAYMENTS_PARTNER_SECRET")


async def test_socket_mode_needs_the_app_token_alone(open_scene: Opening) -> None:
    scene = await open_scene(socket_mode=True, POLL_SECONDS="3600")
    assert "SLACK_SIGNING_SECRET" not in scene.bot.environment
    async with scene.session.post(scene.slack_url, data=b"payload={}") as answer:
        assert answer.status == 404
    ack = await scene.pay('send ana@example.com 25.00 payload={"type":"block_actions"} &payload=1')
    assert "Asked for" in str(ack.body)
    await scene.press("approve")
    await scene.completed_once()  # by the callback, which comes over HTTP
    assert "payload=" in scene.cards(APPROVALS)[0].plain
    assert [delivery.status for delivery in scene.payments.deliveries] == [200]


async def test_a_prefix_renames_every_command(open_scene: Opening) -> None:
    scene = await open_scene(COMMAND_PREFIX="sb-")
    scene.workspace.add_command("/sb-pay")
    helped = await scene.workspace.slash(MARIA, FINANCE, "/sb-pay", "help")
    assert "/sb-pay send" in str(helped.body)
    assert "`/pay" not in str(helped.body)
    wrong = await scene.workspace.slash(MARIA, FINANCE, "/sb-pay", "send nobody 25.00 x")
    assert "/sb-pay send" in str(wrong.body)
    unknown = await scene.pay()
    assert unknown.ok
    assert "not a command" in str(unknown.body)
    asked = await scene.workspace.slash(MARIA, FINANCE, "/sb-pay", "send ana@example.com 25.00 x")
    assert "Asked for" in str(asked.body)


@pytest.mark.parametrize(
    "missing", [_PAYMENTS, pytest.param(_PAYMENTS[2:], marks=pytest.mark.campaign)], ids=["all", "one"]
)
async def test_a_service_that_is_not_configured_names_what_is_missing(
    open_scene: Opening, missing: tuple[str, ...]
) -> None:
    scene = await open_scene(**dict.fromkeys(missing))
    for text in ("send ana@example.com 25.00 x", "send"):
        ack = await scene.pay(text)
        assert "not configured" in str(ack.body)
        assert [name for name in _PAYMENTS if name in str(ack.body)] == list(missing)
    for text, said in (("help", "/pay send"), ("approvals", "Nothing waits"), ("show P-234567", "of that name")):
        ack = await scene.pay(text)
        assert ack.ok
        assert said in str(ack.body)
    assert not scene.cards(APPROVALS)
