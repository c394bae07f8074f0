"""No descriptor left: one line a minute, and whatever else a callback of the loop raises is told as ever."""

import asyncio
import errno
import logging
import resource

import pytest
from structlog.testing import capture_logs

from bot.wiring.http import Exhaustion, allow_plenty, limit
from tests.support.fixtures import Patch

SAID = "no file descriptor is left, so new connections wait"


def raised(number: int) -> dict[str, object]:
    return {"message": "socket.accept() out of system resource", "exception": OSError(number, "x")}


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
async def test_repeated_trouble_is_logged_once_per_minute(number: int) -> None:
    seconds = iter((1_000.0, 1_000.0, 1_059.9, 1_060.0, 1_119.9))
    loop, handler = asyncio.get_running_loop(), Exhaustion(lambda: next(seconds))
    with capture_logs() as logs:
        for _ in range(5):
            handler(loop, raised(number))
    assert [line["event"] for line in logs] == [SAID, SAID]


async def test_other_reports_are_unchanged(caplog: pytest.LogCaptureFixture) -> None:
    loop, handler = asyncio.get_running_loop(), Exhaustion(lambda: 0.0)
    with caplog.at_level(logging.ERROR, logger="asyncio"), capture_logs() as logs:
        handler(loop, raised(errno.ENOTCONN))
        handler(loop, {"message": "a task", "exception": ValueError("x")})
        handler(loop, {"message": "no exception"})
    assert [record.getMessage().splitlines()[0] for record in caplog.records] == [
        "socket.accept() out of system resource",
        "a task",
        "no exception",
    ]
    assert not logs


@pytest.mark.parametrize(
    ("soft", "hard", "then"),
    [
        (1_024, 20_000, 4_096),
        (1_024, 1_500, 1_500),
        (5_000, 20_000, 5_000),
        (300, 300, 300),
        (1_024, resource.RLIM_INFINITY, 4_096),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    ],
)
def test_the_limit_is_raised_as_far_as_allowed(monkeypatch: Patch, soft: int, hard: int, then: int) -> None:
    kept = {resource.RLIMIT_NOFILE: (soft, hard)}
    monkeypatch.setattr(resource, "getrlimit", kept.__getitem__)
    monkeypatch.setattr(resource, "setrlimit", kept.__setitem__)
    allow_plenty()
    assert kept == {resource.RLIMIT_NOFILE: (then, hard)}
    assert limit() == (4_096 if then == resource.RLIM_INFINITY else then)
