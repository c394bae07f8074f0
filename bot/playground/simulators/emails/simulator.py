"""The e-mail processing service as one object: a local HTTP server for single addresses and for files.

It serves both base addresses: ``single_url`` and ``bulk_url``. Requests with an unknown key are refused; requests above
the limit of concurrency are answered 429. Keys are not kept: the log of calls holds a mark in their place.
"""

import asyncio
import csv
import io
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from aiohttp import web

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.emails import shapes
from bot.playground.simulators.emails.shapes import FileShape, Shape
from bot.playground.simulators.exchange import PROXY_PAGE, Answer, Refusal, answered
from bot.playground.simulators.server import Server

CHECK = "check"
PROCESS_FILE = "process_file"
RESULT = "result"

_KEY_MARK = "(the key)"
_FILE_BYTES = 32 * 1024 * 1024
_BACKLOG = 2_048


@dataclass
class Manners:
    """How the service behaves; may be changed while it runs.

    Attributes:
        latency: seconds until an answer about one address.
        file_latency: the same about a file.
        at_once: limit of concurrent requests; None for any number.
        credits: addresses that are paid for; above them the answer is 402. None for any number.
        forbidden: addresses about which the answer is 403.
    """

    shape: Shape = Shape.STATUS
    file_shape: FileShape = FileShape.CSV
    latency: float = 0.0
    file_latency: float = 0.0
    at_once: int | None = None
    credits: int | None = None
    forbidden: frozenset[str] = frozenset()


class EmailsSimulator(Server):
    """An e-mail processing service on loopback.

    Attributes:
        faults: armed for ``check``, ``process_file`` or ``result``.
        manners: shapes, slowness, limit.
        asked: number of times each address was processed.
        files: the rows of each file that was processed, with the column of its addresses.
        peak: the most requests that were under way at once.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        api_key: str = "email-playground-key",
        manners: Manners | None = None,
    ) -> None:
        super().__init__(clock=clock, largest_body=_FILE_BYTES, backlog=_BACKLOG)
        self.api_key = api_key
        self.manners = manners or Manners()
        self.asked: Counter[str] = Counter()
        self.files: list[tuple[list[list[str]], int]] = []
        self.peak = 0
        self._under_way = 0
        self._results: dict[str, str] = {}
        self.app.router.add_get("/single/", self._single)
        self.app.router.add_post("/bulk/", self._bulk)
        self.app.router.add_get("/results/{name}", self._result)

    @property
    def url(self) -> str:
        """Of the server, without a slash at the end."""
        return self.base_url

    @property
    def single_url(self) -> str:
        """The base address for single addresses."""
        return f"{self.url}/single"

    @property
    def bulk_url(self) -> str:
        """The base address for files."""
        return f"{self.url}/bulk"

    # serving

    async def _single(self, request: web.Request) -> web.StreamResponse:
        query = request.query
        shown = {"email": query.get("email", ""), "apikey": _KEY_MARK if "apikey" in query else ""}

        def handle() -> Answer:
            self._admit(query.get("apikey"))
            address = query.get("email", "")
            if not address:
                raise Refusal(Answer(status=400, body={"error": "The parameter email is missing"}))
            if address in self.manners.forbidden:
                raise Refusal(Answer(status=403, body={"error": "Not with this account"}))
            if self.manners.credits is not None and sum(self.asked.values()) >= self.manners.credits:
                raise Refusal(Answer(status=402, body={"error": "No credits left"}))
            self.asked[address] += 1
            return shapes.single(address, self.manners.shape)

        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        try:
            return await self._serve(request, CHECK, handle, query=shown, body=None, latency=self.manners.latency)
        finally:
            self._under_way -= 1

    async def _bulk(self, request: web.Request) -> web.StreamResponse:
        form = await request.post()
        fields = {name: value for name, value in form.items() if isinstance(value, str)}
        upload = form.get("file")
        content = upload.file.read() if isinstance(upload, web.FileField) else b""
        shown = {
            "file": f"{upload.filename}, {len(content)} bytes" if isinstance(upload, web.FileField) else "",
            "email-header-index": fields.get("email-header-index", ""),
            "apikey": _KEY_MARK if "apikey" in fields else "",
        }

        def handle() -> Answer:
            self._admit(fields.get("apikey"))
            return self._process(content, fields.get("email-header-index", ""))

        return await self._serve(request, PROCESS_FILE, handle, query={}, body=shown, latency=self.manners.file_latency)

    async def _result(self, request: web.Request) -> web.StreamResponse:
        def handle() -> Answer:
            found = self._results.get(request.match_info["name"])
            if found is None:
                raise Refusal(Answer(status=404, body={"error": "There is no such result"}))
            return Answer(body=found, content_type="text/csv")

        return await self._serve(request, RESULT, handle, query={}, body=None, latency=0.0)

    def _admit(self, key: str | None) -> None:
        if key != self.api_key:
            raise Refusal(Answer(status=401, body={"error": "The API key is not valid"}))
        if self.manners.at_once is not None and self._under_way > self.manners.at_once:
            raise Refusal(_too_many())

    def _process(self, content: bytes, index: str) -> Answer:
        try:
            rows = list(csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True))
        except (UnicodeDecodeError, csv.Error):
            raise Refusal(Answer(status=422, body={"error": "The file is not a CSV in UTF-8"})) from None
        if not index.isdigit() or not rows or int(index) >= len(rows[0]):
            raise Refusal(Answer(status=422, body={"error": "email-header-index is not a column of the file"}))
        column = int(index)
        self.files.append((rows, column))
        self.asked.update(row[column] for row in rows[1:] if column < len(row))
        number = f"job-{len(self.files)}"
        self._results[f"{number}.csv"] = shapes.as_csv(rows, column)
        link = f"{self.url}/results/{number}.csv"
        return shapes.whole(rows, column, self.manners.file_shape, link=link, number=number)

    async def _serve(
        self,
        request: web.Request,
        operation: str,
        handle: Callable[[], Answer],
        *,
        query: Mapping[str, str],
        body: object,
        latency: float,
    ) -> web.StreamResponse:
        """Answer one request, record it, and apply the armed fault."""
        fault = self.faults.take(operation)
        call = self._exchange.arrived(request, operation, fault, query=query, body=body)
        done = operation != RESULT
        answer, effect = answered(fault, lambda: replace(handle(), effect=done), _misbehaved)
        await self._work(latency)
        await self._exchange.delay(fault)
        return self._exchange.leave(request, call, fault, answer.response(), told=answer.body, effect=effect)

    async def _work(self, seconds: float) -> None:
        """Wait; below a second by a plain sleep, because thousands of requests wait at once."""
        if 0 < seconds < 1:
            await asyncio.sleep(seconds)
        else:
            await self._exchange.pause(seconds)


def _misbehaved(fault: Fault) -> Answer:
    match fault.kind:
        case FaultKind.TOO_MANY:
            return _too_many(fault.wait)
        case FaultKind.REFUSED | FaultKind.DONE_REFUSED:
            return Answer(status=422, body={"error": "This address cannot be processed"})
        case FaultKind.GARBAGE:
            return Answer(body=PROXY_PAGE.format(title="Please wait"), content_type="text/html")
        case _:
            return Answer(status=500, body={"error": "Internal error"})


def _too_many(wait: str | None = "1") -> Answer:
    headers = {} if wait is None else {"Retry-After": wait}
    return Answer(status=429, body={"error": "Too many requests at a time"}, headers=headers)
