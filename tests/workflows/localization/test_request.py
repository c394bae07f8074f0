"""Calls that are asked for: stored once, in their place of the queue, repeated once."""

from typing import Any

import pytest

from bot.domain.errors import PersonError
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallState, CallView
from bot.domain.localization.request import Request
from bot.workflows.localization.request import make_sure_of_room, request_call
from storage.errors import CommitUnknown
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.workflows.looking import read, there
from tests.workflows.stumbling import stumble

SOUND = Request(operation=CallOperation.SEPARATION, file="F1").complete()


async def asked(ctx: Any, number: int, by: str = MARIA) -> CallView:
    return await request_call(ctx, SOUND, by=by, channel=FINANCE, source_key=f"call:{number}")


async def test_call_with_an_unconfirmed_commit_is_looked_up(rig: Rig) -> None:
    stumbling = stumble(rig, "localize", CommitUnknown("the connection broke"))
    seen = await asked(rig.switchboard.context, 1)
    assert not stumbling.errors
    job = there(await read(rig, lambda tx: tx.jobs.by_source("call:1")))
    assert (seen.id, seen.state) == (job.id, CallState.WAITING)


async def test_person_may_have_twenty_open_calls(rig: Rig) -> None:
    ctx = rig.switchboard.context
    for n in range(18):
        await asked(ctx, n)
    await make_sure_of_room(ctx, MARIA, [SOUND, SOUND])
    with pytest.raises(PersonError):
        await make_sure_of_room(ctx, MARIA, [SOUND, SOUND, SOUND])
    for n in (18, 19):
        await asked(ctx, n)
    with pytest.raises(PersonError):
        await asked(ctx, 20)
    again = await asked(ctx, 3)
    assert again.id == (await asked(ctx, 3)).id, "what was stored needs no room"
    assert (await asked(ctx, 21, ADA)).state is CallState.WAITING
