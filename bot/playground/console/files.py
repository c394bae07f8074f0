"""Files on the page: previews, downloads and uploads."""

import codecs
import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from aiohttp import web

from bot.playground.console.guard import HEADERS
from bot.playground.workspace import ImpossibleAct, Workspace
from bot.playground.workspace.files import StoredFile

Json = dict[str, Any]

_CHUNK = 256 * 1024
_KILO = 1024
_ROWS, _COLUMNS, _CELL = 6, 6, 40
_PEEK = 8 * 1024
_RANGE = re.compile(r"bytes=(\d*)-(\d*)")
_PICTURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_SOUNDS = ((b"fLaC", "audio/flac"), (b"OggS", "audio/ogg"), (b"ID3", "audio/mpeg"))
_BRANDS = {b"M4A ": "audio/mp4", b"avif": "image/avif", b"avis": "image/avif"} | dict.fromkeys(
    (b"mif1", b"msf1", b"heic", b"heix", b"hevc"),
    "",  # pictures that a browser may not draw
)
_EBML = b"\x1aE\xdf\xa3"
_OCTETS = "application/octet-stream"
_MOST_SECONDS_MS = 100 * 3600 * 1000


def media_type(file: StoredFile) -> str:
    """Media type of a raster image, audio or video by its first bytes; empty for anything else.

    Formats that can carry scripts get no type.
    """
    head = file.blob.read(0, 16)
    for start, kind in (*_PICTURES, *_SOUNDS):
        if head.startswith(start):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return "audio/wav"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "video/mp4")
    if head.startswith(_EBML):
        return "video/webm"
    is_frame = head[:1] == b"\xff" and len(head) > 1 and head[1] & 0xE6 == 0xE2  # noqa: PLR2004 - layer III
    return "audio/mpeg" if is_frame else ""


def shown(file: StoredFile) -> Json:
    """A file as the page draws it. ``preview`` is picture, audio, video, table or empty."""
    if file.odd == "deleted":
        return {"id": file.id, "name": "This file was deleted.", "size": "", "url": "", "picture": None, "gone": True}
    kind = media_type(file)
    preview = {"image": "picture", "audio": "audio", "video": "video"}.get(kind.partition("/")[0], "")
    rows = [] if preview else table_of(file)
    return {
        "id": file.id,
        "name": file.name,
        "size": size(file.size),
        "url": f"/console/files/{file.id}",
        "picture": (file.alt_text or file.title) if preview == "picture" else None,
        "preview": preview or ("table" if rows else ""),
        "rows": rows,
    }


def table_of(file: StoredFile) -> list[list[str]]:
    """The first rows of a CSV file with long cells cut; empty for other files."""
    if file.filetype not in ("csv", "tsv"):
        return []
    head = file.blob.read(0, _PEEK)
    text = _decoded(head)
    if "\0" in text:
        return []
    lines = text.splitlines()[: _ROWS + 1]
    try:
        rows = list(csv.reader(lines, delimiter=_separator(lines)))
    except csv.Error:
        return []
    return [[_cut(cell) for cell in row[:_COLUMNS]] for row in rows[:_ROWS] if row]


def _decoded(head: bytes) -> str:
    """UTF-16 by its mark, else UTF-8, else the usual encoding of Windows."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", errors="replace")
    with suppress(UnicodeDecodeError):
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)  # the last letter may be cut
    return head.decode("cp1252", errors="replace")


def _separator(lines: Sequence[str]) -> str:
    """The separator that gives the first rows the same number of cells, and more than one."""
    found = {mark: [line.count(mark) for line in lines if line] for mark in ",;\t|"}
    return max(found, key=lambda mark: (len(set(found[mark])) == 1 and found[mark][0] > 0, sum(found[mark][:1])))


def size(count: int) -> str:
    """A size in readable units, in steps of 1024."""
    if count < _KILO:
        return f"{count} B"
    return f"{count / _KILO:.1f} KB" if count < _KILO * _KILO else f"{count / _KILO / _KILO:.1f} MB"


def _cut(cell: str) -> str:
    return cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…"


class FileDesk:
    """The two routes for files: bytes out, bytes in."""

    def __init__(self, *, workspace: Workspace) -> None:
        self._workspace = workspace

    async def hand_out(self, request: web.Request) -> web.StreamResponse:
        """Send a file or a range of it, always as a download: its content never runs as a page of this origin."""
        file = self._workspace.file(request.match_info["file"])
        if file is None or not file.complete or file.odd:
            raise web.HTTPNotFound
        start, end = _range(request.headers.get("Range", ""), file.blob.size)
        partly = (start, end) != (0, file.blob.size)
        response = web.StreamResponse(status=206 if partly else 200, headers=HEADERS)
        response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(file.name)}"
        response.headers["Accept-Ranges"] = "bytes"
        if partly:
            response.headers["Content-Range"] = f"bytes {start}-{end - 1}/{file.blob.size}"
        response.content_type = media_type(file) or _OCTETS
        response.content_length = end - start
        await response.prepare(request)
        with suppress(ConnectionError):  # players close the connection when they have enough
            for chunk in file.blob.chunks(start, end):
                await response.write(chunk)
        return response

    async def take_in(self, request: web.Request) -> web.Response:
        """Store an uploaded file that is not shared yet; answers ``{"id", "name", "size"}``."""
        query = request.query
        user, name = query.get("as", ""), query.get("name", "")
        if not name or request.content_type != _OCTETS:
            return _answer(400, {"error": "name: the name of the file is missing, or its bytes are."})
        try:
            chunks = request.content.iter_chunked(_CHUNK)
            file_id = await self._workspace.upload_stream(user, name, chunks, mimetype=query.get("type", ""))
            length = query.get("ms", "")
            if length.isdecimal() and 0 < int(length) <= _MOST_SECONDS_MS:
                self._workspace.set_file(file_id, duration_ms=int(length))
        except ImpossibleAct as problem:
            return _answer(409, {"error": f"That isn't possible here: {problem}."})
        file = self._workspace.file(file_id)
        if file is None:
            raise LookupError(file_id)
        return _answer(200, {"id": file.id, "name": file.name, "size": size(file.size), "bytes": file.size})


def _range(asked: str, whole: int) -> tuple[int, int]:
    """Requested byte range as start and end; the whole file without a readable range."""
    match = _RANGE.fullmatch(asked.strip())
    if match is None or not (match[1] or match[2]):
        return 0, whole
    if not match[1]:
        return max(whole - int(match[2]), 0), whole
    start, end = int(match[1]), int(match[2]) + 1 if match[2] else whole
    return (start, min(end, whole)) if start < min(end, whole) else (0, whole)


def _answer(status: int, body: Json) -> web.Response:
    return web.json_response(body, status=status, headers=HEADERS)
