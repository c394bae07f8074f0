"""Lists put into the database as they are, without a file."""

from typing import Any

from bot.domain.emails.lists import RUN, RunState
from bot.workflows.context import Unit
from bot.workflows.slack.boards import post_board
from storage.rows import Job
from storage.transaction import Tx
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import read

_PAYLOAD = {"file": "F1", "name": "a.csv", "column": 0, "column_name": "email", "concurrency": 1}


async def job(rig: Rig, **changes: Any) -> Job:
    """A list that is being prepared, with its board."""
    now = rig.clock.now()
    values: dict[str, Any] = {
        "id": "J1", "kind": RUN, "state": RunState.PREPARING, "payload": _PAYLOAD, "detail": {},
        "requester": MARIA, "channel": FINANCE, "thread_ts": None, "source_key": "J1", "created_at": now,
        "due_at": None, "lease_owner": "", "lease_until": None,
    }  # fmt: skip
    one = Job(**{**values, **changes})

    def store(tx: Tx) -> None:
        assert tx.jobs.add(one)
        post_board(Unit(tx, now=now), subject=f"email:{one.id}", channel=FINANCE, thread_ts=None, requester=MARIA)

    await rig.switchboard.context.store.write(store)
    return one


async def stored(rig: Rig, one: Job) -> Job:
    found = await read(rig, lambda tx: tx.jobs.get(one.id))
    assert found is not None
    return found
