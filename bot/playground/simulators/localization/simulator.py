"""The content localization service as one object: a local HTTP server with its switches and its results."""

import secrets
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from aiohttp import web

from bot.playground.faults import NOT_DONE, REPLACED, Fault, FaultKind
from bot.playground.simulators.exchange import PROXY_PAGE
from bot.playground.simulators.localization.form import read_form
from bot.playground.simulators.localization.records import Form, Held, InvalidError, Switches
from bot.playground.simulators.localization.rules import RULES, check
from bot.playground.simulators.localization.work import Work
from bot.playground.simulators.server import Server

_TYPES = {".mp3": "audio/mpeg", ".wav": "audio/wav"}
_STREAMING = frozenset({"audio_extraction", "audio_conversion"})


class LocalizationSimulator(Server):
    """A localization service on loopback.

    Args:
        clock: seconds; results expire by it.
        api_key: what the Bearer credential must be.
        work_seconds: minimum duration of an operation, by its name or ``*``.
        result_seconds: lifetime of a result's address.

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
        super().__init__(clock=clock)
        self.api_key = api_key
        self.work_seconds = dict(work_seconds or {})
        self.result_seconds = result_seconds
        self.switches = Switches()
        self.held: dict[str, Held] = {}
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        for operation, rule in RULES.items():
            self.app.router.add_post(rule.path, self._served(operation))
        self.app.router.add_get("/results/{token}/{name}", self._result)
        self.app.router.add_route("*", "/{path:.*}", self._served("unknown"))

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve on ``host`` and ``port`` (0: any free one)."""
        self._directory = tempfile.TemporaryDirectory(prefix="localization-")
        await super().start(host, port)

    async def stop(self) -> None:
        """Stop serving; hanging requests are ended, results are deleted."""
        await super().stop()
        if self._directory is not None:
            self._directory.cleanup()
            self._directory = None

    # inside

    def _served(self, operation: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def serve(request: web.Request) -> web.StreamResponse:
            return await self._serve(request, operation)

        return serve

    async def _serve(self, request: web.Request, operation: str) -> web.StreamResponse:
        fault = self.faults.take(operation)
        directory = Path(tempfile.mkdtemp(dir=self._home))
        form, wrong = await self._read(request, operation, directory)
        call = self._exchange.arrived(request, operation, fault, body=form.loggable())
        response, told = await self._answer(operation, form, wrong, directory, fault)
        effect = response.status == 200 and operation in RULES  # noqa: PLR2004 - done
        await self._exchange.delay(fault)
        if fault is not None and fault.kind in REPLACED:
            response, told = self._fault_answer(fault.kind)
        return self._exchange.leave(request, call, fault, response, told=told, effect=effect)

    async def _read(self, request: web.Request, operation: str, directory: Path) -> tuple[Form, web.Response | None]:
        """The form, and the answer to a request without a valid key or form."""
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
        if fault is not None and fault.kind in NOT_DONE:
            return self._fault_answer(fault.kind)
        if wrong is not None:
            return wrong, wrong.text
        try:
            check(operation, form)
            result = await Work(form=form, directory=directory).do(operation)
        except InvalidError as invalid:
            response = self._error(invalid.status, invalid.field, invalid.message)
            return response, response.text
        await self._exchange.pause(self.work_seconds.get(operation, self.work_seconds.get("*", 0.0)))
        if self.switches.lacks_music:
            result.pop("music", None)
        if operation in _STREAMING and self.switches.audio_as_bytes:
            path = next(value for value in result.values() if isinstance(value, Path))
            return web.FileResponse(path, headers={"Content-Type": _TYPES[path.suffix]}), f"({path.suffix} audio)"
        body = {name: self._hold(value) if isinstance(value, Path) else value for name, value in result.items()}
        body = {self.switches.names.get(name, name): value for name, value in body.items()}
        body = {self.switches.wraps: body} if self.switches.wraps else body
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
            await self._exchange.pause(fault.seconds)
        elif fault is not None:
            return self._fault_answer(fault.kind)[0]
        if held is None or self._clock() >= held.expires_at:
            return web.Response(status=403, text="<Error><Code>AccessDenied</Code></Error>", content_type="text/xml")
        held.fetched += 1
        held.authorization += request.headers.getall("Authorization", [])
        return web.FileResponse(self.switches.instead or held.content, headers={"Content-Type": held.content_type})

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
            case FaultKind.REFUSED | FaultKind.DONE_REFUSED:
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

    @property
    def _home(self) -> str:
        if self._directory is None:
            raise RuntimeError("not started")
        return self._directory.name
