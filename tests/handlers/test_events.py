"""Slack's events about files: which are uploads of people, and that none is lost where it could not be stored."""

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.playground.workspace import payloads
from storage.rows import DropState
from tests.support.databases import locked
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import read


@pytest.mark.parametrize(("changes", "is_noticed"), [
    ({}, True), ({"subtype": "file_share", "thread_ts": "1.2"}, True), ({"subtype": "thread_broadcast"}, True),
    ({"subtype": "me_message"}, True), ({"subtype": "message_changed"}, False), ({"subtype": "bot_message"}, False),
    ({"bot_id": "B1"}, False), ({"user": None}, False), ({"user": "U0BOT"}, False),
])  # fmt: skip
async def test_only_uploads_of_people_are_noticed(rig: Rig, changes: dict[str, Any], is_noticed: bool) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", b"RIFF....WAVE", tell=())
    told = payloads.message_event(rig.workspace._state, rig.workspace.channel(FINANCE), dropped) | changes
    assert (await rig.workspace.send_event({name: value for name, value in told.items() if value is not None})).ok
    found = await read(rig, lambda tx: tx.dropped.get(dropped.files[0]))
    assert (found is not None and found.state is not DropState.QUIET) is is_noticed
    if found is not None:
        assert (found.message_ts, found.thread_ts) == (dropped.ts, changes.get("thread_ts", dropped.ts))


UNSTORED = "request not stored"


@pytest.fixture(params=[False, True], ids=["http", "socket"])
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"socket_mode": request.param}


async def test_no_event_of_an_upload_is_lost_to_a_locked_database(rig: Rig, sqlite_url: str) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", b"RIFF....WAVE", tell=())
    place, file = rig.workspace.channel(FINANCE), dropped.files[0]
    events = {
        "Ev1": payloads.message_event(rig.workspace._state, place, dropped),
        "Ev2": payloads.file_shared(rig.workspace._state, place, file, MARIA),
    }
    with locked(sqlite_url), capture_logs() as logs:
        sent = [asyncio.create_task(rig.workspace.send_event(event, event_id=name)) for name, event in events.items()]
        while len([line for line in logs if line["event"] == UNSTORED]) < len(events):  # noqa: ASYNC110 - a line of the log wakes nobody
            await asyncio.sleep(0.01)
        # What there was to be said to the two has been said when this is answered.
        assert (await rig.workspace.send_event({"type": "team_join", "user": MARIA})).status == 200
    assert not [one for one in sent if one.done() and one.result().ok]
    for one in sent:
        one.cancel()
    assert await read(rig, lambda tx: tx.dropped.get(file)) is None
    for name, event in events.items():
        assert (await rig.workspace.send_event(event, event_id=name, retry=1)).status == 200
    assert await read(rig, lambda tx: tx.dropped.get(file)) is not None
