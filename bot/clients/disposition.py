"""What an answer calls the file that it holds: its Content-Disposition (RFC 6266), as aiohttp reads it."""

import warnings
from pathlib import PurePosixPath

from aiohttp import content_disposition_filename, parse_content_disposition


def announced_name(header: str) -> str:
    """The file name in the header, without folders; empty: there is none, or it cannot be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that break the rules; a name is not missed
        _, parameters = parse_content_disposition(header)
        name = content_disposition_filename(parameters) or ""
    return PurePosixPath(name.replace("\\", "/")).name.strip()
