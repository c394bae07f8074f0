"""Parsing of the e-mail service's answers. Pure and total: every answer becomes displayable."""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from operator import itemgetter
from urllib.parse import urlsplit

from bot.clients.results import announced_name
from bot.clients.transport import TEXT_KEPT
from bot.domain.emails.lists import Answer, FileAnswer, Link, Outcome, Receipt, Returned, ReturnedRows
from bot.domain.files.sniffing import HEAD_BYTES, FileKind, sniff, true_name
from bot.domain.outcome import NO_JSON, Reply

_PAIRS = 500
_NAME_LIMIT = 200
_WORD_LIMIT = 60
_VALUE_LIMIT = 32_000
"""Characters, slightly below the limit of a spreadsheet cell."""
_DEPTH = 8
_PLAIN_WORDS = frozenset({"success", "ok", "true", "done", "completed"})
"""Result words without meaning beyond success; any other word takes precedence."""

_FILE_TYPES = ("text/csv", "application/csv", "application/octet-stream", "application/vnd.", "application/zip")
_FILE_NAME_LIMIT = 80
_ID_LIMIT = 500


def read_answer(reply: Reply, *, result: Sequence[str], outcome: Outcome = Outcome.ANSWERED) -> Answer:
    """Read an answer about one address that isn't an HTML page. ``result``: names of the field with the result word."""
    document = reply.json
    if isinstance(document, list) and len(document) == 1:
        document = document[0]
    if isinstance(document, list) and any(isinstance(one, dict) for one in document):
        document = _numbered(document)
    if isinstance(document, dict):
        pairs = _pairs(document)
        words: dict[str, list[tuple[int, str]]] = {}
        for path, value in pairs:
            words.setdefault(path.rpartition(".")[2].casefold(), []).append((path.count("."), value))
        # The first name counts most, then the least nested field.
        found = [word for name in result for _, word in sorted(words.get(name.casefold(), ()), key=itemgetter(0))]
        candidates = list(filter(_is_word, found))
        telling = [word for word in candidates if word.casefold() not in _PLAIN_WORDS]
        return Answer(outcome=outcome, result=(telling or candidates or [""])[0], pairs=pairs)
    whole = reply.text if document is NO_JSON else _scalar(document)
    text = _short(whole, _VALUE_LIMIT, of=reply.size if document is NO_JSON and len(whole) >= TEXT_KEPT else 0)
    return Answer(outcome=outcome, result=text if _is_word(text) else "", text=text)


def read_file_answer(
    reply: Reply, body: bytes, links: Iterable[str] = (), *, receipt: Sequence[str], result: Sequence[str], name: str
) -> FileAnswer:
    """Read a 2xx answer to a whole file: a file, link, embedded table, list of rows or receipt; else a plain answer.

    ``links``: candidates for the result's address. ``receipt``, ``result``: names of a receipt's number and a result
    word. ``name``: default file name.
    """
    disposition = reply.headers.get("content-disposition", "").casefold()
    first, end, _ = body[:2_000].decode("utf-8", "replace").partition("\n")
    looks_like_a_table = reply.json is NO_JSON and end and any(mark in first for mark in ",;\t")
    is_named = disposition.startswith("attachment")
    is_typed = reply.headers.get("content-type", "").casefold().startswith(_FILE_TYPES)
    if body.strip() and not reply.is_html and (is_typed or is_named or looks_like_a_table):
        announced = announced_name(reply.headers.get("content-disposition", ""))
        safe = "".join(letter if letter.isalnum() or letter in "._- " else "_" for letter in announced).strip(" .")
        return Returned(name=safe[-_FILE_NAME_LIMIT:] or name, content=body)
    document = reply.json
    for link in links:
        with suppress(ValueError):
            if len(link.split()) == 1 and urlsplit(link).scheme in ("http", "https", "data"):
                return Link(url=link.strip())
    texts = [document] if isinstance(document, str) else (one for level in _levels(document) for one in level.values())
    for text in texts:
        table = _table(text) if isinstance(text, str) else b""
        if table:
            return Returned(name=true_name(name, sniff(table[:HEAD_BYTES]).format), content=table)
    if isinstance(document, dict):
        lists = [value for value in document.values() if isinstance(value, list) and value]
        found = [rows for rows in lists if all(isinstance(row, dict) for row in rows)]
        if len(found) == 1:  # accept rows under any name
            document = found[0]
        else:
            number = next(filter(str.strip, values(document, receipt)), None)
            if number is not None:
                return Receipt(id=_short(number, _ID_LIMIT), pairs=_pairs(document))
    if isinstance(document, list) and document:
        flat = [_pairs(row) if isinstance(row, dict) else (("value", _scalar(row)),) for row in document]
        names = tuple(dict.fromkeys(name for pairs in flat for name, _ in pairs))
        rows = tuple(tuple(dict(pairs).get(name, "") for name in names) for pairs in flat)
        return ReturnedRows(header=names, rows=rows)
    return read_answer(reply, result=result)


def values(document: object, names: Sequence[str]) -> Iterator[str]:
    """Yield texts and numbers under these names in any spelling, first at the top level, then one level down."""
    for level in _levels(document):
        plain = {_plain(name): value for name, value in level.items()}
        for name in names:
            found = plain.get(_plain(name))
            if isinstance(found, str | int) and not isinstance(found, bool):
                yield str(found)


def _levels(document: object) -> Sequence[Mapping[str, object]]:
    """Return an object and the objects directly in it; empty if the document isn't an object."""
    if not isinstance(document, dict):
        return ()
    return [document, *(value for value in document.values() if isinstance(value, dict))]


def _table(text: str) -> bytes:
    """Return a table contained in a text, plain or in base64; empty if there is none."""
    content = text.encode("utf-8", "replace")
    if "\n" not in text.strip():
        content = b""
        with suppress(ValueError):
            content = base64.b64decode(text, validate=True)
    found = sniff(content[:HEAD_BYTES])
    return content if found.kind is FileKind.TABLE and (found.format != "csv" or b"@" in content) else b""


def _plain(name: str) -> str:
    """Normalize a name: ``jobId``, ``job_id`` and ``Job-ID`` are equal."""
    return name.casefold().replace("_", "").replace("-", "")


def _pairs(document: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return unique names with their values, and a last pair with the number of omitted fields, if any."""
    found: dict[str, str] = {}
    leaves = _leaves(document, "", _DEPTH)
    for path, value in islice(leaves, _PAIRS):
        name = _short(path, _NAME_LIMIT)
        while name in found:
            name += "'"
        found[name] = _short(value, _VALUE_LIMIT)
    more = sum(1 for _ in leaves)
    return (*found.items(), ("left out", f"{more:,} more fields")) if more else tuple(found.items())


def _leaves(document: Mapping[str, object], before: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, found in document.items():
        path = f"{before}{name}"
        listed = isinstance(found, list) and depth > 0 and any(isinstance(one, dict) for one in found)
        value = _numbered(found) if isinstance(found, list) and listed else found
        if isinstance(value, dict) and value and depth > 0:
            yield from _leaves(value, f"{path}.", depth - 1)
        elif isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
            yield path, "; ".join(map(_scalar, value))
        else:
            yield path, _scalar(value)


def _numbered(found: list[object]) -> dict[str, object]:
    """Turn a list of objects into an object, for paths like ``mx.1.host``."""
    return {str(number): one for number, one in enumerate(found, 1)}


def _scalar(value: object) -> str:
    if type(value) is str:  # nearly all of them
        return value
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value, "f")
        case str() | int():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, default=str)


def _is_word(text: str) -> bool:
    """Return whether a text is a short line that isn't a number, which would be a code."""
    return 0 < len(text) <= _WORD_LIMIT and not text.replace(".", "").isdigit() and "\n" not in text


def _short(text: str, limit: int, *, of: int = 0) -> str:
    """Return text that every database can store, cut to ``limit`` characters with a note if it was longer.

    ``of``: total bytes of the answer, if ``text`` is only its beginning.
    """
    if text.isascii() and "\x00" not in text:
        sound = text.strip()
        if len(sound) <= limit and not of:
            return sound
    else:
        sound = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()
    if of:
        return f"{sound}… (the beginning of {of:,} bytes)"
    return sound if len(sound) <= limit else f"{sound[:limit]}… (cut: {len(sound):,} characters)"
