"""A button of an offer pressed twice at once begins one call, whichever process hears of the second press."""

import asyncio
from pathlib import Path

import pytest

from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import MEDIA_LANE, TEXT_LANE, CallView
from bot.domain.localization.request import Request
from bot.workflows.context import Context
from bot.workflows.localization.request import cancel, request_call
from storage.rows import Job
from tests.flow.localizing import Localizer
from tests.support import media
from tests.support.clock import ManualClock
from tests.support.rig import ADA, FINANCE, MARIA, Rig

pytestmark = pytest.mark.rig(on="both")


async def stored(rig: Rig, *people: str) -> list[Job]:
    context = rig.switchboard.context
    since = context.clock.now().replace(year=2000)
    return await context.store.read(
        lambda tx: [
            job
            for person in people or (MARIA,)
            for lane in (MEDIA_LANE, TEXT_LANE)
            for job in tx.jobs.lately(person, lane, since=since)
        ]
    )


async def pressed(
    ctx: Context, click: str, *, person: str = MARIA, file: str = "F1", thread: str = "1.000001"
) -> CallView:
    return await request_call(
        ctx,
        Request(operation=CallOperation.GENDER, file=file, file_format="mp3", seconds=1.5),
        file_name="a.mp3",
        by=person,
        channel=FINANCE,
        thread_ts=thread,
        source_key=f"click:{click}",
        pressed=True,
    )


async def test_second_press_after_a_restart_is_answered(rig: Rig, tmp_path: Path) -> None:
    maria = Localizer(rig)
    sample = media.make(tmp_path, "mp3")
    dropped = await rig.workspace.drop(MARIA, FINANCE, sample.name, sample)
    await rig.settle()
    await maria.choose("Detect gender", file=dropped)
    await rig.start_again()
    rig.clock.advance(3)
    await maria.choose("Detect gender", file=dropped)
    assert len(await stored(rig)) == 1
    await maria.choose("Separate vocals and music", file=dropped)
    assert len(await stored(rig)) == 2
    rig.clock.advance(3)
    await maria.choose("Detect gender", file=dropped)
    assert len(await stored(rig)) == 3


@pytest.mark.postgres
async def test_two_processes_hear_of_one_press_each(postgres_url: str) -> None:
    clock = ManualClock()
    here = await Rig.open(database_url=postgres_url, clock=clock)
    there = await Rig.open(database_url=postgres_url, clock=clock)
    try:
        contexts = [here.switchboard.context, there.switchboard.context] * 3
        seen = await asyncio.gather(*(pressed(ctx, str(number)) for number, ctx in enumerate(contexts)))
        assert len({one.id for one in seen}) == 1
        assert len(await stored(there)) == 1
    finally:
        await there.close()
        await here.close()


@pytest.mark.parametrize("other", [{"person": ADA}, {"file": "F2"}, {"thread": "2.000002"}])
async def test_different_request_is_not_a_duplicate(rig: Rig, other: dict[str, str]) -> None:
    await pressed(rig.switchboard.context, "1")
    await pressed(rig.switchboard.context, "2", **other)
    assert len(await stored(rig, MARIA, ADA)) == 2


async def test_press_after_cancellation_makes_a_new_call(rig: Rig) -> None:
    context = rig.switchboard.context
    first = await pressed(context, "1")
    await cancel(context, first.id, person=MARIA)
    second = await pressed(context, "2")
    assert second.id != first.id
    assert (await pressed(context, "1")).id == first.id, "the very same click still is the same"


async def test_two_commands_are_two_wishes(maria: Localizer) -> None:
    for _ in range(2):
        await maria.type("paraphrase The meeting was moved to Friday because the room was taken.")
    assert len(await stored(maria.rig)) == 2
