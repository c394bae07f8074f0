"""Lists of e-mail addresses that Maria gives to be processed."""

from collections.abc import Iterable

from bot.workflows.emails.lists import request_list
from storage.rows import Job
from tests.support.rig import FINANCE, MARIA, Rig


async def requested(
    rig: Rig,
    *,
    addresses: Iterable[str] = ("ana@example.com",),
    name: str = "p",
    whole: bool = False,
    concurrency: int = 1,
) -> Job:
    """The job of a list with these addresses; it has begun to run once the rig settles."""
    content = "".join(f"{line}\r\n" for line in ("email", *addresses)).encode()
    await request_list(
        rig.switchboard.context,
        by=MARIA,
        channel=FINANCE,
        thread_ts=None,
        file_id=rig.workspace.upload(MARIA, f"{name}.csv", content),
        file_name=f"{name}.csv",
        column=0,
        column_name="email",
        whole=whole,
        concurrency=concurrency,
        source_key=f"test:{name}",
    )
    job = await rig.switchboard.context.store.read(lambda tx: tx.jobs.by_source(f"test:{name}"))
    assert job is not None
    return job
