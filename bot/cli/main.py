"""The parser of the command line, ``run``, and the commands of a few lines."""

import argparse
import asyncio
import gc
import json
import logging
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from bot.app import Switchboard
from bot.cli import audit, database, doctor
from bot.cli.checks import cautions, examine_all
from bot.cli.manifest import bot_scopes, manifest
from bot.clients.routes_file import load_routes
from bot.domain.errors import OperatorError
from bot.logs import configure_logs
from bot.presentation.blocks.text import capital
from bot.presentation.reasons import problem_of
from bot.settings import LogFormat, Settings, SettingsError, load_settings
from bot.version import version
from bot.wiring.http import allow_plenty
from bot.wiring.services import routes_of
from storage.engine import parse_address
from storage.migrate import migrate

log = structlog.get_logger(__name__)

_MARKS = """
D documented · A1 assumed on strong evidence · A2 assumed by analogy · A3 assumed by naming.
In production an UNCONFIRMED route that moves money is refused: write confirmed = true for it into SERVICES_FILE.
"""
_EXAMPLE_URL = "https://switchboard.example.com"
_LAST_PORT = 65_535
_SECRETLY = "leave the password to PGPASSWORD or ~/.pgpass, because other users of the machine see arguments"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0: success, 1: the operator has to act."""
    chosen = _parser().parse_args(arguments)
    try:
        return int(chosen.run(chosen))
    except BrokenPipeError:
        # The reader closed the pipe, e.g. `| head`; the interpreter must not flush again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OperatorError as problem:
        mend = f"\n→ {problem.mend}" if problem.mend else ""
        sys.stderr.write(f"switchboard cannot go on:\n{problem}{mend}\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="switchboard", description="Run outside services from a Slack workspace.")
    parser.add_argument("--version", action="version", version=f"switchboard {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    _add(commands, "run", "run the bot with the settings of the environment or .env", _run)
    playground = _add(commands, "playground", "everything on this machine, without any account", _playground)
    playground.add_argument("--port", type=_port, default=4000, help="port of the page (default: 4000)")
    playground.add_argument("--socket-mode", action="store_true", help="let the bot connect by Socket Mode")
    _add(commands, "doctor", "look at settings, policy, database, Slack and the services; change nothing", _doctor)
    _add(commands, "migrate", "bring the database to the version this program needs", _migrate)
    _add(commands, "manifest", "print the app manifest, from the code's own declarations", _manifest)
    _add(commands, "routes", "print the route table with its assumptions", _routes)
    auditing = _add(commands, "audit", "verify or export the audit of everything that was asked, decided and sent")
    verbs = auditing.add_subparsers(dest="verb", required=True, metavar="verb")
    about = "check that no row of the audit was changed, removed, inserted, reordered or cut off"
    anchors = _add(verbs, "verify", about, audit.verify).add_mutually_exclusive_group()
    anchors.add_argument("--anchors", type=Path, metavar="FILE", help="the anchors, or a copy of them kept elsewhere")
    anchors.add_argument(
        "--without-anchors", action="store_true", help="check the chain alone: a cut off end is not found"
    )
    exporting = _add(verbs, "export", "write every row of the audit, for spreadsheets or programs", audit.export)
    exporting.add_argument("--format", choices=("csv", "jsonl"), default="csv", help="csv (default) or JSON lines")
    exporting.add_argument("--output", type=Path, metavar="FILE", help="write into this file instead of the terminal")
    about = "change SECRET_KEY: encrypt store keys again, continue the audit under it"
    _add(commands, "rotate-key", about, database.rotate_key).add_argument(
        "--old-key-file", type=Path, metavar="FILE", help="the old key, instead of SECRET_KEY_OLD in the environment"
    )
    about = "copy the SQLite database to PostgreSQL, while nothing runs on either"
    _add(commands, "copy-to", about, database.copy_to).add_argument(
        "url", help=f"postgresql://user@host/database, without rows; {_SECRETLY}"
    )
    about = "unfreeze payments of a restored database; without a reason, show what to check first"
    resuming = _add(commands, "resume", about, lambda chosen: asyncio.run(database.resume_payments(chosen)))
    resuming.add_argument("--reason", default="", metavar="TEXT", help="what was checked, for the audit")
    return parser


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _LAST_PORT):
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {_LAST_PORT}. Example: --port 4000")
    return int(text)


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    about: str,
    run: Callable[[argparse.Namespace], int] | None = None,
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=about, description=f"{about[:1].upper()}{about[1:]}.")
    if run is not None:
        command.set_defaults(run=run)
    return command


def _run(_: argparse.Namespace) -> int:
    found = examine_all()
    settings, policy, problems = found.settings, found.policy, list(found.problems)
    try:
        load_routes(settings.services_file, environment=settings.environment.value, more=routes_of())
    except OperatorError as broken:
        problem = problem_of(broken)
        problems.append(f"{problem}. {capital(broken.mend)}" if broken.mend else problem)
    if problems or policy is None:
        raise SettingsError(problems)
    _logs(settings)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dumps: the memory holds every key
    allow_plenty()
    for caution in cautions(settings):
        log.warning(caution)
    log.info(
        "starting",
        version=version(),
        environment=settings.environment.value,
        database=str(parse_address(settings.database_url)),
        transport="Socket Mode" if settings.socket_mode else "HTTP",
        policy=policy.digest,
    )
    began = time.monotonic()
    try:
        return asyncio.run(_until_stopped(Switchboard(settings=settings, policy=policy)))
    finally:
        log.info("stopped", after=f"{time.monotonic() - began:.0f} s")


async def _until_stopped(switchboard: Switchboard) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    stopping = asyncio.create_task(stop.wait())
    starting = asyncio.create_task(start(switchboard))
    try:
        await asyncio.wait({stopping, starting}, return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            starting.result()
            await stopping
    finally:
        for task in (stopping, starting):
            task.cancel()
        await asyncio.gather(stopping, starting, return_exceptions=True)
        await switchboard.stop()
    return 0


async def start(switchboard: Switchboard) -> None:
    """Start and join Slack; from then on only the workers run."""
    await switchboard.start()
    await switchboard.until_joined()
    # Objects made up to here live until the end. Each full collection over them would block the process for a
    # tenth of a second.
    gc.collect()
    gc.freeze()


def _playground(chosen: argparse.Namespace) -> int:
    from bot.playground.launch import play  # noqa: PLC0415 - the simulators are imported only for the playground

    return asyncio.run(play(port=chosen.port, scopes=bot_scopes(), socket_mode=chosen.socket_mode))


def _doctor(_: argparse.Namespace) -> int:
    # The report is the output; log lines would only hide it.
    configure_logs(as_json=False, secrets=(), level=logging.CRITICAL)
    return asyncio.run(doctor.examine())


def _migrate(_: argparse.Namespace) -> int:
    settings = load_settings()
    _logs(settings)
    key = settings.key_for("audit") if settings.secret_key else None
    asyncio.run(migrate(settings.database_url, audit_key=key))
    sys.stdout.write("The database is up to date.\n")
    return 0


def _manifest(_: argparse.Namespace) -> int:
    settings = load_settings()
    url = settings.public_url or _EXAMPLE_URL
    found = manifest(public_url=url, socket_mode=settings.socket_mode, prefix=settings.command_prefix)
    sys.stdout.write(json.dumps(found, indent=2) + "\n")
    if settings.public_url is None and not settings.socket_mode:
        sys.stderr.write(
            f"PUBLIC_URL is missing, so the addresses above are an example: Slack would call {_EXAMPLE_URL}.\n"
            "→ set PUBLIC_URL to where Slack reaches this bot, or SLACK_APP_TOKEN for Socket Mode, and print it again\n"
        )
    return 0


def _routes(_: argparse.Namespace) -> int:
    settings = load_settings()
    table = load_routes(settings.services_file, environment=settings.environment.value, more=routes_of())
    for row in table.rows():
        marks = [row.mark, "moves money" if row.moves_money else "", "confirmed" if row.confirmed else ""]
        own = "overridden" if row.overridden else ""
        notes = ", ".join(note for note in (*marks, own, "UNCONFIRMED" if row.is_unconfirmed else "") if note)
        sys.stdout.write(f"{row.name:<40} {row.method:<6} {row.path:<46} {notes}\n")
    for name, word in table.words():
        sys.stdout.write(f"{name:<54} = {word.ours:<37} {word.mark}{', overridden' if word.overridden else ''}\n")
    sys.stdout.write(_MARKS)
    return 0


def _logs(settings: Settings) -> None:
    configure_logs(
        as_json=settings.log_format is LogFormat.JSON,
        secrets=settings.secrets(),
        level=logging.getLevelNamesMapping()[settings.log_level.value.upper()],
    )
