"""Files as the service gets them: a plain name, and the content type of the format."""

from typing import Final

from bot.clients.multipart import Source, Upload

_TYPES: Final = {
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "aiff": "audio/aiff",
    "m4a": "audio/mp4",
    "aac": "audio/aac",
    "opus": "audio/ogg",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "mkv": "video/x-matroska",
    "webm": "video/webm",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "avi": "video/x-msvideo",
    "flv": "video/x-flv",
    "m4v": "video/x-m4v",
    "pdf": "application/pdf",
    "txt": "text/plain",
    "html": "text/html",
    "png": "image/png",
    "jpeg": "image/jpeg",
}


def upload_as(extension: str, *, size: int, source: Source) -> Upload:
    """A file of this format.

    Args:
        extension: as the operations name formats, e.g. ``mp3``; empty when unknown.
        size: bytes, exactly.
        source: begins reading it.
    """
    content_type = _TYPES.get(extension, "application/octet-stream")
    return Upload(name=f"file.{extension or 'bin'}", content_type=content_type, size=size, source=source)
