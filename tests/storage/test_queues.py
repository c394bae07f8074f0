"""Queues out and in, followed resources: nothing twice, nothing lost, nothing out of order."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.domain.payments.instruction import CallbackKind, Instruction
from storage import Conflict, Store, Tx
from storage.rows import InboxState, OutboxRow, OutboxState
from tests.storage.factories import NOW, ask, claims, instruction, later, post, unit
from tests.support.rows import callbacks_of


async def _add(
    store: Store, name: str, *, about: Instruction | None = None, place: str = "approvals", **more: Any
) -> Any:
    subject = f"request:{about.id}:{place}" if about else f"notice:{name}"
    values = {"subject": subject, "payload": {"text": "\x00 <@U1>"}, "instruction_id": about.id if about else None}
    return await unit(store).outbox.add(post(name, **(values | more)))


async def _claim(store: Store, seconds: float = 0, owner: str = "a", limit: int = 99) -> Any:
    return await claims(store, "outbox", seconds, owner, limit=limit)


async def test_posts_of_a_subject_keep_their_order(store: Store) -> None:
    one, two = await ask(store), await ask(store)
    # The ids run backwards, as they may within a millisecond: the order of adding counts.
    await _add(store, "z", about=one)
    await _add(store, "y", about=one)
    await _add(store, "x", about=one, place="requester")
    await _add(store, "w", about=two)
    await _add(store, "v")
    assert not await _add(store, "u", key="key-v")
    assert [row.id for row in await _claim(store)] == ["z", "x", "w", "v"]
    assert await _claim(store) == []
    for finish in (
        lambda tx: tx.outbox.again("z", later(5), "later"),
        lambda tx: tx.outbox.unknown("z", later(5), "lost"),
    ):
        await store.write(finish)
        assert await _claim(store, 4) == []
        assert [row.id for row in await _claim(store, 5)] == ["z"]
    assert await unit(store).outbox.sent("z", "C1", "1.1", later(6))
    assert not await unit(store).outbox.sent("z", "C1", "9.9", later(6))
    assert [row.id for row in await _claim(store, 6)] == ["y"]
    held = await unit(store).outbox.get("z")
    assert (held.state, held.sent_channel, held.sent_ts, held.last_error) == (OutboxState.SENT, "C1", "1.1", "")


async def test_urgent_post_precedes_other_subjects(store: Store) -> None:
    one = await ask(store)
    await _add(store, "other")
    await _add(store, "before", about=one)
    [first] = await _claim(store, limit=1)
    await unit(store).outbox.again(first.id, later(0), "")
    await _add(store, "late", about=one, due_at=later(60))
    await _add(store, "end", about=one, urgent=True, now=later(1))
    order = []
    for _ in range(4):
        [row] = await _claim(store, 1, limit=1)
        order.append(row.id)
        await unit(store).outbox.sent(row.id, "C1", "1.1", later(1))
    assert order == ["before", "late", "end", "other"]
    await _add(store, "usual")
    await _add(store, "alert", urgent=True)
    assert [row.id for row in await _claim(store, 1)] == ["alert", "usual"]


async def test_dead_sender_leaves_an_unknown_outcome(store: Store) -> None:
    await _add(store, "1")
    await _add(store, "2")
    await _claim(store, owner="a", limit=1)
    await _claim(store, owner="b", limit=1)

    def recover(seconds: float, *, exclusive: bool) -> Any:
        return lambda tx: tx.outbox.mark_unknown("b", later(seconds), exclusive)

    assert await _claim(store, 60) == []  # an expired lease does not make a post safe to repeat
    assert await store.write(recover(1, exclusive=False)) == 0
    assert await store.write(recover(1, exclusive=True)) == 1
    assert [(row.id, row.before) for row in await _claim(store, 1, owner="b")] == [("1", OutboxState.UNKNOWN)]
    assert await store.write(recover(30, exclusive=False)) == 1
    assert [(row.id, row.before) for row in await _claim(store, 30, owner="b")] == [("2", OutboxState.UNKNOWN)]


async def test_lease_of_a_post_is_extended_only_by_its_holder(store: Store) -> None:
    await _add(store, "1")
    [mine] = await _claim(store)  # for 30 seconds

    async def hold(row: OutboxRow, at: float) -> Any:
        return await unit(store).outbox.hold(row, now=later(at), until=later(at + 30))

    assert await hold(mine, 20)
    assert await _claim(store, 45, owner="b") == []
    assert not await hold(mine, 50)  # nobody took it, but anybody may have
    await unit(store).outbox.mark_unknown(owner="b", now=later(51), exclusive=False)
    [theirs] = await _claim(store, 51, owner="b")
    assert not await hold(mine, 52)
    assert await hold(theirs, 52)


async def _receive(store: Store, asked: Instruction, name: str, now: datetime = NOW) -> bool:
    def receive(tx: Tx) -> bool:
        tx.tokens.put(token_hash="t", instruction_id=asked.id, kind=CallbackKind.CANCEL)
        return tx.inbox.receive(
            new_id=lambda: f"id-{name}", token_hash="t", body_hash=name, now=now, pause=timedelta(seconds=3)
        )

    return await store.write(receive)


async def test_callbacks_of_an_address_share_one_row(store: Store) -> None:
    asked = await ask(store)
    for name in ("a", "b", "a", "b", "c"):
        assert await _receive(store, asked, name)
    assert await store.read(lambda tx: tx.queues.waiting(NOW)["callbacks"].oldest) == NOW
    [row] = await claims(store, "inbox")
    assert (row.id, row.body, row.body_hash, row.hints, row.attempts, row.read_at) == ("id-a", "", "c", 5, 1, NOW)
    assert await claims(store, "inbox", 0, "b") == []
    assert await unit(store).inbox.finish(row.id, InboxState.APPLIED, hints=5)
    assert not await unit(store).inbox.finish(row.id, InboxState.STALE, hints=5)
    assert not await _receive(store, asked, "c")
    assert await _receive(store, asked, "d", now=later(1))
    [row] = await store.read(lambda tx: callbacks_of(tx, asked.id))
    assert (row.state, row.attempts, row.received_at, row.due_at) == (InboxState.RECEIVED, 0, later(1), later(3))


async def test_token_is_valid_for_one_subject_until_expiry(store: Store) -> None:
    asked, other = await ask(store), await ask(store)

    def put(of: Instruction) -> Any:
        return lambda tx: tx.tokens.put(token_hash="t", instruction_id=of.id, kind=CallbackKind.FAILURE)

    assert await store.write(put(asked))
    assert not await store.write(put(other))
    found = await unit(store).tokens.find("t", later(9e9))
    assert (found.instruction_id, found.kind) == (asked.id, CallbackKind.FAILURE)
    assert await unit(store).tokens.find("T", NOW) is None
    await unit(store).tokens.expire(asked.id, later(5))
    assert await unit(store).tokens.find("t", later(4)) is not None
    assert await unit(store).tokens.find("t", later(5)) is None


async def test_child_rows_need_an_existing_request(store: Store) -> None:
    with pytest.raises(Conflict):
        await _receive(store, instruction(), "x")


async def test_resources_are_followed_until_they_are_final(store: Store) -> None:
    asked = await ask(store)

    def follow(tx: Tx) -> bool:
        return tx.tracked.follow("payout", "op-1", due_at=later(5), now=NOW, instruction_id=asked.id)

    async def claim(seconds: float, owner: str = "a", kind: str = "payout") -> Any:
        return await claims(store, "tracked", seconds, owner, kind=kind)

    assert await store.write(follow)
    assert not await store.write(follow)
    assert await claim(4) == []
    assert await claim(5, kind="bulk") == []
    [one] = await claim(5)
    assert (one.instruction_id, one.created_at, one.polls, one.lease_owner) == (asked.id, NOW, 1, "a")
    assert await claim(5, "b") == []
    assert await unit(store).tracked.again("payout", "op-1", later(10), "Pending")
    assert await unit(store).tracked.hasten("payout", "op-1", later(7))
    [one] = await claim(7)
    assert (one.polls, one.last_status) == (2, "Pending")
    await unit(store).tracked.again("payout", "op-1", later(7), "Paid", afresh=True)
    assert [one.polls for one in await claim(7)] == [1], "what changed is read at the pace of a new one"
    assert await unit(store).tracked.recover("b") == 1
    assert len(await claim(7, "b")) == 1
    assert await unit(store).tracked.stop("payout", "op-1", later(8))
    assert not await unit(store).tracked.stop("payout", "op-1", later(8))
    assert not await unit(store).tracked.again("payout", "op-1", later(10), "x")
    assert not await store.write(follow)
    assert await claim(1e6) == []
    held = await unit(store).tracked.get("payout", "op-1")
    assert (held.stopped_at, held.due_at) == (later(8), None)
