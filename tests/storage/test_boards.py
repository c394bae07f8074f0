"""Boards: one message a subject, due whenever it does not show the latest."""

from datetime import timedelta
from typing import Any

import pytest

from storage import Store
from tests.storage.factories import NOW, later, unit


async def board(store: Store, subject: str = "job:1") -> Any:
    found = await unit(store).boards.get(subject)
    assert found is not None
    return found


async def posted_board(store: Store, subject: str = "job:1", ts: str = "1.1") -> None:
    await unit(store).boards.add(subject, channel="C1", thread_ts=None, requester="U1")
    await unit(store).boards.posted(subject, channel="C1", ts=ts, version=1, now=NOW)


async def due(store: Store, seconds: float) -> list[str]:
    return [one.subject for one in await unit(store).boards.due(later(seconds), 9)]


async def test_subject_has_one_board_found_by_its_message(store: Store) -> None:
    assert await unit(store).boards.add("job:1", channel="C1", thread_ts="0.5", requester="U1")
    assert not await unit(store).boards.add("job:1", channel="C2", thread_ts=None, requester="U1")
    assert await unit(store).boards.find("C1", "") is None, "nothing was posted yet"
    await unit(store).boards.posted("job:1", channel="C1", ts="1.1", version=1, now=NOW)
    found = await unit(store).boards.find("C1", "1.1")
    assert (found.subject, found.thread, found.due_at) == ("job:1", "0.5", None)
    await unit(store).boards.posted("job:1", channel="D1", ts="1.2", version=1, now=NOW)
    direct = await board(store)
    assert (direct.channel, direct.thread) == ("D1", "1.2"), "a direct message has a thread of its own"


async def test_deleted_message_is_recreated_once(store: Store) -> None:
    await posted_board(store)
    assert await unit(store).boards.lost("job:1", ts="1.1")
    assert not await unit(store).boards.lost("job:1", ts="1.1")
    assert await unit(store).boards.find("C1", "1.1") is None
    await unit(store).boards.posted("job:1", channel="C1", ts="2.2", version=1, now=NOW)
    assert not await unit(store).boards.lost("job:1", ts="1.1"), "it stands elsewhere by now"
    assert (await board(store)).ts == "2.2"


async def test_change_during_a_post_is_shown_next(store: Store) -> None:
    await unit(store).boards.add("job:1", channel="C1", thread_ts=None, requester="U1")
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    assert await due(store, 0) == [], "it cannot be edited before it stands"
    await unit(store).boards.posted("job:1", channel="C1", ts="1.1", version=1, now=NOW)
    assert await due(store, 0) == ["job:1"]
    await unit(store).boards.shown("job:1", 2, NOW)
    assert await due(store, 999) == []


async def test_progress_edits_are_three_seconds_apart(store: Store) -> None:
    for number in range(1, 4):
        await posted_board(store, f"job:{number}", ts=f"1.{number}")
    await unit(store).boards.mark("job:1", now=NOW, progress=True)
    assert await due(store, 2.9) == []
    await unit(store).boards.mark("job:1", now=later(2), progress=True)
    assert (await board(store)).due_at == NOW + timedelta(seconds=3), "more progress puts nothing off"
    await unit(store).boards.mark("job:2", now=later(5), progress=False)
    await unit(store).boards.mark("job:3", now=later(6), progress=False, urgent=True)
    assert await due(store, 6) == ["job:3", "job:2", "job:1"], "however long the others wait"


async def test_final_edit_does_not_wait_for_progress(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=True)
    await unit(store).boards.mark("job:1", now=later(1), progress=False)
    await unit(store).boards.mark("job:1", now=later(1), progress=True)
    assert await due(store, 1) == ["job:1"]
    assert not (await board(store)).progress


@pytest.mark.parametrize("is_shown", [True, False])
async def test_edit_stays_urgent_until_it_is_shown(store: Store, is_shown: bool) -> None:
    """Progress that comes while a change is being shown stays progress."""
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False, urgent=True)
    [claimed] = await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    assert (claimed.urgent, claimed.progress) == (True, False)
    await unit(store).boards.mark("job:1", now=later(1), progress=True)
    if is_shown:
        await unit(store).boards.shown("job:1", claimed.wanted_version, later(2))
    else:
        await unit(store).boards.delay(claimed, later(3), failed=False)
    held = await board(store)
    assert (held.urgent, held.progress, held.attempts) == (not is_shown, is_shown, 0)


async def test_edit_of_a_dead_process_is_repeated(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    await unit(store).boards.hasten(later(1))
    assert (await due(store, 1), (await board(store)).progress) == (["job:1"], False)


async def test_late_older_edit_is_overwritten(store: Store) -> None:
    await posted_board(store)
    for _ in range(2):
        await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await unit(store).boards.shown("job:1", 3, NOW)
    assert await due(store, 99) == []
    await unit(store).boards.shown("job:1", 2, NOW)
    assert await due(store, 0) == ["job:1"]


async def test_failed_edit_backs_off_until_the_next_change(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.delay(await board(store), later(60), failed=True)
    assert await due(store, 99) == [], "it was not due: nothing to delay"
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await unit(store).boards.delay(await board(store), later(60), failed=True)
    assert (await due(store, 59), (await board(store)).attempts) == ([], 1)
    await unit(store).boards.mark("job:1", now=later(5), progress=False)
    assert (await due(store, 5), (await board(store)).attempts) == (["job:1"], 0)


async def test_claimed_board_is_due_again_unless_shown(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False, urgent=True)
    assert await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    assert (await due(store, 29), await due(store, 30)) == ([], ["job:1"])
    assert ((await board(store)).urgent, (await board(store)).progress) == (False, True)
