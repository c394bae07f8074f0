"""A database that version 0016 wrote is opened, migrated, and goes on: nothing twice, nothing lost.

So does one that was copied from SQLite to PostgreSQL then.
"""

from collections.abc import Mapping
from functools import partial

import pytest

from bot.domain.payments.instruction import Instruction, State
from bot.playground.workspace import Message
from bot.workflows.context import Unit
from bot.workflows.slack.boards import show_board
from tests.support.clock import MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, Rig
from tests.support.then import DATABASES, laid_out, open_then
from tests.workflows.looking import disagreements, read, requests, there

THEN = "0016"

pytestmark = pytest.mark.rig(opened_by=partial(open_then, name=THEN))


@pytest.fixture(params=DATABASES)
def rig_url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    return laid_out(request, THEN, monkeypatch)


def said(rig: Rig, *channels: str) -> list[Message]:
    return [one for channel in channels for one in rig.workspace.messages(channel) if not one.ephemeral_to]


def edits(rig: Rig, message: Message) -> int:
    made = [one.args for one in rig.workspace.calls if one.method == "chat.update" and one.ok]
    return len([args for args in made if (args["channel"], args["ts"]) == (message.channel, message.ts)])


async def card_of(rig: Rig, purpose: str, channel: str) -> Message:
    (found,) = [one for one in await requests(rig) if one.payload.canonical().get("description") == purpose]
    (card,) = [one for one in said(rig, channel) if await is_copy(rig, found, one)]
    assert found.reference in card.text
    return card


async def is_copy(rig: Rig, request: Instruction, message: Message) -> bool:
    board = await read(rig, lambda tx: tx.boards.find(message.channel, message.ts))
    return board is not None and board.subject.startswith(f"request:{request.id}:")


async def states(rig: Rig) -> Mapping[str, State]:
    return {str(one.payload.canonical().get("description")): one.state for one in await requests(rig)}


async def test_a_payout_that_awaited_votes_is_approved_and_paid_on_the_cards_that_stood_there(rig: Rig) -> None:
    before = {channel: await card_of(rig, "awaiting", channel) for channel in (FINANCE, APPROVALS)}
    await rig.settle()
    await rig.workspace.click(ADA, APPROVALS, before[APPROVALS].ts, "payout.approve")
    await rig.workspace.submit(ADA, {})  # what is not fine about the account
    await rig.settle()
    await rig.payments.advance()
    await rig.pass_time(MINUTE)
    assert (await states(rig))["awaiting"] is State.COMPLETED
    assert rig.paid == [("luis@example.com", 2500)]
    for channel, card in before.items():
        now = await card_of(rig, "awaiting", channel)
        assert (now.ts, now.buttons, now.text.startswith("Paid: ")) == (card.ts, [], True)
        told = [one for one in said(rig, channel) if one.thread_ts == card.ts and "*Paid*" in one.text]
        assert [one.ts != card.ts for one in told] == ([True] if channel == FINANCE else []), "told where requested"


async def test_nothing_of_that_time_disagrees_with_the_audit(rig: Rig) -> None:
    assert await disagreements(rig) == ()


async def test_what_was_under_way_is_followed_to_its_end(rig: Rig) -> None:
    cards = [await card_of(rig, "under-way", channel) for channel in (FINANCE, APPROVALS)]
    (record,) = [one for one in rig.payments.operations.values() if one.description == "under-way"]
    await rig.payments.settle(record.id, "completed", force=True)
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (await states(rig))["under-way"] is State.COMPLETED
    assert all(rig.workspace.message(card.channel, card.ts).text.count("Paid: ") == 1 for card in cards)


async def test_what_was_not_sent_is_posted_once(rig: Rig) -> None:
    """Two cards of one request; of another the news in two threads, one of them in a direct message."""
    direct = rig.workspace.open_dm(MARIA).id
    channels = (FINANCE, APPROVALS, direct)
    before = {(one.channel, one.ts) for one in said(rig, *channels)}
    await rig.pass_time(2 * MINUTE, steps=8)
    new = [one for one in said(rig, *channels) if (one.channel, one.ts) not in before]
    cards = [await card_of(rig, "unsent", channel) for channel in (FINANCE, APPROVALS)]
    news = [one for one in new if "*Rejected*" in one.text]
    rejected = [await card_of(rig, "rejected", channel) for channel in (APPROVALS, direct)]
    assert {(one.channel, one.thread_ts) for one in news} == {(one.channel, one.ts) for one in rejected}
    assert sorted(one.ts for one in new) == sorted(one.ts for one in [*cards, *news])
    assert all(one.text.startswith("Rejected") and not one.buttons for one in rejected)
    assert await read(rig, lambda tx: tx.queues.waiting(rig.clock.now())["messages"].rows) == 0
    await rig.workspace.click(ADA, APPROVALS, cards[1].ts, "payout.approve")
    await rig.workspace.submit(ADA, {})  # what is not fine about the account
    await rig.settle()
    assert (await states(rig))["unsent"] is State.COMMITTED, "the time to decide began with its card"


async def test_a_bulk_payment_keeps_its_place_in_the_thread_of_its_file(rig: Rig) -> None:
    (bulk,) = [one for one in await requests(rig) if one.reference.startswith("B-")]
    board = there(await read(rig, lambda tx: tx.boards.get(f"request:{bulk.id}:requester")))
    (card,) = [one for one in said(rig, FINANCE) if bulk.reference in one.text.partition(":")[0]]
    assert (board.thread, board.ts) == (card.thread_ts, card.ts)
    await rig.pass_time(6)
    assert edits(rig, card) == 1


@pytest.mark.parametrize("kind", ["booking", "localization", "file"])
async def test_boards_of_everything_else_are_edited_where_they_stand(rig: Rig, kind: str) -> None:
    subjects = {"booking": "Delivery", "localization": "Summarize", "file": "april.csv"}
    (shown,) = [one for one in said(rig, FINANCE) if subjects[kind] in one.text and one.bot_id and _is_board(one)]
    board = there(await read(rig, lambda tx: tx.boards.find(FINANCE, shown.ts)))
    assert board.subject.startswith(f"{kind}:")
    now = rig.switchboard.context.clock.now()
    await rig.switchboard.context.store.write(lambda tx: show_board(Unit(tx, now=now), board.subject))
    await rig.settle()
    assert edits(rig, shown) == 1


def _is_board(message: Message) -> bool:
    return not message.thread_ts or "I can" in message.text
