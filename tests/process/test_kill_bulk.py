"""``kill -9`` at each step of a bulk payment: one submission, no lost item, one summary."""

from contextlib import suppress

import pytest

from bot.domain.payments.instruction import State
from bot.playground.workspace import ImpossibleAct
from tests.process.approver import Approver
from tests.process.conftest import Opening, at_commits
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA

COUNT = 30
ROWS = "\n".join(f"ana@example.com,{n}.00,row {n}" for n in range(1, COUNT + 1))
HELD = "ana@example.com,1.00\nx1@example.com,2.00\nx2@example.com,3.00"
_LONG = 40.0


async def ask(scene: Scene, rows: str = ROWS) -> None:
    """Type ``/pay bulk`` and submit the form; repeat if the bot died before it answered."""
    await scene.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
    if scene.workspace.modal(MARIA) is not None:
        await scene.workspace.submit(MARIA, {"rows": rows})


async def accounted_for(scene: Scene, *, failed: int = 0) -> None:
    """One submission whose items were each paid once, one summary that adds up, one file of what failed."""
    word = f"{COUNT - failed} paid ("

    def told() -> bool:
        return any(word in text for text in scene.news(FINANCE))

    await scene.workspace.until(told, timeout=_LONG)
    await scene.settled()
    (job,) = scene.payments.bulk_payments
    assert job.count("completed") == COUNT - failed
    assert set(scene.executions().values()) == {1}
    assert len(scene.executions()) == COUNT - failed
    told_in = {one: len([text for text in scene.news(one) if word in text]) for one in (FINANCE, APPROVALS)}
    assert told_in == {FINANCE: 1, APPROVALS: 0}, scene.workspace.picture()
    assert len([name for name in names(scene, FINANCE) if "failed" in name]) == (1 if failed else 0)


def names(scene: Scene, channel: str) -> list[str]:
    shared = [file for message in scene.workspace.messages(channel) for file in message.files]
    found = [scene.workspace.file(one) for one in shared]
    return [one.name for one in found if one is not None]


@pytest.mark.parametrize(
    ("operation", "after_effect"),
    [
        ("create_bulk_payment", True),
        pytest.param("list_bulk_payments", True, marks=pytest.mark.campaign),
        pytest.param("account_status", True, marks=pytest.mark.campaign),
        pytest.param("get_bulk_payment", True, marks=pytest.mark.campaign),
        ("list_bulk_items", True),
    ],
)
async def test_while_the_service_was_asked(open_scene: Opening, operation: str, after_effect: bool) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold(operation, after_effect=after_effect)
    await ask(scene)
    async with Approver(scene, user=ADA):
        await held.arrival()
        await scene.restart()
        await accounted_for(scene)


async def test_a_submission_that_never_arrived_is_decided_by_a_person(open_scene: Opening) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold("create_bulk_payment", after_effect=False)
    await ask(scene)
    await scene.press("approve")
    await held.arrival()
    await scene.bot.kill()
    held.release(vanish=True)
    await scene.start()
    await scene.press("retry")
    assert scene.payments.bulk_payments == []
    await scene.workspace.submit(ADA, {"amount": "465.00"})
    await accounted_for(scene)


@pytest.mark.campaign
async def test_a_submission_arrives_after_its_sender_died(open_scene: Opening) -> None:
    scene = await open_scene(QUIET_SECONDS="60")
    held = scene.payments_gate.hold("create_bulk_payment", after_effect=False)
    await ask(scene)
    await scene.press("approve")
    await held.arrival()
    await scene.restart()
    await scene.workspace.until(lambda: "Not confirmed yet" in scene.cards(APPROVALS)[0].text)
    held.release()
    await accounted_for(scene)


@pytest.mark.parametrize(
    ("method", "skip"),
    [("files.completeUploadExternal", 0), pytest.param("chat.postMessage", 1, marks=pytest.mark.campaign)],
)
async def test_after_slack_took_it_and_did_not_answer(open_scene: Opening, method: str, skip: int) -> None:
    scene = await open_scene(PLAY_SHOWN="1")
    has_file = method.startswith("files.")
    scene.payments.switches.bulk_fail_every = 10 if has_file else 0  # only what failed is sent as a file
    held = scene.slack_gate.hold(method, after_effect=True, skip=skip)
    await ask(scene)
    async with Approver(scene, user=ADA):
        await held.arrival()
        await scene.restart()
        await accounted_for(scene, failed=3 if has_file else 0)


@pytest.mark.parametrize("after_effect", [True, pytest.param(False, marks=pytest.mark.campaign)])
async def test_a_cancellation_is_sent_once_and_told_once(open_scene: Opening, after_effect: bool) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold("cancel_bulk_items", after_effect=after_effect)
    await ask(scene, HELD)
    async with Approver(scene, user=ADA):

        def cancelable() -> list[str]:
            cards = scene.cards(FINANCE)
            return [card.ts for card in cards if any(button.action_id == "bulk.cancel" for button in card.buttons)]

        card, *_ = await scene.workspace.until(cancelable, timeout=_LONG)
        with suppress(ImpossibleAct):
            await scene.workspace.click(MARIA, FINANCE, card, "bulk.cancel")
        await held.arrival()
        await scene.restart()
        if not after_effect:
            held.release()
        await scene.workspace.until(
            lambda: any("2 payments canceled, $5.00 returned" in text for text in scene.news(FINANCE)), timeout=_LONG
        )
        await scene.settled()
    (job,) = scene.payments.bulk_payments
    assert (job.canceled_all, job.count("canceled")) == (0, 2)
    assert len([text for text in scene.news(FINANCE) if "2 payments canceled" in text]) == 1
    assert scene.payments.ledger.paid_cents() == 100


@at_commits(
    "request prepared approve claim_bulk submitted claim_bulk_polls bulk_polled claim_outbox posted",
    always={"write.after:claim_bulk", "write.before:bulk_polled"},
)
async def test_at_a_commit_of_its_own(open_scene: Opening, at: str) -> None:
    scene = await open_scene(start=False)
    await scene.start(PLAY_SIGNAL="KILL", PLAY_AT=at, PLAY_FROM="write.before:request")
    async with Approver(scene, user=ADA):
        await ask(scene)
        assert await scene.bot.ended() == -9, "the instant never came"
        await scene.start()
        await scene.settled()
        if not scene.cards(FINANCE):
            await ask(scene)
        if at == "write.after:claim_bulk":  # nothing left, which cannot be known, so a person decided
            await scene.workspace.until(lambda: bool(scene.payments.bulk_payments), timeout=_LONG)
        await accounted_for(scene)
    await scene.bot.stop()
    assert [one.state for one in await scene.stored()] == [State.COMPLETED]
