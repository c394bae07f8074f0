"""Slack's events about files: which are uploads of people, and that none is lost where it could not be stored."""

import asyncio
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from bot.playground.workspace import payloads
from bot.workflows.context import Context
from handlers import files
from handlers.router import Dependencies
from tests.support.databases import locked
from tests.support.replaced import replaced
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import read

FILE = {"id": "F1", "mode": "hosted"}


def message(**changes: Any) -> dict[str, Any]:
    event = {"type": "message", "user": "U0MARIA", "channel": "C1", "ts": "1.5", "files": [FILE], **changes}
    return {name: value for name, value in event.items() if value is not None}


class OnlyItself:
    """A context without a store: who asks it for one fails."""

    bot_user = "U0BOT"


DEPS = Dependencies(ctx=cast("Context", OnlyItself()), messenger=None, ephemerals=None, allowance=None, homes=None)  # type: ignore[arg-type]


async def heard(**changes: Any) -> list[tuple[str, str, str]]:
    """File, message and thread of each hint that is stored."""
    found: list[tuple[str, str, str]] = []

    async def notice(_ctx: Context, seen: list[str], *, message_ts: str, thread_ts: str, **where: str) -> None:
        assert where == {"channel": "C1", "user": "U0MARIA"}
        found.extend((one, message_ts, thread_ts) for one in seen)

    async def pass_over(_ctx: Context, seen: tuple[str, ...], **_: str) -> None:
        assert seen == ("F1",)

    with replaced(files, "notice", notice), replaced(files, "pass_over", pass_over):
        await files.said(DEPS, {"event": message(**changes)})
    return found


@pytest.mark.parametrize("subtype", [None, "", "file_share", "thread_broadcast", "me_message"])
async def test_what_people_say_is_heard(subtype: str | None) -> None:
    assert await heard(subtype=subtype) == [("F1", "1.5", "")]


@pytest.mark.parametrize("changes", [
    {"subtype": "message_changed"}, {"subtype": "bot_message"}, {"bot_id": "B1"}, {"user": None}, {"user": "U0BOT"},
    {"files": []}, {"files": None},
])  # fmt: skip
async def test_what_is_no_upload_of_a_person_is_not(changes: dict[str, Any]) -> None:
    assert await heard(**changes) == []


async def test_each_file_of_a_message_in_its_thread() -> None:
    found = await heard(files=[FILE, {**FILE, "id": "F2"}], thread_ts="1.2", ts=1.5)
    assert found == [("F1", "1.5", "1.2"), ("F2", "1.5", "1.2")]


async def test_what_holds_no_file_asks_the_database_nothing() -> None:
    await files.said(DEPS, {"event": message(files=None)})
    await files.shared(DEPS, {"event": {"file_id": "F1", "channel_id": "C1", "user_id": "U0BOT"}})
    await files.shared(DEPS, {"event": {"file_id": "F1", "user_id": "U0MARIA"}})
    await files.shared(DEPS, {"event": {"channel_id": "C1", "user_id": "U0MARIA"}})
    await files.deleted(DEPS, {"event": {}})
    with pytest.raises(AttributeError):
        await files.said(DEPS, {"event": message()})
    with pytest.raises(AttributeError):
        await files.shared(DEPS, {"event": {"file": {"id": "F1"}, "channel_id": "C1", "user_id": "U0MARIA"}})
    with pytest.raises(AttributeError):
        await files.deleted(DEPS, {"event": {"file_id": "F1"}})


UNSTORED = "a request could not be stored"


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
