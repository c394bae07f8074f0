"""Boards: one message a subject, due whenever it does not show the latest."""

from datetime import datetime, timedelta
from typing import Any

from bot.domain.payments.instruction import Instruction
from storage import Store
from tests.storage.factories import NOW, instruction, later, unit


async def board(store: Store, subject: str = "job:1") -> Any:
    found = await unit(store).boards.get(subject)
    assert found is not None
    return found


async def posted_board(store: Store, subject: str = "job:1", ts: str = "1.1") -> None:
    await unit(store).boards.add(subject, channel="C1", thread_ts=None, requester="U1")
    await unit(store).boards.posted(subject, channel="C1", ts=ts, version=1, now=NOW)


async def put_off(store: Store, until: datetime, *, failed: bool) -> None:
    found = await board(store)
    await unit(store).boards.delay(found, until, failed=failed)


async def due(store: Store, seconds: float) -> list[str]:
    return [one.subject for one in await unit(store).boards.due(later(seconds), 9)]


async def test_a_subject_has_one_board_and_a_message_is_found_by_its_place(store: Store) -> None:
    assert await unit(store).boards.add("job:1", channel="C1", thread_ts="0.5", requester="U1")
    assert not await unit(store).boards.add("job:1", channel="C2", thread_ts=None, requester="U1")
    assert await unit(store).boards.find("C1", "") is None, "nothing was posted yet"
    await unit(store).boards.posted("job:1", channel="C1", ts="1.1", version=1, now=NOW)
    found = await unit(store).boards.find("C1", "1.1")
    assert (found.subject, found.thread, found.due_at) == ("job:1", "0.5", None)


async def test_of_two_who_find_its_message_gone_one_is_right(store: Store) -> None:
    await posted_board(store)
    assert await unit(store).boards.lost("job:1", ts="1.1")
    assert not await unit(store).boards.lost("job:1", ts="1.1")
    assert await unit(store).boards.find("C1", "1.1") is None
    await unit(store).boards.posted("job:1", channel="C1", ts="2.2", version=1, now=NOW)
    assert not await unit(store).boards.lost("job:1", ts="1.1"), "it stands elsewhere by now"
    assert (await board(store)).ts == "2.2"


async def test_a_board_that_went_to_somebody_directly_has_a_thread_of_its_own(store: Store) -> None:
    await unit(store).boards.add("job:1", channel="C1", thread_ts="0.5", requester="U1")
    await unit(store).boards.posted("job:1", channel="D1", ts="1.1", version=1, now=NOW)
    assert ((await board(store)).channel, (await board(store)).thread) == ("D1", "1.1")


async def test_what_changed_while_it_was_posted_is_shown_next(store: Store) -> None:
    await unit(store).boards.add("job:1", channel="C1", thread_ts=None, requester="U1")
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    assert await due(store, 0) == [], "it cannot be edited before it stands"
    await unit(store).boards.posted("job:1", channel="C1", ts="1.1", version=1, now=NOW)
    assert await due(store, 0) == ["job:1"]
    await unit(store).boards.shown("job:1", 2, NOW)
    assert await due(store, 999) == []


async def test_progress_is_shown_every_three_seconds_and_after_what_matters(store: Store) -> None:
    await posted_board(store)
    await posted_board(store, "job:2", ts="1.2")
    await unit(store).boards.mark("job:1", now=NOW, progress=True)
    assert await due(store, 2.9) == []
    await unit(store).boards.mark("job:1", now=later(2), progress=True)
    assert (await board(store)).due_at == NOW + timedelta(seconds=3), "more progress puts nothing off"
    await unit(store).boards.mark("job:2", now=later(5), progress=False)
    assert await due(store, 5) == ["job:2", "job:1"]


async def test_the_end_is_not_held_up_by_progress_before_it(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=True)
    await unit(store).boards.mark("job:1", now=later(1), progress=False)
    await unit(store).boards.mark("job:1", now=later(1), progress=True)
    assert await due(store, 1) == ["job:1"]
    assert not (await board(store)).progress


async def test_a_last_state_goes_before_changes_and_progress_however_long_they_wait(store: Store) -> None:
    for number in range(1, 4):
        await posted_board(store, f"job:{number}", ts=f"1.{number}")
    await unit(store).boards.mark("job:1", now=NOW, progress=True)
    await unit(store).boards.mark("job:2", now=NOW, progress=False)
    await unit(store).boards.mark("job:3", now=later(5), progress=False, urgent=True)
    assert await due(store, 5) == ["job:3", "job:2", "job:1"]


async def test_how_urgent_the_next_edit_is_tells_only_what_came_after_the_claim(store: Store) -> None:
    """Progress that comes while a change is being shown stays progress."""
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False, urgent=True)
    [claimed] = await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    assert (claimed.urgent, claimed.progress) == (True, False)
    await unit(store).boards.mark("job:1", now=later(1), progress=True)
    await unit(store).boards.shown("job:1", claimed.wanted_version, later(2))
    assert ((await board(store)).urgent, (await board(store)).progress) == (False, True)


async def test_an_edit_that_is_put_off_stays_as_urgent_as_it_was(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False, urgent=True)
    [claimed] = await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    await unit(store).boards.mark("job:1", now=later(1), progress=True)
    await unit(store).boards.delay(claimed, later(3), failed=False)
    assert ((await board(store)).urgent, (await board(store)).progress) == (True, False)


async def test_what_a_dead_process_was_showing_counts_as_a_change(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    await unit(store).boards.hasten(later(1))
    assert (await due(store, 1), (await board(store)).progress) == (["job:1"], False)


async def test_only_failures_are_counted(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await put_off(store, later(9), failed=False)
    assert ((await board(store)).attempts, await due(store, 8), await due(store, 9)) == (0, [], ["job:1"])
    await put_off(store, later(19), failed=True)
    assert (await board(store)).attempts == 1
    await unit(store).boards.shown("job:1", 2, later(20))
    assert ((await board(store)).attempts, await due(store, 99)) == (0, [])


async def test_an_older_edit_that_ends_last_is_edited_over(store: Store) -> None:
    await posted_board(store)
    for _ in range(2):
        await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await unit(store).boards.shown("job:1", 3, NOW)
    assert await due(store, 99) == []
    await unit(store).boards.shown("job:1", 2, NOW)
    assert await due(store, 0) == ["job:1"]


async def test_a_failed_edit_waits_and_counts_until_the_next_change(store: Store) -> None:
    await posted_board(store)
    await put_off(store, later(60), failed=True)
    assert await due(store, 99) == [], "it was not due: nothing to delay"
    await unit(store).boards.mark("job:1", now=NOW, progress=False)
    await put_off(store, later(60), failed=True)
    assert (await due(store, 59), (await board(store)).attempts) == ([], 1)
    await unit(store).boards.mark("job:1", now=later(5), progress=False)
    assert (await due(store, 5), (await board(store)).attempts) == (["job:1"], 0)


async def test_a_board_that_goes_elsewhere_leaves_its_thread_and_to_the_requester_its_channel(store: Store) -> None:
    await unit(store).boards.add("job:1", channel="C1", thread_ts="0.5", requester="U1")
    await unit(store).boards.go_elsewhere("job:1", direct=False)
    assert ((await board(store)).channel, (await board(store)).thread_ts) == ("C1", None)
    await unit(store).boards.go_elsewhere("job:1", direct=True)
    assert (await board(store)).channel == ""


async def shown_request(store: Store, asked: Instruction) -> tuple[str, str]:
    await unit(store).instructions.insert(asked, actor="U1")
    subjects = (f"request:{asked.id}:approvals", f"request:{asked.id}:requester")
    for number, subject in enumerate(subjects):
        await unit(store).boards.add(subject, channel="C1", thread_ts=None, requester="", instruction_id=asked.id)
        await unit(store).boards.posted(subject, channel="C1", ts=f"{number}.1", version=1, now=NOW)
    return subjects


async def test_a_change_of_a_request_is_shown_on_each_of_its_boards_and_on_no_other(store: Store) -> None:
    await posted_board(store, ts="9.9")
    asked = instruction()
    both = await shown_request(store, asked)
    changed = await unit(store).instructions.touch(asked, now=later(1), show=True)
    assert changed is not None
    assert (await due(store, 0), set(await due(store, 1))) == ([], set(both))
    for subject in both:
        await unit(store).boards.shown(subject, 2, later(1))
    await unit(store).instructions.touch(changed, now=later(2))
    assert await due(store, 99) == []


async def test_a_claimed_board_is_due_again_when_it_is_said_unless_it_was_shown(store: Store) -> None:
    await posted_board(store)
    await unit(store).boards.mark("job:1", now=NOW, progress=False, urgent=True)
    assert await unit(store).boards.claim_due(now=NOW, again_at=later(30), limit=9)
    assert (await due(store, 29), await due(store, 30)) == ([], ["job:1"])
    assert ((await board(store)).urgent, (await board(store)).progress) == (False, True)
