"""An event that could not be stored is not acknowledged, whichever way it came, so that Slack sends it again."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.playground.workspace import payloads
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import read

UNSTORED = "a request could not be stored"


@pytest.fixture(params=[False, True], ids=["http", "socket"])
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"socket_mode": request.param}


@contextmanager
def locked(sqlite_url: str) -> Iterator[None]:
    with closing(sqlite3.connect(sqlite_url.partition("///")[2], isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        yield
        shell.execute("ROLLBACK")


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
