"""The real process with other settings: Socket Mode alone, renamed commands, a service that is not configured."""

from tests.process.conftest import Opening
from tests.support.rig import APPROVALS
from tests.support.shown import shown


async def test_socket_mode_needs_the_app_token_alone(open_scene: Opening) -> None:
    scene = await open_scene(socket_mode=True, POLL_SECONDS="3600")
    assert "SLACK_SIGNING_SECRET" not in scene.bot.environment
    async with scene.session.post(scene.slack_url, data=b"payload={}") as answer:
        assert answer.status == 404
    ack = await scene.pay('send ana@example.com 25.00 payload={"type":"block_actions"} &payload=1')
    assert shown(ack).startswith(":memo: Asked for 25.00 USD to ana@example.com")
    await scene.press("approve")
    await scene.completed_once()  # by the callback, which comes over HTTP
    assert "For: payload={type:block_actions} &payload=1" in scene.cards(APPROVALS)[0].plain.splitlines()
    assert [delivery.status for delivery in scene.payments.deliveries] == [200]
