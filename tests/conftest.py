"""Both databases for whoever asks for ``database_url``: migrated, without a row. ``new_database_url`` has no tables."""

import gc
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.support.complete import Complete
from tests.support.databases import (
    lay,
    migrated_database,
    migrated_file,
    sqlite_address,
    statements_compiled_once,
)
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.scratch import scratch

# How long an example takes says more of the machine than of the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("patient"), max_examples=8)
settings.load_profile("patient")

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
    if config.getoption("--complete") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Complete())


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What was collected stays until the end: looking through it for garbage again and again would take long."""
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
    """Address of a migrated PostgreSQL database without a row."""
    name = postgres.create_database(like=migrated_postgres)
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def new_postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """Address of a PostgreSQL database without tables."""
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture(scope="session")
def migrated_sqlite() -> bytes:
    """The file that migrated ones are copies of."""
    return migrated_file()


@pytest.fixture
def sqlite_url(new_sqlite_url: str, migrated_sqlite: bytes) -> str:
    """Address of a migrated SQLite file without a row."""
    lay(Path(new_sqlite_url.partition("///")[2]), migrated_sqlite)
    return new_sqlite_url


@pytest.fixture
def new_sqlite_url() -> Iterator[str]:
    """Address of an SQLite file that does not exist yet, alone in its folder."""
    with tempfile.TemporaryDirectory(prefix="switchboard-", dir=scratch()) as folder:
        yield sqlite_address(Path(folder) / "switchboard.db")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """Address of a migrated database without a row: once SQLite, once PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def new_database_url(request: pytest.FixtureRequest) -> str:
    """Address of a database without tables: once SQLite, once PostgreSQL."""
    url: str = request.getfixturevalue(f"new_{request.param}_url")
    return url
