"""Reading a multipart form without holding its files in memory."""

from pathlib import Path

from aiohttp import BodyPartReader, MultipartReader, web

from bot.playground.simulators.localization.records import Form, InvalidError, Part

_FIELD_LIMIT = 1 << 20
_CHUNK = 1 << 18


async def read_form(request: web.Request, directory: Path) -> Form:
    """The form of a request, its files written into ``directory``.

    Raises:
        InvalidError: it is no multipart form, or a field is larger than any text.
    """
    if request.content_type != "multipart/form-data":
        raise InvalidError("Content-Type", "must be multipart/form-data", status=415)
    fields: dict[str, str] = {}
    files: dict[str, Part] = {}
    repeated: list[str] = []
    reader = await request.multipart()
    while (part := await reader.next()) is not None:
        if isinstance(part, MultipartReader):
            raise InvalidError("body", "forms in forms are not supported", status=400)
        name = part.name or ""
        if name in fields or name in files:
            repeated.append(name)
        if part.filename is None:
            fields[name] = await _text(part)
        else:
            files[name] = await _file(part, directory / f"upload-{len(files)}")
    return Form(fields=fields, files=files, repeated=tuple(repeated))


async def _text(part: BodyPartReader) -> str:
    read = bytearray()
    while chunk := await part.read_chunk(_CHUNK):
        read += chunk
        if len(read) > _FIELD_LIMIT:
            raise InvalidError(part.name or "", "is too long", status=413)
    return read.decode("utf-8", "replace")


async def _file(part: BodyPartReader, path: Path) -> Part:
    size = 0
    with path.open("wb") as file:
        while chunk := await part.read_chunk(_CHUNK):
            size += len(chunk)
            file.write(chunk)
    return Part(
        filename=part.filename or "",
        content_type=part.headers.get("Content-Type", ""),
        size=size,
        path=path,
    )
