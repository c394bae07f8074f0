"""Which database an address names, and what is said of one that names none."""

from pathlib import Path

import pytest

from storage.engine import PostgresServer, SqliteFile, parse_address
from storage.errors import StorageError

MEND = "Set DATABASE_URL to e.g. sqlite+aiosqlite:///switchboard.db or postgresql://user@host/database."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("s3cret", "DATABASE_URL is no database address."),
        ("mysql://u:s3cret@host/x", "DATABASE_URL names mysql, which is not supported."),
        ("postgresql+asyncpg://u:s3cret@host/x", "DATABASE_URL names postgresql+asyncpg, which is not supported."),
        ("sqlite+pysqlite:///s3cret", "DATABASE_URL names sqlite+pysqlite, which is not supported."),
        *(
            (f"sqlite://{rest}", "SQLite needs the path of a file: what is in memory is lost with money in it.")
            for rest in ("", "/:memory:", "/a.db?mode=memory")
        ),
    ],
)
def test_what_is_no_address_is_told_with_an_example_and_without_its_password(text: str, problem: str) -> None:
    with pytest.raises(StorageError) as refused:
        parse_address(text)
    assert (refused.value.problem, refused.value.mend) == (problem, MEND)


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
def test_a_file(scheme: str) -> None:
    assert parse_address(f" {scheme}:////var/lib/a.db ") == SqliteFile(Path("/var/lib/a.db"))
    assert str(parse_address(f"{scheme}:///a.db")) == f"SQLite {Path.cwd() / 'a.db'}"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_server_is_named_without_user_and_password(scheme: str) -> None:
    server = parse_address(f"{scheme}://u:s3cret@host:5433/x")
    assert isinstance(server, PostgresServer)
    assert (server.url.drivername, str(server)) == ("postgresql+psycopg", "PostgreSQL host:5433/x")
    assert str(parse_address(f"{scheme}://u@/")) == "PostgreSQL localhost/"
