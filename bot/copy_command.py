"""``switchboard copy-to``: take a SQLite database along to PostgreSQL, while the bot does not run."""

import argparse
import asyncio
import sys

from bot.domain.clock import SystemClock
from bot.domain.errors import OperatorError
from bot.domain.references import derived_key
from bot.presentation.blocks.text import counted
from bot.settings import load_settings
from bot.wiring.anchors import anchors_of
from storage.anchors import AnchorFile
from storage.copying import copy

_ALSO = "leave the password to PGPASSWORD or ~/.pgpass, because other users of the machine see arguments"


def declare(parser: argparse.ArgumentParser) -> None:
    """Give the command its argument."""
    parser.add_argument("url", help=f"postgresql://user@host/database, without rows; {_ALSO}")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Copy everything, and print what to do next; 0: it is there and reads back as it was written."""
    settings = load_settings()
    if settings.secret_key is None:
        raise OperatorError("SECRET_KEY is missing", mend="set the one that the bot runs with")
    secret = settings.secret_key.get_secret_value()
    anchors = AnchorFile(anchors_of(settings), key=derived_key(secret, "anchor"))
    after = anchors_of(settings.model_copy(update={"database_url": chosen.url}))
    try:
        anchors.copy_to(after)
        copied = asyncio.run(
            copy(
                settings.database_url,
                chosen.url,
                audit_key=derived_key(secret, "audit"),
                anchors=anchors,
                now=SystemClock().now(),
            )
        )
    except OSError as refused:
        raise OperatorError(f"The anchors cannot be copied: {refused.strerror}: {refused.filename}") from refused
    filled = {name: count for name, count in copied.rows.items() if count}
    lines = [
        *(f"{name:<16} {count:>9,}" for name, count in filled.items()),
        f"Copied to {copied.to}: {counted(sum(filled.values()), 'row')} of {counted(len(filled), 'table')}, read back "
        f"and compared. The audit holds there: {counted(copied.rows['audit'], 'row')}.",
        f"The anchors go on in {after}.",
        "The file is marked: nothing starts on it any more. Set DATABASE_URL to the new database and start.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
