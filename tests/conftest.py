"""Both databases for whoever asks for ``database_url``."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.complete import Complete
from tests.support.postgres import PostgresServer, postgres_server

# How long an example takes says more of the machine than of the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--complete", action="store_true", help="fail when something that should run was skipped")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--complete") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Complete())


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The session's PostgreSQL server, started when the first test needs it."""
    with postgres_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: PostgresServer) -> Iterator[str]:
    """Address of a fresh, empty PostgreSQL database."""
    name = postgres.create_database()
    yield postgres.url(name)
    postgres.drop_database(name)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Address of an SQLite file that does not exist yet."""
    return f"sqlite+aiosqlite:///{tmp_path / 'switchboard.db'}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest) -> str:
    """Address of a fresh, empty database: once SQLite, once PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url
