"""``kill -9`` of the real process at the instants where money, votes and messages could be lost or doubled."""

import asyncio

import pytest

from bot.domain.payments.instruction import State
from bot.playground.workspace import Message
from tests.process.approver import Approver
from tests.process.conftest import Opening, at_commits
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA


@pytest.mark.parametrize(
    "late",
    [
        "executed and not answered",
        pytest.param("never arrives", marks=pytest.mark.campaign),
        pytest.param("arrives after its sender died", marks=pytest.mark.campaign),
    ],
)
async def test_after_the_create_request_left(open_scene: Opening, late: str) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold("create_payout", after_effect=late.startswith("executed"))
    await scene.pay()
    await held.arrival()
    await scene.bot.kill()
    if late.startswith("never"):
        held.release(vanish=True)
    await scene.start()
    if late.startswith("arrives"):
        held.release()
    await scene.press("approve")
    await scene.completed_once()
    assert len(scene.payments.operations) == 1
    if late.startswith("executed"):
        assert len(scene.payments.calls_of("create_payout")) == 1


@pytest.mark.parametrize(
    "socket_mode", [False, pytest.param(True, marks=pytest.mark.campaign)], ids=["http", "socket mode"]
)
async def test_after_the_commit_was_executed_and_not_answered(open_scene: Opening, socket_mode: bool) -> None:
    scene = await open_scene(socket_mode=socket_mode)
    held = scene.payments_gate.hold("commit_payout", after_effect=True)
    await scene.pay()
    await scene.press("approve")
    await held.arrival()
    await scene.restart()
    await scene.completed_once()
    assert len(scene.payments.calls_of("commit_payout")) == 1


async def test_a_commit_that_never_arrived_is_decided_by_a_person(open_scene: Opening) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold("commit_payout", after_effect=False)
    await scene.pay()
    await scene.press("approve")
    await held.arrival()
    await scene.bot.kill()
    held.release(vanish=True)
    await scene.start()
    await scene.press("retry")
    assert not scene.executions()
    await scene.workspace.submit(ADA, {"amount": "25.00"})
    await scene.completed_once()
    assert not [text for channel in (FINANCE, APPROVALS) for text in scene._saying(channel, "needs a decision")]


async def test_a_commit_arrives_after_its_sender_died(open_scene: Opening) -> None:
    scene = await open_scene(QUIET_SECONDS="60")
    held = scene.payments_gate.hold("commit_payout", after_effect=False)
    await scene.pay()
    await scene.press("approve")
    await held.arrival()
    await scene.restart()
    await scene.workspace.until(lambda: "Not confirmed yet" in scene.cards(APPROVALS)[0].text)
    held.release()
    await scene.completed_once()
    assert len(scene.payments.calls_of("commit_payout")) == 1


async def test_between_the_vote_and_the_commit(open_scene: Opening) -> None:
    scene = await open_scene()
    await scene.pay()
    held = scene.payments_gate.hold("get_operation", after_effect=False)
    await scene.press("approve")
    await held.arrival()
    assert not scene.payments.calls_of("commit_payout")
    await scene.restart()
    await scene.completed_once()


async def test_after_a_callback_was_answered_and_before_it_was_verified(open_scene: Opening) -> None:
    scene = await open_scene(POLL_SECONDS="3600", simulator={"step_seconds": None})
    await scene.pay()
    await scene.press("approve")
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Sent: "))
    held = scene.payments_gate.hold("get_operation", after_effect=False)
    await scene.payments.advance()
    await held.arrival()
    await scene.payments.delivered()
    assert [delivery.status for delivery in scene.payments.deliveries] == [200]
    await scene.restart()
    await scene.completed_once()


@pytest.mark.parametrize(
    "nth",
    [*(pytest.param(nth, marks=pytest.mark.campaign) for nth in (0, 1)), 2],
    ids=["requester's card", "card", "news"],
)
async def test_after_a_message_was_posted_and_not_answered(open_scene: Opening, nth: int) -> None:
    scene = await open_scene()
    held = scene.slack_gate.hold("chat.postMessage", after_effect=True, skip=nth)
    await scene.pay()
    if nth > 0:
        await scene.press("approve")
    await held.arrival()
    await scene.restart()
    if nth == 0:
        await scene.press("approve")
    await scene.completed_once()


@pytest.mark.campaign  # where other processes may live, recovery waits for a lease of a minute
@pytest.mark.postgres
@pytest.mark.parametrize("operation", ["create_payout", "commit_payout"])
async def test_on_postgresql_an_unanswered_request(open_scene: Opening, postgres_url: str, operation: str) -> None:
    scene = await open_scene(DATABASE_URL=postgres_url)
    held = scene.payments_gate.hold(operation, after_effect=True)
    await scene.pay()
    async with Approver(scene, user=ADA):
        await held.arrival()
        await scene.restart()
        await scene.told("paid", patience=100)
    assert list(scene.executions().values()) == [1]
    assert len(scene.payments.calls_of(operation)) == 1


@at_commits(
    "request claim_instructions recipient claim_create created claim_outbox posted approve reread claim_commit "
    "committed callback claim_callbacks verified claim_polls polled shown",
    always={"write.after:request"},  # a gate at a simulator cannot hit it
)
async def test_at_a_commit_of_its_own(open_scene: Opening, at: str) -> None:
    scene = await open_scene(start=False)
    scene.payments.callbacks.switches.drop = "poll" in at
    await scene.start(PLAY_SIGNAL="KILL", PLAY_AT=at, PLAY_FROM="write.before:request")
    async with Approver(scene, user=ADA):
        ack = await scene.pay()
        assert await scene.bot.ended() == -9, "the instant never came"
        await scene.start()
        if not ack.ok:
            await scene.settled()
            if not scene.cards(FINANCE):
                await scene.pay()
        await scene.completed_once()
    await scene.bot.stop()
    assert [one.state for one in await scene.stored()] == [State.COMPLETED]


CSV = b"email,amount,note\nana@example.com,1.00,x\n"


def offers(scene: Scene) -> list[Message]:
    return [message for message in scene.workspace.messages(FINANCE) if message.bot_id and message.buttons]


@pytest.mark.parametrize(
    ("method", "after_effect"),
    [("files.info", True), ("chat.postMessage", False), ("chat.postMessage", True)],
    ids=["while it is looked at", "before the offer is posted", "after it was posted and not answered"],
)
async def test_a_file_is_offered_once_despite_a_kill(open_scene: Opening, method: str, after_effect: bool) -> None:
    scene = await open_scene(PLAY_SHOWN="1")
    held = scene.slack_gate.hold(method, after_effect=after_effect)
    dropped = await scene.workspace.drop(MARIA, FINANCE, "rows.csv", CSV)
    await held.arrival()
    await scene.bot.kill()
    held.release(vanish=not after_effect)
    await scene.start()
    await scene.workspace.until(lambda: offers(scene)[0], timeout=40)
    await scene.settled(timeout=40)
    await asyncio.sleep(1.5)  # a second offer would have been posted by now
    assert [offer.thread_ts for offer in offers(scene)] == [dropped.ts]
