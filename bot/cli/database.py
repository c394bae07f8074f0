"""The commands that change a database: ``resume``, ``rotate-key`` and ``copy-to``."""

import argparse
import asyncio
import stat
import sys
from pathlib import Path
from typing import Final

from pydantic import ValidationError
from pydantic_settings import BaseSettings

from bot.cli.checks import weak_key
from bot.domain.anchors import Anchor
from bot.domain.clock import SystemClock
from bot.domain.errors import OperatorError
from bot.domain.payments.instruction import EFFECT_UNDER_WAY
from bot.presentation.blocks.text import counted
from bot.presentation.notices import report
from bot.settings import Environment, Secret, Settings, SettingsError, in_setting, load_policy, load_settings
from bot.wiring.database import anchors_of
from bot.workflows.admin.resume import resume
from bot.workflows.context import Unit
from bot.workflows.restored import restored, unknown_here
from storage.anchors import AnchorFile
from storage.errors import OtherKey
from storage.maintenance import copy, rotate
from storage.store import Store
from storage.transaction import Tx

MEND_KEY: Final = "set the one that the bot runs with"
_HOW: Final = (
    "Nothing was changed. Check at the provider, then run "
    '`switchboard resume --reason "..."`. What was approved or may have been sent then needs a decision of approvers.'
)
_BUSY: Final = "Nothing was changed: a request is still being sent. Let the bot run for a minute, then repeat."


async def resume_payments(chosen: argparse.Namespace) -> int:
    """Unfreeze a restored database with a reason; without one, show what to check. Works beside the running bot."""
    settings = load_settings()
    policy = load_policy(settings.policy_file)
    reason = chosen.reason.strip()

    def work(tx: Tx) -> tuple[list[str], Anchor | None, list[str]]:
        now, found = SystemClock().now(), restored(tx)
        if found is None:
            return ["The database isn't older than what was sent. There is nothing to resume."], None, []
        lines = report(found.since, unknown_here(tx, found))
        if not reason:
            return [*lines, _HOW], None, []
        if tx.instructions.awaiting(EFFECT_UNDER_WAY, limit=1):
            return [*lines, _BUSY], None, []
        to_check = resume(Unit(tx, now=now, policy=policy), found, reason=reason)
        head = tx.audit.head()
        return lines, Anchor(at=now, seq=head.seq, head=head.hash), to_check

    key = settings.key_for("audit", mend=MEND_KEY)
    store = await Store.open(settings.database_url, audit_key=key, readers=1, beside=True)
    try:
        lines, newest, to_check = await store.write(work, name="resume")
    finally:
        await store.close()
    sys.stdout.write("\n".join(lines) + "\n")
    if newest is None:
        return int(_BUSY in lines)
    # The anchors of what was lost must not be compared with the chain again.
    file = AnchorFile(anchors_of(settings), key=settings.key_for("anchor", mend=MEND_KEY))
    try:
        aside = file.set_aside(newest.at)
        file.append(newest)
    except OSError as refused:
        sys.stdout.write(f"The anchors couldn't be rewritten: {refused.strerror}: {file.path}\n")
    else:
        sys.stdout.write(f"The anchors up to now are kept as {aside}\n" if aside is not None else "")
    sys.stdout.write("Payments are unfrozen.\n")
    if to_check:
        sys.stdout.write(f"Check at the provider, then decide on each in Slack: {', '.join(to_check)}\n")
    return 0


class _OldKey(BaseSettings):
    """The old ``SECRET_KEY``. Never an argument: every user of the machine can read those, and the shell keeps them."""

    model_config = Settings.model_config

    secret_key_old: Secret | None = None


def rotate_key(chosen: argparse.Namespace) -> int:
    """Change ``SECRET_KEY`` to its present value from ``SECRET_KEY_OLD``."""
    settings = load_settings()
    if settings.secret_key is None:
        raise OperatorError("SECRET_KEY is missing", mend="set it to the new key")
    weak = weak_key(settings)
    if weak and settings.environment is Environment.PRODUCTION:
        raise SettingsError(weak)
    new = settings.secret_key.get_secret_value()
    old = _old_key(chosen.old_key_file)
    if old == new:
        raise OperatorError("The old key and the new one are the same", mend="set SECRET_KEY to the new key")
    now, anchors = SystemClock().now(), anchors_of(settings)
    try:
        rotated = asyncio.run(rotate(settings.database_url, anchors=anchors, old=old, new=new, now=now))
    except OtherKey:
        problem = "The old key doesn't match this database"
        raise OperatorError(problem, mend="give the key used until now; nothing was changed") from None
    except OSError as refused:
        raise OperatorError(f"The anchors cannot be read: {refused.strerror}: {refused.filename}") from refused
    if rotated is None:
        sys.stdout.write("SECRET_KEY is in force already; nothing was changed.\n")
        return 0
    lines = [
        f"The new key is in force. The audit continues at row {rotated.head.seq}.",
        f"Store keys encrypted again: {len(rotated.stores)}. Earlier callback addresses still work; "
        f"open requests with a new one: {rotated.addresses}.",
    ]
    if rotated.unopened:
        names = ", ".join(ascii(name) for name in rotated.unopened)
        lines.append(f"The old key does not open the keys of these stores: {names}. List the stores in Slack again.")
    lines.append("Remove SECRET_KEY_OLD and start the bot. Keep the old key: backups made before today need it.")
    file = AnchorFile(anchors, key=settings.key_for("anchor"))
    try:
        file.append(Anchor(at=now, seq=rotated.head.seq, head=rotated.head.hash))
    except OSError as refused:
        lines.append(f"No anchor could be written ({refused.strerror}); the bot writes one when it runs.")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _old_key(path: Path | None) -> str:
    """From the file, or else from the environment."""
    if path is None:
        try:
            found = _OldKey().secret_key_old
        except ValidationError as broken:
            raise SettingsError([in_setting(error) for error in broken.errors()]) from None
        if found is None:
            mend = "set it to the key used until now, or name a file with --old-key-file"
            raise OperatorError("SECRET_KEY_OLD is missing", mend=mend)
        return found.get_secret_value()
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise OperatorError(f"{path} cannot be read as text") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise OperatorError(f"{path} can be read by others", mend=f"chmod 600 {path}")
    if not text or not text.isprintable():
        raise OperatorError(f"{path} must hold the key on one line")
    return text


def copy_to(chosen: argparse.Namespace) -> int:
    """Copy a SQLite database to PostgreSQL, while the bot does not run."""
    settings = load_settings()
    key = settings.key_for("audit", mend=MEND_KEY)
    anchors = AnchorFile(anchors_of(settings), key=settings.key_for("anchor"))
    after = anchors_of(settings.model_copy(update={"database_url": chosen.url}))
    try:
        anchors.copy_to(after)
        copying = copy(settings.database_url, chosen.url, audit_key=key, anchors=anchors, now=SystemClock().now())
        copied = asyncio.run(copying)
    except OSError as refused:
        raise OperatorError(f"The anchors cannot be copied: {refused.strerror}: {refused.filename}") from refused
    filled = {name: count for name, count in copied.rows.items() if count}
    lines = [
        *(f"{name:<16} {count:>9,}" for name, count in filled.items()),
        f"Copied to {copied.to}: {counted(sum(filled.values()), 'row')} of {counted(len(filled), 'table')}, read back "
        f"and compared. The audit is complete there: {counted(copied.rows['audit'], 'row')}.",
        f"New anchors are written to {after}.",
        "The old file is marked as moved and can't be started. Set DATABASE_URL to the new database and start.",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
