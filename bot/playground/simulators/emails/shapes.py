"""Verdicts about addresses, and the many possible shapes of an answer.

No answer of the real one is documented, so the simulator can speak several dialects; none is more right than another.
"""

import csv
import io
import zlib
from collections.abc import Mapping, Sequence
from enum import StrEnum

from bot.playground.simulators.exchange import Answer

_WORDS = ("deliverable", "risky", "undeliverable", "unknown")


class Shape(StrEnum):
    """Of an answer about one address."""

    STATUS = "status"
    NESTED = "nested"
    STATE = "state"
    CODED = "coded"
    TEXT = "text"
    CSV = "csv"
    LIST = "list"
    DEEP = "deep"


class FileShape(StrEnum):
    """Of an answer to a whole file."""

    CSV = "csv"
    ATTACHMENT = "attachment"
    ARRAY = "array"
    WRAPPED = "wrapped"
    URL = "url"
    RECEIPT = "receipt"
    FIELDS = "fields"
    TEXT = "text"


def verdict(address: str) -> str:
    """Verdict about an address, always the same: by its name, else by a hash."""
    local, _, domain = address.lower().rpartition("@")
    if not local or "." not in domain:
        return "undeliverable"
    for word, meant in (("bounce", "undeliverable"), ("info", "risky"), ("slow", "unknown")):
        if local.startswith(word):
            return meant
    return _WORDS[(zlib.crc32(address.encode()) % 10) // 7]


def facts(address: str) -> dict[str, object]:
    """Further fields about an address."""
    local, _, domain = address.rpartition("@")
    return {
        "email": address,
        "domain": domain,
        "role": local.split("+")[0] in ("info", "sales", "admin", "office"),
        "score": round((zlib.crc32(address.encode()) % 100) / 100, 2),
    }


def single(address: str, shape: Shape) -> Answer:  # noqa: PLR0911 - one a shape
    """One address in this shape."""
    word, about = verdict(address), facts(address)
    match shape:
        case Shape.STATUS:
            return Answer(body={"status": word, **about})
        case Shape.NESTED:
            return Answer(body={"success": True, "data": {"verdict": word, "checks": about}})
        case Shape.STATE:
            return Answer(body={"address": address, "state": word, "reasons": ["mx found", "mailbox asked"]})
        case Shape.CODED:
            return Answer(body={"status": 200, "result": word, "message": None, "detail": about})
        case Shape.DEEP:
            hosts = [{"host": f"mx{n}.{about['domain']}", "priority": 10 * n} for n in (1, 2)]
            history = {"notes": f"{word}. " * 300, "seen": {"first": {"by": "list", "year": 2024}}}
            fields = {f"check_{n}": n % 2 == 0 for n in range(1, 61)}
            return Answer(body={"status": word, **about, "mx": hosts, "history": history, "checks": fields})
        case Shape.TEXT:
            return Answer(body=word, content_type="text/plain")
        case Shape.CSV:
            return Answer(body=f"email,result\r\n{address},{word}\r\n", content_type="text/csv")
        case _:
            return Answer(body=[{"email": address, "result": word}])


def whole(  # noqa: PLR0911 - one a shape
    rows: Sequence[Sequence[str]], column: int, shape: FileShape, *, link: str, number: str
) -> Answer:
    """A file in this shape; ``link`` is the address of its result, ``number`` the number on its receipt."""
    match shape:
        case FileShape.CSV:
            return Answer(body=as_csv(rows, column), content_type="text/csv")
        case FileShape.ATTACHMENT:
            headers = {"Content-Disposition": 'attachment; filename="processed.csv"'}
            return Answer(body=as_csv(rows, column), content_type="text/plain", headers=headers)
        case FileShape.ARRAY:
            return Answer(body=[_row(row, column) for row in rows[1:]])
        case FileShape.WRAPPED:
            return Answer(body={"count": len(rows) - 1, "rows": [_row(row, column) for row in rows[1:]]})
        case FileShape.URL:
            return Answer(body={"status": "done", "download_url": link})
        case FileShape.FIELDS:
            return Answer(body={"note": "This file was checked. " * 40, **{f"checked_{n}": n for n in range(1, 30)}})
        case FileShape.RECEIPT:
            return Answer(body={"status": "queued", "job_id": number, "rows": len(rows) - 1}, status=202)
        case _:
            return Answer(
                body="Your file is being processed; the result goes to your mailbox.", content_type="text/plain"
            )


def as_csv(rows: Sequence[Sequence[str]], column: int) -> str:
    """The file with a verdict behind each row."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([*rows[0], "result"])
    writer.writerows([*row, verdict(_cell(row, column))] for row in rows[1:])
    return text.getvalue()


def _row(row: Sequence[str], column: int) -> Mapping[str, object]:
    address = _cell(row, column)
    return {"email": address, "result": verdict(address), "score": facts(address)["score"]}


def _cell(row: Sequence[str], column: int) -> str:
    return row[column].strip() if column < len(row) else ""
