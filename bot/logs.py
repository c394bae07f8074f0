"""Log lines on standard output, without secrets at any level.

Redaction runs last, over the finished line, so that it covers exception texts and libraries too. It removes the secret
values in force, in the encodings in which they are sent, and text in the shape of a secret.
"""

import logging
import re
import sys
from collections.abc import Callable, Iterable

import structlog
from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError
from structlog.types import EventDict, Processor, WrappedLogger

from bot.domain.text import HIDDEN, Secrets

_SHAPES = tuple(
    re.compile(shape)
    for shape in (
        r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]+",
        r"xapp-[A-Za-z0-9-]+",
        r"(?i)(?<=bearer )[A-Za-z0-9._~+/=-]{6,}",
        r"(?i)(?<=basic )[A-Za-z0-9+/=]{6,}",
        r"(?i)(?<=apikey=)[^&\s\"']+",
        r"(?i)(?<=apikey%3D)[^&\s\"'%]+",
        r"(?i)(?<=apikey': ')[^']+",
        r"(?i)(?<=apikey\": \")[^\"]+",
        r"(?i)(?<=apikey\":\")[^\"]+",
        r"(?i)(?<=ticket=)[^&\s\"']+",
        r"(?<=callbacks/(?:payments|delivery)/)[A-Za-z0-9_-]+",
        r"(?i)(?<=callbacks%2F(?:payments|delivery)%2F)[A-Za-z0-9_-]+",
        r"(?i)https?(?:://|%3A%2F%2F)hooks\.slack\.com[^\s\"'\\&]+",
        r"https?://[^\s\"']*/(?:response|actions|commands|app)/[^\s\"'\\]+",
    )
)
_RESPONSE_URL = re.compile(r"(response_url[\\\"']*\s*[=:]\s*[\\\"']*)[^\s\"'\\&,}]+")
"""Slack's one-time addresses by the name of their field: on another host they have no shape of their own."""


class Redaction:
    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = Secrets(secrets)

    def __call__(self, line: str) -> str:
        line = self._secrets.hidden(line)
        for shape in _SHAPES:
            line = shape.sub(HIDDEN, line)
        return _RESPONSE_URL.sub(rf"\1{HIDDEN}", line)


def configure_logs(*, as_json: bool, secrets: Iterable[str], level: int = logging.INFO) -> None:
    """Send the lines of structlog and of all libraries through one redacting handler."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    plain = structlog.dev.plain_traceback
    render: Callable[[WrappedLogger, str, EventDict], str | bytes] = (
        structlog.processors.JSONRenderer()
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty(), exception_formatter=plain)
    )
    redaction = Redaction(secrets)

    def redacted(logger: WrappedLogger, name: str, event: EventDict) -> str:
        line = render(logger, name, event)
        return redaction(line.decode() if isinstance(line, bytes) else line)

    tracebacks: list[Processor] = [structlog.processors.format_exc_info] if as_json else []
    without_meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[without_meta, *tracebacks, redacted])
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Libraries that log bodies or addresses. Errors about input that is not HTTP quote it, body and path included.
    not_http = HttpProcessingError | RequestPayloadError
    logging.getLogger("aiohttp.server").addFilter(
        lambda one: not (one.exc_info and isinstance(one.exc_info[1], not_http))
    )
    for name in ("slack_bolt", "slack_sdk", "aiohttp.access", "apscheduler", "alembic", "aiosqlite", "asyncio"):
        logging.getLogger(name).setLevel(logging.WARNING)
