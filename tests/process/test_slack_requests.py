"""Repeated requests of Slack at the real process."""

from tests.process.conftest import Opening
from tests.support.rig import ADA, APPROVALS, FINANCE, POLICY


async def test_the_same_signed_request_again_has_no_effect(open_scene: Opening) -> None:
    scene = await open_scene(policy=POLICY.replace("quorum = 1", "quorum = 2"))
    asked = await scene.pay()
    again = await scene.workspace.resend(asked)
    assert (again.status, again.body) == (200, "")
    click = await scene.press("approve")
    await scene.workspace.until(lambda: "1 of 2" in scene.cards(APPROVALS)[0].text)
    told, card = len(scene.ephemerals(ADA)), scene.cards(APPROVALS)[0].text
    again = await scene.workspace.resend(click)
    assert again.status == 200
    await scene.settled()
    assert scene.cards(APPROVALS)[0].text == card
    assert len(scene.ephemerals(ADA)) == told
    await scene.restart()
    for recorded in (asked, click):
        assert (await scene.workspace.resend(recorded)).status == 200
    await scene.settled()
    assert len(scene.cards(APPROVALS)) == len(scene.cards(FINANCE)) == 1
    assert scene.cards(APPROVALS)[0].text == card
