"""Ways to make a point of the documents untrue while a test runs, at the HTTP door of the product.

``answer OPERATIONS without FIELD``, ``answer OPERATIONS FIELD = VALUE``: change what the service answers, at any depth;
``status`` of the HTTP answer is ``:status``. ``send …`` changes the request that the service and its recorder see: a
field of its query, JSON or form; ``:method``, ``:path`` and ``header.NAME`` are parts of the request itself.
``set MODULE:NAME = VALUE`` replaces a declaration for a fact without an exchange. Values are Python expressions;
``old`` is the value before, OPERATIONS a pattern such as ``payments.*``.
"""

import dataclasses
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from importlib import import_module
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl, urlencode

from aiohttp import BytesPayload, MultipartWriter

from bot.clients.emails.client import Quick
from bot.clients.transport import _DECODER, PreparedRequest, Transport, dump_json
from bot.domain.outcome import Reply

_EXCHANGE = re.compile(r"(answer|send) (\S+) (?:without (\S+)|(\S+) = (.+))")
_SET = re.compile(r"set ([\w.]+):(\S+) = (.+)")
_OURS = ("bot.", "handlers.", "storage.", "tests.")
GONE = object()
Change = Callable[[Any], Any]


class NoSuchBreak(ValueError):
    """A break is written in an unknown form, e.g. ``answer payments.* without amount`` is known."""


@dataclass
class Applied:
    """How often the breaks changed something."""

    times: int = 0


@dataclass(frozen=True)
class _Exchanged:
    """A change of the answer or the request of some operations; ``change`` returns GONE to leave the field out."""

    side: str
    operations: str
    field: str
    change: Change
    applied: Applied = dataclasses.field(default_factory=Applied)

    def sent(self, request: PreparedRequest) -> PreparedRequest:
        if self.side != "send" or not fnmatch(request.operation, self.operations):
            return request
        if self.field in (":method", ":path"):
            return replace(request, **{self.field[1:]: self._new(getattr(request, self.field[1:]))})
        if self.field.startswith("header."):
            return replace(request, headers=self._changed_headers(request.headers))
        path, body = self._changed_query(request.path), request.body
        if isinstance(body, MultipartWriter):
            body = self._changed_form(body)
        elif isinstance(body, bytes) and request.headers["Content-Type"].startswith("multipart/"):
            body = self._changed_parts(body)
        elif isinstance(body, bytes):
            body = dump_json(self._changed(_DECODER.decode(body.decode()))).encode()
        return replace(request, path=path, body=body)

    def answered(self, operation: str, reply: Reply) -> Reply:
        if self.side != "answer" or not fnmatch(operation, self.operations):
            return reply
        if self.field == ":status":
            return replace(reply, status=self._new(reply.status))
        if self.field == ":json":
            return replace(reply, json=self._new(reply.json))
        if self.field.startswith("header."):
            return replace(reply, headers=self._changed_headers(reply.headers))
        return replace(reply, json=self._changed(reply.json))

    def _new(self, old: Any) -> Any:
        new = self.change(old)
        self.applied.times += new is GONE or new != old
        return new

    def _changed(self, document: Any) -> Any:
        if isinstance(document, list):
            return [self._changed(one) for one in document]
        if not isinstance(document, dict):
            return document
        changed = {k: self._new(v) if fnmatch(k, self.field) else self._changed(v) for k, v in document.items()}
        return {key: value for key, value in changed.items() if value is not GONE}

    def _changed_headers(self, headers: Any) -> dict[str, str]:
        name = self.field.removeprefix("header.").lower()
        changed = {key: self._new(value) if key.lower() == name else value for key, value in headers.items()}
        return {key: value for key, value in changed.items() if value is not GONE}

    def _changed_query(self, path: str) -> str:
        before, mark, query = path.partition("?")
        pairs = self._changed(dict(parse_qsl(query, keep_blank_values=True)))
        return f"{before}?{urlencode(pairs)}" if mark and pairs else before

    def _changed_form(self, form: MultipartWriter) -> MultipartWriter:
        changed = MultipartWriter("form-data", boundary=form.boundary)
        for part, _, _ in form:
            told = part.headers.get("Content-Disposition", "")
            name = (re.search(r'\bname="([^"]*)"', told) or [""] * 2)[1]
            new = self._new(_text_of(part)) if fnmatch(name, self.field) else None
            if new is None:
                changed.append_payload(part)
            elif new is not GONE:
                text = BytesPayload(str(new).encode(), headers={"Content-Disposition": told})
                changed.append_payload(text)
        return changed

    def _changed_parts(self, form: bytes) -> bytes:
        """The same of a form that was written already."""
        boundary, _, _ = form.partition(b"\r\n")
        kept = []
        for part in form.split(boundary):
            head, end, text = part.partition(b"\r\n\r\n")
            name = re.search(rb'\bname="([^"]*)"', head)
            new = self._new(text[:-2].decode()) if name and fnmatch(name[1].decode(), self.field) else None
            kept += [] if new is GONE else [part if new is None else head + end + str(new).encode() + b"\r\n"]
        return boundary.join(kept)


def _text_of(part: Any) -> str:
    return part.decode() if isinstance(part, BytesPayload) else ""


def read_break(text: str) -> _Exchanged | tuple[str, str, str]:
    """A change of exchanges, or module, expression and value of a declaration; raises NoSuchBreak."""
    if found := _SET.fullmatch(text):
        compile(found[3], "<break>", "eval")
        return found[1], found[2], found[3]
    found = _EXCHANGE.fullmatch(text)
    if found is None:
        raise NoSuchBreak(text)
    side, operations, left_out, changed, value = found.groups()
    if left_out:
        return _Exchanged(side, operations, left_out, lambda _: GONE)
    code = compile(value, "<break>", "eval")
    return _Exchanged(side, operations, changed, lambda old: eval(code, {"old": old}))  # noqa: S307 - our own rows


def _set(name: str, path: str, value: str) -> Callable[[], None]:
    """Replace a declaration in every module that imported it; returns the way back."""
    module = import_module(name)
    parent_path, dot, last = path.rpartition(".")
    scope = dict(vars(module))
    old = eval(path, scope)  # noqa: S307 - our own rows
    new = eval(value, {**scope, "old": old})  # noqa: S307
    if dot:
        parent = eval(parent_path, scope)  # noqa: S307
        kept = vars(parent).get(last, old) if isinstance(parent, type) else old
        put = setattr if isinstance(parent, type) else object.__setattr__
        put(parent, last, new)
        return lambda: put(parent, last, kept)
    named = [one for key, one in sys.modules.items() if key.startswith(_OURS) and vars(one).get(last) is old]
    for one in named:
        setattr(one, last, new)

    def back() -> None:
        for one in named:
            setattr(one, last, old)

    return back


@contextmanager
def broken(texts: tuple[str, ...]) -> Iterator[Callable[[], bool]]:
    """Apply the breaks of one row; the value returned says whether one of them changed anything so far."""
    breaks = [read_break(text) for text in texts]
    exchanged = [one for one in breaks if isinstance(one, _Exchanged)]
    send, ask = Transport.send, Quick.ask

    async def changed(self: Transport, request: PreparedRequest, **more: Any) -> Reply:
        for one in exchanged:
            request = one.sent(request)
        reply = await send(self, request, **more)
        for one in exchanged:
            reply = one.answered(request.operation, reply)
        return reply

    async def asked(self: Quick, operation: str, *, method: str, path: str, headers: Any) -> Reply:
        request = PreparedRequest(operation=operation, method=method, path=path, headers=headers)
        for one in exchanged:
            request = one.sent(request)
        reply = await ask(self, operation, method=request.method, path=request.path, headers=request.headers)
        for one in exchanged:
            reply = one.answered(operation, reply)
        return reply

    with ExitStack() as stack:
        if exchanged:
            stack.enter_context(patch.object(Transport, "send", changed))
            stack.enter_context(patch.object(Quick, "ask", asked))
        for one in breaks:
            if not isinstance(one, _Exchanged):
                stack.callback(_set(*one))
        yield lambda: len(exchanged) < len(breaks) or any(one.applied.times for one in exchanged)
