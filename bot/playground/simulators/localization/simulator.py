"""The content localization service as one object: a local HTTP server with its switches and its results."""

import asyncio
import contextlib
import secrets
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeVar

from aiohttp import web

from bot.playground.faults import Fault, FaultKind, Faults
from bot.playground.simulators.exchange import PROXY_PAGE
from bot.playground.simulators.localization.intake import read_form
from bot.playground.simulators.localization.records import Form, Held, InvalidError, Switches
from bot.playground.simulators.localization.rules import RULES, check
from bot.playground.simulators.localization.work import Work
from bot.playground.simulators.recorder import Call, Recorder, Subscription

_CLOSED_AFTER = frozenset({FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS})
_NOT_DONE = frozenset({FaultKind.LOST, FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.REFUSED})
_SHUTDOWN_SECONDS = 1.0
_TYPES = {".mp3": "audio/mpeg", ".wav": "audio/wav"}
_STREAMING = frozenset({"audio_extraction", "audio_conversion"})

T = TypeVar("T")


class LocalizationSimulator:
    """A localization service on loopback.

    Args:
        clock: seconds; results expire by it.
        api_key: what the Bearer credential must be.
        work_seconds: how long an operation takes at least, by its name or ``*``.
        result_seconds: how long an address of a result is good.

    Attributes:
        faults: armed by operation name (see ``rules.RULES``), or ``result`` for what is fetched afterwards.
        switches: the service's manners.
        held: every result by the token in its address.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        api_key: str = "localization-key",
        work_seconds: Mapping[str, float] | None = None,
        result_seconds: float = 120.0,
    ) -> None:
        self.api_key = api_key
        self.work_seconds = dict(work_seconds or {})
        self.result_seconds = result_seconds
        self.faults = Faults()
        self.switches = Switches()
        self.recorder = Recorder()
        self.held: dict[str, Held] = {}
        self._clock = clock
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._stopping = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._address = ("", 0)
        self.app = web.Application()
        for operation, rule in RULES.items():
            self.app.router.add_post(rule.path, self._served(operation))
        self.app.router.add_get("/results/{token}/{name}", self._result)
        self.app.router.add_route("*", "/{path:.*}", self._served("unknown"))

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve on ``host`` and ``port`` (0: any free one)."""
        self._stopping.clear()
        self._directory = tempfile.TemporaryDirectory(prefix="localization-")
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=_SHUTDOWN_SECONDS)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        self._address = self._runner.addresses[0][:2]

    async def stop(self) -> None:
        """Stop serving; what hangs is given up, what was held is gone."""
        self._stopping.set()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None
        self.recorder.close()

    async def __aenter__(self) -> "LocalizationSimulator":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def base_url(self) -> str:
        """Where the service is."""
        host, port = self._address
        return f"http://{host}:{port}"

    @property
    def calls(self) -> list[Call]:
        """Every request that reached an operation, oldest first."""
        return self.recorder.calls

    def subscribe(self) -> Subscription:
        """Follow calls and answers."""
        return self.recorder.subscribe()

    async def until(self, condition: Callable[[], T | None], *, timeout: float = 10.0) -> T:
        """Wait until ``condition`` gives something true, looking again after each call and answer."""
        return await self.recorder.until(condition, timeout=timeout)

    # inside

    def _served(self, operation: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._serve(request, operation)

        return serve

    async def _serve(self, request: web.Request, operation: str) -> web.StreamResponse:
        fault = self.faults.take(operation)
        directory = Path(tempfile.mkdtemp(dir=self._home))
        form, wrong = await self._read(request, operation, directory)
        call = self.recorder.arrived(
            at=self._clock(),
            operation=operation,
            method=request.method,
            path=request.path,
            query=dict(request.query),
            headers={name.lower(): value for name, value in request.headers.items()},
            body=form.loggable(),
            fault=fault.kind if fault else None,
        )
        response, told = await self._answer(operation, form, wrong, directory, fault)
        effect = response.status == 200 and operation in RULES  # noqa: PLR2004 - done
        if fault is not None and fault.kind in (FaultKind.DONE_HANGS, FaultKind.SLOW):
            await self._pause(fault.seconds)
        if fault is not None and fault.kind in (FaultKind.DONE_500, FaultKind.GARBAGE):
            response, told = self._fault_answer(fault.kind)
        if fault is not None and fault.kind in _CLOSED_AFTER:
            self.recorder.answered(call, status=None, response=None, effect=effect)
            if request.transport is not None:
                request.transport.close()
            return web.Response(status=500)
        self.recorder.answered(call, status=response.status, response=told, effect=effect)
        return response

    async def _read(self, request: web.Request, operation: str, directory: Path) -> tuple[Form, web.Response | None]:
        """The form, and the answer to whoever may not ask or does not ask properly."""
        if operation == "unknown":
            return Form(), self._error(404, "path", "There is no such endpoint")
        try:
            form = await read_form(request, directory)
        except InvalidError as invalid:
            return Form(), self._error(invalid.status, invalid.field, invalid.message)
        given = request.headers.get("Authorization", "")
        if self.switches.key_is_wrong or given != f"Bearer {self.api_key}":
            return form, self._error(401, "Authorization", "The API key is not valid")
        return form, None

    async def _answer(
        self, operation: str, form: Form, wrong: web.Response | None, directory: Path, fault: Fault | None
    ) -> tuple[web.StreamResponse, object]:
        if fault is not None and fault.kind in _NOT_DONE:
            return self._fault_answer(fault.kind)
        if wrong is not None:
            return wrong, wrong.text
        try:
            check(operation, form)
            result = await Work(form=form, directory=directory).do(operation)
        except InvalidError as invalid:
            response = self._error(invalid.status, invalid.field, invalid.message)
            return response, response.text
        await self._pause(self.work_seconds.get(operation, self.work_seconds.get("*", 0.0)))
        if operation in _STREAMING and self.switches.audio_as_bytes:
            path = next(value for value in result.values() if isinstance(value, Path))
            return web.FileResponse(path, headers={"Content-Type": _TYPES[path.suffix]}), f"({path.suffix} audio)"
        body = {name: self._hold(value) if isinstance(value, Path) else value for name, value in result.items()}
        return web.json_response(body), body

    def _hold(self, path: Path) -> str:
        """Give a result an address."""
        token = secrets.token_urlsafe(16)
        expires_at = self._clock() + (-1.0 if self.switches.expire_at_once else self.result_seconds)
        self.held[token] = Held(content=path, content_type=_TYPES[path.suffix], expires_at=expires_at)
        return f"{self.base_url}/results/{token}/{path.name}"

    async def _result(self, request: web.Request) -> web.StreamResponse:
        held = self.held.get(request.match_info["token"])
        fault = self.faults.take("result")
        if fault is not None and fault.kind is FaultKind.SLOW:
            await self._pause(fault.seconds)
        elif fault is not None:
            return self._fault_answer(fault.kind)[0]
        if held is None or self._clock() >= held.expires_at:
            return web.Response(status=403, text="<Error><Code>AccessDenied</Code></Error>", content_type="text/xml")
        held.fetched += 1
        held.authorization += request.headers.getall("Authorization", [])
        return web.FileResponse(held.content, headers={"Content-Type": held.content_type})

    def _error(self, status: int, field: str, message: str) -> web.Response:
        text = f"{field}: {message}" if field not in ("path", "Authorization", "body") else message
        match self.switches.errors:
            case "detail":
                body: object = {"detail": [{"loc": ["body", field], "msg": message, "type": "value_error"}]}
            case "error":
                body = {"error": text}
            case "errors":
                body = {"errors": {field: [message]}}
            case "text":
                return web.Response(status=status, text=text)
            case "html":
                page = PROXY_PAGE.format(title=f"{status} Error")
                return web.Response(status=status, text=page, content_type="text/html")
            case _:
                body = {"message": text}
        return web.json_response(body, status=status)

    def _fault_answer(self, kind: FaultKind) -> tuple[web.Response, object]:
        match kind:
            case FaultKind.TOO_MANY:
                response = web.json_response({"message": "Too many requests"}, status=429, headers={"Retry-After": "1"})
            case FaultKind.REFUSED:
                response = web.json_response({"message": "The request cannot be processed"}, status=422)
            case FaultKind.GARBAGE:
                page = PROXY_PAGE.format(title="Welcome")
                response = web.Response(text=page, content_type="text/html")
            case FaultKind.DONE_500:
                page = PROXY_PAGE.format(title="504 Gateway Time-out")
                response = web.Response(status=504, text=page, content_type="text/html")
            case _:
                response = web.json_response({"message": "Internal server error"}, status=500)
        return response, response.text

    async def _pause(self, seconds: float) -> None:
        if seconds <= 0:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    @property
    def _home(self) -> str:
        if self._directory is None:
            raise RuntimeError("not started")
        return self._directory.name
