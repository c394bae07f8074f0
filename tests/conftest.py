"""Both databases for whoever asks for ``database_url``: migrated, without a row. ``new_database_url`` has no tables."""

import gc
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.support.clock import ManualClock
from tests.support.complete import Complete
from tests.support.databases import lay, migrated_database, migrated_file, sqlite_address, statements_compiled_once
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.rig import Rig
from tests.support.scratch import scratch
from tests.support.threadless import without_threads

# How long an example takes says more of the machine than of the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=30)
settings.register_profile("quick", settings.get_profile("patient"), max_examples=8)
settings.register_profile("thorough", settings.get_profile("patient"), max_examples=500)
settings.load_profile("patient")

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
TWINS = ("tests/flow/", "tests/workflows/")
"""Rooms whose tests say nothing about databases: where one of them runs on both, ``make test`` has it on one."""

# As the program does it. Drawn with every local variable, one traceback of a busy machine took longer than an ack has.
structlog.configure(
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--complete", action="store_true", help="fail when something that should run was skipped")


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is collected: nothing of it is garbage
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Complete(required=config.getoption("--complete")))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A rig ``on="both"`` is opened once on SQLite, once on PostgreSQL."""
    if "rig_url" in metafunc.fixturenames and _variations(metafunc.definition).get("on") == "both":
        metafunc.parametrize("rig_url", DATABASES, indirect=True)


_LONG = ("tests/world/", "tests/process/", "tests/browser/")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark one of two twins, drawn by its name: one in four runs on PostgreSQL, which takes three times as long."""
    for item in items:
        params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        url = params.get("rig_url") or params.get("database_url")
        if url and item.nodeid.startswith(TWINS) and not item.get_closest_marker("both_databases"):
            name = item.nodeid.replace("sqlite", "").replace("postgres", "")
            if (crc32(name.encode()) % 4 == 0) == (url == "sqlite"):
                item.add_marker("twin")
    # Files with tests of half a minute begin first, so that no worker is left alone with one at the end.
    items.sort(key=lambda item: not item.nodeid.startswith(_LONG))


def _variations(item: pytest.Item) -> dict[str, Any]:
    """What the markers ``rig`` of a test, its class and its module say; the nearest one wins."""
    return {name: value for mark in reversed(list(item.iter_markers("rig"))) for name, value in mark.kwargs.items()}


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected stays until the end: looking through it for garbage again and again would take long."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """pytest looks for garbage five times at the end; once through what the tests left is enough."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """No store compiles a statement that another one of this process has compiled."""
    with statements_compiled_once():
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The session's PostgreSQL server, started when the first test needs it."""
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def migrated_postgres(postgres: PostgresServer) -> str:
    """Name of the database that migrated ones are copies of."""
    return migrated_database(postgres)


@pytest.fixture
def postgres_url(postgres: PostgresServer, migrated_postgres: str) -> Iterator[str]:
    name = postgres.create_database(like=migrated_postgres)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def new_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture(scope="session")
def migrated_sqlite() -> bytes:
    """The file that migrated ones are copies of."""
    return migrated_file()


@pytest.fixture
def sqlite_url(new_sqlite_url: str, migrated_sqlite: bytes) -> str:
    lay(Path(new_sqlite_url.partition("///")[2]), migrated_sqlite)
    return new_sqlite_url


@pytest.fixture
def new_sqlite_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="switchboard-", dir=scratch()) as folder:
        yield sqlite_address(Path(folder) / "switchboard.db")


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """Address of a migrated database without a row: once SQLite, once PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=DATABASES)
def new_database_url(request: pytest.FixtureRequest) -> str:
    """Address of a database without tables: once SQLite, once PostgreSQL."""
    url: str = request.getfixturevalue(f"new_{request.param}_url")
    return url


@pytest.fixture
def rig_url(request: pytest.FixtureRequest) -> str:
    """Address of a migrated database without a row, of the kind that the marker ``rig`` names with ``on``."""
    kind = getattr(request, "param", _variations(request.node).get("on", "sqlite"))
    url: str = request.getfixturevalue(f"{kind}_url")
    return url


@pytest.fixture
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    """How the rig differs; a module whose variations need fixtures has a fixture of this name itself."""
    return {name: value for name, value in _variations(request.node).items() if name != "on"}


@pytest.fixture
async def rig(rig_url: str, variations: dict[str, Any]) -> AsyncIterator[Rig]:
    """The whole product on a clock that stands still until a test moves it.

    ``pytest.mark.rig(policy=…, clock=None, on="both")`` says what differs: arguments of ``Rig.open``, and ``opened_by``
    for another function than that.
    """
    opening = variations.pop("opened_by", None)
    stands_still = variations.get("clock", "") is not None
    with without_threads() if stands_still else nullcontext():
        opened: Rig = await (
            opening(rig_url, **variations)
            if opening
            else Rig.open(**{"database_url": rig_url, "clock": ManualClock(), **variations})
        )
        try:
            yield opened
        finally:
            await opened.close()
