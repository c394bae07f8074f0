"""``kill -9`` of the real process at the instants where money, votes and messages could be lost or doubled."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest

from bot.domain.payments.instruction import AttemptOutcome, State
from bot.playground.workspace import Ack, ImpossibleAct, Message
from tests.process.approver import Approver
from tests.process.conftest import Opening
from tests.process.gate import Held
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA

COUNT = 30
ROWS = "\n".join(f"ana@example.com,{n}.00,row {n}" for n in range(1, COUNT + 1))
_LONG = 40.0


async def ask_for_many(scene: Scene, rows: str = ROWS) -> None:
    """Submit the form with rows. Its answer comes in the form, so only a card shows that it was accepted."""
    await scene.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
    if scene.workspace.modal(MARIA) is not None:
        await scene.workspace.submit(MARIA, {"rows": rows})


async def all_paid(scene: Scene, *, failed: int = 0) -> None:
    """One submission whose items were each paid once, one summary that adds up, one file of what failed."""
    word = f"{COUNT - failed} paid ("
    await scene.workspace.until(lambda: any(word in text for text in scene.news(FINANCE)), timeout=_LONG)
    await scene.settled()
    (job,) = scene.payments.bulk_payments
    assert job.count("completed") == COUNT - failed
    assert set(scene.executions().values()) == {1}
    assert len(scene.executions()) == COUNT - failed
    told = {one: len([text for text in scene.news(one) if word in text]) for one in (FINANCE, APPROVALS)}
    assert told == {FINANCE: 1, APPROVALS: 0}, scene.workspace.picture()
    files = [scene.workspace.file(one) for message in scene.workspace.messages(FINANCE) for one in message.files]
    assert len([one for one in files if one is not None and "failed" in one.name]) == (1 if failed else 0)


@dataclass(frozen=True, kw_only=True)
class Request:
    name: str
    ask: Callable[[Scene], Awaitable[Ack | None]]
    ends: Callable[[Scene], Awaitable[object]]
    """Waits for its end, and asserts that it was paid once and told once."""
    sends: str
    """The operation that moves the money."""
    amount: str


PAYOUT = Request(name="payout", ask=Scene.pay, ends=Scene.completed_once, sends="commit_payout", amount="25.00")
BULK = Request(name="bulk", ask=ask_for_many, ends=all_paid, sends="create_bulk_payment", amount="465.00")


class Fate(Enum):
    """What becomes of the request that is under way when its sender dies."""

    DONE = "done and not answered"
    LOST = "never arrives"
    LATE = "arrives later"


def during(request: Request, operation: str, fate: Fate = Fate.DONE, *, skip: int = 0, always: bool = False) -> Any:
    """A row; without ``always``, for the campaign."""
    name = f"{request.name} {operation} {skip} {fate.value}"
    return pytest.param(request, operation, fate, skip, id=name, marks=() if always else pytest.mark.campaign)


def hold(scene: Scene, operation: str, fate: Fate, skip: int = 0) -> Held:
    gate = scene.slack_gate if "." in operation else scene.payments_gate
    return gate.hold(operation, after_effect=fate is Fate.DONE, skip=skip)


@pytest.mark.parametrize(
    ("request_", "operation", "fate", "skip"),
    [
        during(PAYOUT, "create_payout", always=True),
        during(PAYOUT, "create_payout", Fate.LOST),
        during(PAYOUT, "create_payout", Fate.LATE),
        during(PAYOUT, "commit_payout", always=True),
        during(PAYOUT, "get_operation", Fate.LOST, always=True),  # between the vote and the commit
        *(during(PAYOUT, "chat.postMessage", skip=nth, always=nth == 2) for nth in range(3)),  # two cards, news
        during(BULK, "create_bulk_payment", always=True),
        during(BULK, "list_bulk_payments"),
        during(BULK, "account_status"),
        during(BULK, "get_bulk_payment"),
        during(BULK, "list_bulk_items", always=True),
        during(BULK, "chat.postMessage", skip=1),
        during(BULK, "files.completeUploadExternal", always=True),
    ],
)
async def test_kill_during_request_pays_and_tells_once(
    open_scene: Opening, request_: Request, operation: str, fate: Fate, skip: int
) -> None:
    scene = await open_scene(PLAY_SHOWN="1")
    failed = 3 if operation.startswith("files.") else 0  # only failed payments are sent as a file
    scene.payments.switches.bulk_fail_every = 10 if failed else 0
    held = hold(scene, operation, fate, skip)
    await request_.ask(scene)
    async with Approver(scene):
        await held.arrival()
        await scene.bot.kill()
        if fate is Fate.LOST:
            held.release(vanish=True)
        await scene.start()
        if fate is Fate.LATE:
            held.release()
        await (all_paid(scene, failed=failed) if failed else request_.ends(scene))
    if fate is Fate.DONE and operation.startswith(("create_", "commit_")):
        assert len(scene.payments.calls_of(operation)) == 1
    if request_ is PAYOUT:
        assert len(scene.payments.operations) == 1


@pytest.mark.campaign
async def test_kill_in_socket_mode_pays_once(open_scene: Opening) -> None:
    scene = await open_scene(socket_mode=True)
    held = hold(scene, "commit_payout", Fate.DONE)
    await scene.pay_and_approve()
    await held.arrival()
    await scene.restart()
    await scene.completed_once()
    assert len(scene.payments.calls_of("commit_payout")) == 1


@pytest.mark.parametrize("request_", [PAYOUT, BULK], ids=lambda one: one.name)
async def test_kill_before_payment_arrives_lets_people_decide(open_scene: Opening, request_: Request) -> None:
    scene = await open_scene()
    held = hold(scene, request_.sends, Fate.LOST)
    await request_.ask(scene)
    await scene.press("approve")
    await held.arrival()
    await scene.bot.kill()
    held.release(vanish=True)
    await scene.start()
    await scene.press("retry")
    assert not scene.executions()
    assert not scene.payments.bulk_payments
    await scene.workspace.submit(ADA, {"amount": request_.amount})
    await request_.ends(scene)
    assert not [text for channel in (FINANCE, APPROVALS) for text in scene._saying(channel, "needs a decision")]


@pytest.mark.parametrize("request_", [PAYOUT, pytest.param(BULK, marks=pytest.mark.campaign)], ids=lambda one: one.name)
async def test_payment_that_arrives_after_kill_is_not_repeated(open_scene: Opening, request_: Request) -> None:
    scene = await open_scene(QUIET_SECONDS="60")
    held = hold(scene, request_.sends, Fate.LATE)
    await request_.ask(scene)
    await scene.press("approve")
    await held.arrival()
    await scene.restart()
    await scene.workspace.until(lambda: "Not confirmed yet" in scene.cards(APPROVALS)[0].text)
    held.release()
    await request_.ends(scene)
    assert len(scene.payments.calls_of(request_.sends)) == 1


async def test_kill_after_callback_was_answered_keeps_the_callback(open_scene: Opening) -> None:
    scene = await open_scene(POLL_SECONDS="3600", simulator={"step_seconds": None})
    await scene.pay_and_approve()
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Sent: "))
    held = hold(scene, "get_operation", Fate.LOST)
    await scene.payments.advance()
    await held.arrival()
    await scene.payments.delivered()
    assert [delivery.status for delivery in scene.payments.deliveries] == [200]
    await scene.restart()
    await scene.completed_once()


@pytest.mark.parametrize("fate", [Fate.DONE, pytest.param(Fate.LATE, marks=pytest.mark.campaign)])
async def test_kill_during_cancellation_cancels_and_tells_once(open_scene: Opening, fate: Fate) -> None:
    scene = await open_scene()
    held = hold(scene, "cancel_bulk_items", fate)
    await ask_for_many(scene, "ana@example.com,1.00\nx1@example.com,2.00\nx2@example.com,3.00")
    async with Approver(scene):

        def cancelable() -> list[str]:
            cards = scene.cards(FINANCE)
            return [card.ts for card in cards if any(button.action_id == "bulk.cancel" for button in card.buttons)]

        card, *_ = await scene.workspace.until(cancelable, timeout=_LONG)
        with suppress(ImpossibleAct):
            await scene.workspace.click(MARIA, FINANCE, card, "bulk.cancel")
        await held.arrival()
        await scene.restart()
        held.release()
        said = "2 payments canceled, $5.00 returned"
        await scene.workspace.until(lambda: any(said in text for text in scene.news(FINANCE)), timeout=_LONG)
        await scene.settled()
    (job,) = scene.payments.bulk_payments
    assert (job.canceled_all, job.count("canceled")) == (0, 2)
    assert len([text for text in scene.news(FINANCE) if "2 payments canceled" in text]) == 1
    assert scene.payments.ledger.paid_cents() == 100


def commits(request: Request, names: str, *, always: Collection[str]) -> Iterator[Any]:
    """The instants before and after these commits. ``always``: those of every run; the others are for the campaign."""
    for at in (f"write.{side}:{name}" for name in names.split() for side in ("before", "after")):
        marks = () if at in always else pytest.mark.campaign
        yield pytest.param(request, at, id=f"{request.name} {at}", marks=marks)


@pytest.mark.parametrize(
    ("request_", "at"),
    [
        *commits(
            PAYOUT,
            "request claim_instructions recipient claim_create created claim_outbox posted approve reread claim_commit "
            "committed callback claim_callbacks verified claim_polls polled shown",
            always={"write.after:request"},  # a gate at a simulator cannot hit it
        ),
        *commits(
            BULK,
            "request prepared approve claim_bulk submitted claim_bulk_polls bulk_polled claim_outbox posted",
            always={"write.after:claim_bulk", "write.before:bulk_polled"},
        ),
    ],
)
async def test_kill_at_a_commit_pays_and_tells_once(open_scene: Opening, request_: Request, at: str) -> None:
    scene = await open_scene(start=False)
    scene.payments.callbacks.switches.drop = request_ is PAYOUT and "poll" in at
    await scene.start(PLAY_SIGNAL="KILL", PLAY_AT=at, PLAY_FROM="write.before:request")
    async with Approver(scene):
        ack = await request_.ask(scene)
        assert await scene.bot.ended() == -9, "the instant never came"
        await scene.start()
        await scene.settled()
        if not (ack is not None and ack.ok) and not scene.cards(FINANCE):  # an acknowledged request must not be lost
            await request_.ask(scene)
        if at == "write.after:claim_bulk":  # nothing left, which cannot be known, so a person decided
            await scene.workspace.until(lambda: bool(scene.payments.bulk_payments), timeout=_LONG)
        await request_.ends(scene)
    await scene.bot.stop()
    assert [one.state for one in await scene.stored()] == [State.COMPLETED]


async def test_claim_older_than_five_seconds_is_abandoned_unsent(open_scene: Opening) -> None:
    """The process is paused between the claim of an attempt and its first byte, as in a frozen virtual machine."""
    scene = await open_scene(start=False)
    await scene.start(PLAY_SIGNAL="STOP", PLAY_AT="write.after:claim_commit")
    approving = asyncio.create_task(scene.pay_and_approve())
    await scene.bot.paused()
    await asyncio.sleep(5.3)  # the guard measures real time
    scene.bot.resume()
    await approving
    await scene.completed_once()
    assert len(scene.payments.calls_of("commit_payout")) == 1
    with closing(sqlite3.connect(scene.database)) as connection:
        outcomes = connection.execute("SELECT outcome FROM attempt WHERE kind = 'commit' ORDER BY n").fetchall()
    assert outcomes == [(AttemptOutcome.ABANDONED,), (AttemptOutcome.DONE,)]


def offers(scene: Scene) -> list[Message]:
    return [message for message in scene.workspace.messages(FINANCE) if message.bot_id and message.buttons]


@pytest.mark.parametrize(
    ("method", "fate"),
    [("files.info", Fate.DONE), ("chat.postMessage", Fate.LOST), ("chat.postMessage", Fate.DONE)],
)
async def test_kill_while_file_is_read_leads_to_one_offer(open_scene: Opening, method: str, fate: Fate) -> None:
    scene = await open_scene(PLAY_SHOWN="1")
    held = hold(scene, method, fate)
    dropped = await scene.workspace.drop(MARIA, FINANCE, "rows.csv", b"email,amount,note\nana@example.com,1.00,x\n")
    await held.arrival()
    await scene.bot.kill()
    held.release(vanish=fate is Fate.LOST)
    await scene.start()
    await scene.workspace.until(lambda: offers(scene)[0], timeout=_LONG)
    await scene.settled(timeout=_LONG)
    await asyncio.sleep(1.5)  # a second offer would have been posted by now
    assert [offer.thread_ts for offer in offers(scene)] == [dropped.ts]
