"""The servers that tests start."""

import signal
import subprocess
import sys

import psycopg
import pytest

from tests.support.postgres import postgres_server

_STARTS_A_SERVER = f"""
from {postgres_server.__module__} import postgres_server
with postgres_server() as server:
    print(server.url("postgres"), flush=True)
    input()
"""


@pytest.mark.postgres
def test_a_postgres_ends_with_the_process_that_started_it_even_with_kill_9() -> None:
    with subprocess.Popen(
        (sys.executable, "-c", _STARTS_A_SERVER), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as starter:
        assert starter.stdout is not None
        with psycopg.connect(starter.stdout.readline().strip()) as connection:
            starter.send_signal(signal.SIGKILL)
            with pytest.raises(psycopg.OperationalError, match="terminat"):
                connection.execute("SELECT pg_sleep(30)")
