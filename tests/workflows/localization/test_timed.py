"""A film that nobody timed when it was asked for is timed by its own header before it is sent."""

import struct
from pathlib import Path

import pytest

from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallProgress, CallState
from bot.domain.localization.request import Request
from bot.presentation.reasons import worded
from bot.workflows.localization.request import request_call
from tests.support import media
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import read


def film(directory: Path, seconds: int) -> bytes:
    content = media.make(directory, "mkv").read_bytes()
    at = content.index(b"\x44\x89\x88") + 3
    return content[:at] + struct.pack(">d", seconds * 1_000) + content[at + 8 :]


@pytest.mark.parametrize(("seconds", "state", "sent"), [(601, CallState.FAILED, 0), (600, CallState.DONE, 1)])
async def test_more_than_600_seconds_are_not_sent(
    rig: Rig, tmp_path: Path, seconds: int, state: CallState, sent: int
) -> None:
    file = rig.workspace.upload(MARIA, "film.mkv", film(tmp_path, seconds))
    request = Request(operation=CallOperation.AUDIO_EXTRACTION, file=file)
    ctx = rig.switchboard.context
    sight = await request_call(ctx, request, by=MARIA, channel=FINANCE, source_key="k", file_name="film.mkv")
    await rig.settle()
    job = await read(rig, lambda tx: tx.jobs.get(sight.id))
    assert job is not None
    assert (job.state, len(rig.localization.calls)) == (state, sent)
    if not sent:
        told = worded(CallProgress.read(job.detail).reason)
        assert told.startswith("It must be at most 600 seconds long; this has 601"), told
