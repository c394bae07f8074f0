import asyncio

import pytest

from bot.playground.console.feed import Feed, GapError, Note


def test_a_reader_gets_what_came_after_its_position() -> None:
    feed = Feed()
    start = feed.position
    feed.add(Note(kind="message", ts="1"))
    middle = feed.position
    feed.add(Note(kind="message", ts="2"))
    assert [note.ts for _, note in feed.since(start)] == ["1", "2"]
    assert [note.ts for _, note in feed.since(middle)] == ["2"]
    assert feed.since(feed.position) == []


def test_each_note_names_the_position_it_leads_to() -> None:
    feed = Feed()
    start = feed.position
    for ts in "abc":
        feed.add(Note(kind="message", ts=ts))
    [(reached, _), *_] = feed.since(start)
    assert [note.ts for _, note in feed.since(reached)] == ["b", "c"]


def test_who_is_too_far_behind_is_told_so() -> None:
    feed = Feed(kept=2)
    start = feed.position
    for ts in "ab":
        feed.add(Note(kind="message", ts=ts))
    assert len(feed.since(start)) == 2
    feed.add(Note(kind="message", ts="c"))
    with pytest.raises(GapError):
        feed.since(start)


@pytest.mark.parametrize("position", ["", "nonsense", "-3", "00000000-0", "{run}-x", "{run}-99"])
def test_a_position_of_another_run_is_a_gap(position: str) -> None:
    feed = Feed()
    with pytest.raises(GapError):
        feed.since(position.replace("{run}", feed.run))


async def test_waiting_ends_with_the_next_note_and_with_the_feed() -> None:
    feed = Feed()
    waiting = asyncio.create_task(feed.more(feed.position))
    await asyncio.sleep(0)
    assert not waiting.done()
    feed.add(Note(kind="home"))
    await asyncio.wait_for(waiting, 1)
    last = asyncio.create_task(feed.more(feed.position))
    await asyncio.sleep(0)
    feed.close()
    await asyncio.wait_for(last, 1)
    assert feed.closed
