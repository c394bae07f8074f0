"""The real process with other settings: Socket Mode alone, renamed commands, a service that is not configured."""

import re

import pytest
from inline_snapshot import snapshot

from tests.process.conftest import Opening
from tests.support.rig import APPROVALS, FINANCE, MARIA
from tests.support.shown import shown

_PAYMENTS = ("PAYMENTS_BASE_URL", "PAYMENTS_PARTNER_ID", "PAYMENTS_PARTNER_SECRET")


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


async def test_a_prefix_renames_every_command(open_scene: Opening) -> None:
    scene = await open_scene(COMMAND_PREFIX="sb-")
    scene.workspace.add_command("/sb-pay")
    helped, wrong, asked = [
        shown(await scene.workspace.slash(MARIA, FINANCE, "/sb-pay", text))
        for text in ("help", "send nobody 25.00 x", "send ana@example.com 25.00 x")
    ]
    assert set(re.findall(r"/[a-z-]*pay", helped)) == {"/sb-pay"}
    assert [text.splitlines()[0] for text in (wrong, asked, shown(await scene.pay()))] == snapshot(
        [
            ":pencil2: *email*: it must be an e-mail address such as ana@example.com. You gave: nobody",
            """:memo: Asked for 25.00 USD to ana@example.com, reference P-······. Needs 1 approval besides the \
requester. The outcome will be posted here.""",
            ":question: `/pay` is not a command of Switchboard.",
        ]
    )


@pytest.mark.parametrize(
    "missing", [_PAYMENTS, pytest.param(_PAYMENTS[2:], marks=pytest.mark.campaign)], ids=["all", "one"]
)
async def test_a_service_that_is_not_configured_names_what_is_missing(
    open_scene: Opening, missing: tuple[str, ...]
) -> None:
    scene = await open_scene(**dict.fromkeys(missing))
    for text in ("send ana@example.com 25.00 x", "send"):
        ack = await scene.pay(text)
        assert shown(ack).splitlines()[0] == (
            ":electric_plug: The payments service is not configured. The operator has to set "
            f"{', '.join(f'`{name}`' for name in missing)}."
        )
    for text, said in (("help", "/pay send"), ("approvals", "Nothing waits"), ("show P-234567", "of that name")):
        ack = await scene.pay(text)
        assert ack.ok
        assert said in str(ack.body)
    assert not scene.cards(APPROVALS)
