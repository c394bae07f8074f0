"""The board of a list, its thread, and the result file: rows unchanged, in their order, each with its answer."""

import asyncio
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from types import MappingProxyType

from bot.domain.content import Content
from bot.domain.emails.lists import WHOLE, Answer, ListProgress, Outcome, RunCount, RunState
from bot.domain.reasons import Reason
from bot.presentation import emails
from bot.presentation.emails import result_cells, result_header
from bot.tables.delimited import write_csv
from bot.workflows.context import Attachment, Context, Subject
from bot.workflows.emails.lists import NOBODY, ROWS, stem
from bot.workflows.emails.run import RESULT
from storage.transaction import Tx

_COLUMNS = 1_000
"""Most answer columns: a service with new field names per answer would fill any sheet. Other fields share a column."""


def result_file(header: Sequence[str], blocks: Sequence[bytes], stored: Mapping[int, str]) -> bytes:
    """Return the CSV of all rows. ``blocks`` are from ``prepare``; ``stored`` is by address number. Run in a thread."""
    answers = {number: Answer.read(json.loads(said)) for number, said in stored.items()}
    every = list(dict.fromkeys(name for answer in answers.values() for name, _ in answer.pairs))
    names, shared = every[:_COLUMNS], frozenset(every[_COLUMNS:])
    cells = {number: result_cells(answer, names, shared) for number, answer in answers.items()}
    cells[NOBODY] = result_cells(Answer(outcome=Outcome.NO_ADDRESS), names, shared)
    otherwise = result_cells(Answer(outcome=Outcome.NOT_ASKED), names, shared)
    unpacked = (json.loads(zlib.decompress(block)) for block in blocks)
    rows = ((*row, *cells.get(number, otherwise)) for number, row in chain.from_iterable(unpacked))
    return write_csv(result_header(header, names, shared), rows)


class EmailList(Subject):
    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - the protocol's name
        found = await ctx.read(lambda uow: progress_of(uow, id))
        return None if found is None else emails.board(found, await ctx.people.names([found.requester]))

    async def part(self, ctx: Context, id: str) -> Content | None:  # noqa: A002
        found = await ctx.read(lambda uow: progress_of(uow, id))
        return None if found is None else emails.board(found, await ctx.people.names([found.requester]), named=False)

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        """Return a line with the state when it was queued; the board may already show a later one."""
        found = await ctx.read(lambda uow: progress_of(uow, id))
        if found is None:
            return None
        return emails.news(replace(found, state=RunState(str(payload["state"])), reason=Reason.read(payload["reason"])))

    async def file(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Attachment | None:  # noqa: A002, ARG002
        found, job = await ctx.read(lambda uow: (progress_of(uow, id), uow.jobs.get(id)))
        if found is None or job is None:
            return None
        name, content = str(job.detail.get("result") or ""), b""
        if found.whole:
            content = b"".join(await ctx.read(lambda uow: list(uow.emails.blocks(id, part=RESULT))))
        else:
            run, blocks, stored = await ctx.read(
                lambda uow: (uow.emails.get(id), list(uow.emails.blocks(id, part=ROWS)), uow.emails.answers(id))
            )
            if run is not None and blocks:
                content = await asyncio.to_thread(result_file, run.header, blocks, stored)
        if not content:
            return None
        # The name must be unique in this thread, so that the file can be found by it.
        unique = id[-6:].lower()
        title = f"{stem(found.file)}-results-{unique}.csv"
        if name:
            first, dot, extension = name.rpartition(".")
            title = f"{first or name}-{unique}{dot}{extension if first else ''}"
        alt, comment = emails.about_result(found)
        return Attachment(name=title, content=content, title=title, alt=alt, comment=comment)


def progress_of(tx: Tx, job_id: str) -> ListProgress | None:
    job = tx.jobs.get(job_id)
    if job is None:
        return None
    count, run = RunCount(), tx.emails.get(job_id)
    if run is not None:
        sizes = {name: getattr(run, name) for name in ("total", "taken", "rows", "skipped", "repeated")}
        outcomes = MappingProxyType({Outcome(outcome): count for outcome, count in run.outcomes.items()})
        count = RunCount(**sizes, outcomes=outcomes)
    return ListProgress(
        id=job.id,
        state=RunState(job.state),
        file=str(job.payload["name"]),
        column=str(job.payload["column_name"]),
        whole=job.kind == WHOLE,
        requester=job.requester,
        concurrency=int(job.payload["concurrency"]),
        count=count,
        reason=Reason.read(job.detail.get("reason")),
        receipt=str(job.detail.get("receipt") or ""),
        said=tuple((str(name), str(value)) for name, value in job.detail.get("said") or ()),
    )
