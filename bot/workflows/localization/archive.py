"""The archive of a batch: results are stored in the database as they arrive, and packed on disk at the end."""

import asyncio
import zipfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from bot.domain.errors import PersonError
from bot.domain.files.dropped import megabytes
from bot.domain.files.sniffing import FileKind, sniff, true_name
from bot.domain.files.together import Names
from bot.domain.localization.pieces import form_of, result_form
from bot.domain.localization.progress import (
    DOCUMENT_LANE,
    CallProgress,
    CallState,
    Order,
    ResultFile,
    batch_of,
    document_of,
)
from bot.domain.localization.request import TARGET
from bot.domain.localization.results import Emotion, Gender, Phrases, Track, Tracks, Written
from bot.domain.reasons import OfCall, Reason
from bot.presentation.files import batches as words
from bot.tables.delimited import write_csv
from bot.tables.prose import write_document
from bot.workflows.context import Context, Unit
from bot.workflows.localization.batches import problems_of
from bot.workflows.localization.spool import LARGEST_RESULT, Spool
from storage.rows import Job
from storage.transaction import Tx

MOST_BYTES: Final = 250 * 1024 * 1024
"""Largest total size of one batch's results."""
_PIECE: Final = 256 * 1024
_TABLE, _PROBLEMS = "results.csv", "problems.csv"


def batch_in(tx: Tx, job: Job) -> str:
    """Return the id of the batch that a call, or the document of a piece, belongs to; empty if none."""
    document = tx.jobs.get(document_of(job.source_key)) if document_of(job.source_key) else None
    return batch_of((document or job).source_key)


async def keep_result(ctx: Context, job: Job, delivery: ResultFile, spool: Spool | None, *, batch: str) -> None:
    """Store one file of a call's result. Raises PersonError if its batch has no room left."""
    part, number, held = delivery.track.name, 0, bytearray()
    async with AsyncExitStack() as stack:
        chunks: AsyncIterator[bytes]
        if not delivery.track.url and spool is not None:
            chunks = spool.chunks()
        else:
            opened = ctx.localization.results.open(delivery.track.url, service="localization", limit=LARGEST_RESULT)
            chunks = await stack.enter_async_context(opened)
        async for chunk in chunks:
            held += chunk
            while len(held) >= _PIECE:
                await _keep(ctx, job, part, number, bytes(held[:_PIECE]), batch=batch)
                del held[:_PIECE]
                number += 1
    await _keep(ctx, job, part, number, bytes(held), batch=batch)


async def _keep(ctx: Context, job: Job, part: str, number: int, piece: bytes, *, batch: str) -> None:
    def work(uow: Unit) -> bool:
        if number == 0:  # an earlier attempt may have been cut off
            uow.results.drop_file(job.id, part=part)
        if uow.results.size(batch) + len(piece) > MOST_BYTES:
            uow.results.drop_file(job.id, part=part)
            return False
        uow.results.add(job.id, part=part, n=number, content=piece)
        return True

    if not await ctx.write(work, name="keep_result", wakes=False):
        reason = Reason(OfCall.ARCHIVE_FULL, most=megabytes(MOST_BYTES))
        raise PersonError(argument="file", rule=reason, example="")


async def pack(ctx: Context, batch: Job) -> Spool:
    """Pack the archive on disk: the result of each call, named after its file, and a table of failures with reasons."""
    calls, problems = await ctx.read(lambda uow: (uow.jobs.pieces(batch), problems_of(uow, batch)))
    names, rows, spool = Names(), list[tuple[str, ...]](), Spool()
    names.take(_TABLE)
    names.take(_PROBLEMS)
    file = await spool.begin()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for call in calls:
            if call.state == CallState.DONE:
                rows += await _pack_one(ctx, archive, names, call)
        if rows:
            _put(archive, _TABLE, write_csv(words.RESULT_COLUMNS, rows))
        if problems:
            _put(archive, _PROBLEMS, write_csv(words.PROBLEM_COLUMNS, map(words.problem_row, problems)))
    spool.size = await asyncio.to_thread(file.tell)
    return spool


async def _pack_one(ctx: Context, archive: zipfile.ZipFile, names: Names, call: Job) -> list[tuple[str, ...]]:
    """Add the result of one call to the archive; return a table row instead if the result is a finding."""
    order, result = Order.read(call.payload), CallProgress.read(call.detail).result
    stem = PurePosixPath(order.file_name).stem or order.request.capability.verb
    match result:
        case Gender() | Emotion() as found:
            return [(order.file_name, *words.finding(found))]
        case Written(text=text):
            operation, form = order.request.operation, form_of(order.file_name)
            ending = result_form(operation, form) if call.kind == DOCUMENT_LANE else "txt"
            target = order.request.options.get(TARGET, "")
            content = await asyncio.to_thread(write_document, text) if ending == "docx" else text.encode()
            _put(archive, names.take(f"{stem}-{target}.{ending}" if target else f"{stem}.{ending}"), content)
        case Phrases(sentences=sentences):
            said = "".join(f"{number}. {one}\n" for number, one in enumerate(sentences, 1))
            _put(archive, names.take(f"{stem}.txt"), said.encode())
        case Tracks() as tracks:
            for made, track, name in await ctx.read(lambda uow: _files_of(uow, call, tracks, stem)):
                await _copy(ctx, archive, names, made, track, name)
        case None:
            pass
    return []


def _files_of(tx: Tx, call: Job, tracks: Tracks, stem: str) -> list[tuple[str, str, str]]:
    """Return for each file of a result: the id of the job that stored it, its part, its name in the archive."""
    if call.kind != DOCUMENT_LANE:
        several = len(tracks.tracks) > 1
        return [
            (call.id, one.name, f"{stem}-{one.name}.{one.extension}" if several else f"{stem}.{one.extension}")
            for one in tracks.tracks
        ]
    done = [one for one in tx.jobs.pieces(call) if one.state == CallState.DONE]
    pieces = [(one, CallProgress.read(one.detail).result) for one in done]
    made: list[tuple[Job, Track]] = [
        (one, track) for one, result in pieces if isinstance(result, Tracks) for track in result.tracks
    ]
    return [
        (one.id, track.name, f"{stem}-{number}.{track.extension}" if len(made) > 1 else f"{stem}.{track.extension}")
        for number, (one, track) in enumerate(made, 1)
    ]


async def _copy(ctx: Context, archive: zipfile.ZipFile, names: Names, job_id: str, part: str, name: str) -> None:
    number, target = 0, None
    try:
        while (piece := await ctx.read(partial(_piece, job_id=job_id, part=part, n=number))) is not None:
            if target is None:
                found = sniff(piece, name)
                true = true_name(name, found.format if found.kind is FileKind.AUDIO else "")
                target = archive.open(names.take(true), "w", force_zip64=True)
            await asyncio.to_thread(target.write, piece)
            number += 1
    finally:
        if target is not None:
            target.close()


def _piece(tx: Tx, *, job_id: str, part: str, n: int) -> bytes | None:
    return tx.results.piece(job_id, part=part, n=n)


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(name, content, compress_type=zipfile.ZIP_DEFLATED)
