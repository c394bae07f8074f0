"""``switchboard rotate-key``: change ``SECRET_KEY``.

The new key is ``SECRET_KEY``, as for every other command; the old one is ``SECRET_KEY_OLD`` in the environment or
``.env``, or in a file. Never an argument: every user of the machine can read those, and the shell keeps them.
"""

import argparse
import asyncio
import stat
import sys
from pathlib import Path

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.checks import weak_key
from bot.domain.clock import SystemClock
from bot.domain.errors import OperatorError
from bot.settings import Secret, SettingsError, load_settings
from bot.settings_errors import in_setting
from bot.wiring.anchors import anchors_of
from storage.errors import OtherKey
from storage.rotation import Rotated, anchor, rotate


class _OldKey(BaseSettings):
    model_config = SettingsConfigDict(
        env_file=".env", env_ignore_empty=True, extra="ignore", hide_input_in_errors=True, frozen=True
    )

    secret_key_old: Secret | None = None


def declare(parser: argparse.ArgumentParser) -> None:
    """Give the command its argument."""
    parser.add_argument(
        "--old-key-file", type=Path, metavar="FILE", help="the old key, instead of SECRET_KEY_OLD in the environment"
    )
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Change the key; 0: the new one is in force."""
    settings = load_settings()
    if settings.secret_key is None:
        raise OperatorError("SECRET_KEY is missing", mend="set it to the new key")
    if weak := weak_key(settings):
        raise SettingsError(weak)
    new = settings.secret_key.get_secret_value()
    old = _from_file(chosen.old_key_file) if chosen.old_key_file is not None else _from_environment()
    if old == new:
        raise OperatorError("The old key and the new one are the same", mend="set SECRET_KEY to the new key")
    now, anchors = SystemClock().now(), anchors_of(settings)
    try:
        rotated = asyncio.run(rotate(settings.database_url, anchors=anchors, old=old, new=new, now=now))
    except OtherKey:
        problem = "The old key is not the one that this database was written with"
        raise OperatorError(problem, mend="give the key used until now; nothing was changed") from None
    except OSError as refused:
        raise OperatorError(f"The anchors cannot be read: {refused.strerror}: {refused.filename}") from refused
    if rotated is None:
        sys.stdout.write("SECRET_KEY is in force already; nothing was changed.\n")
        return 0
    lines = _told(rotated)
    try:
        anchor(anchors, rotated, key=new, now=now)
    except OSError as refused:
        lines.append(f"No anchor could be written ({refused.strerror}); the bot writes one when it runs.")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _told(rotated: Rotated) -> list[str]:
    lines = [
        f"The new key is in force. The audit goes on at row {rotated.head.seq}.",
        f"Keys of stores sealed anew: {len(rotated.stores)}. Callback addresses handed out before go on working; "
        f"open requests that know another one now: {rotated.addresses}.",
    ]
    if rotated.unopened:
        names = ", ".join(ascii(name) for name in rotated.unopened)
        lines.append(f"The old key does not open the keys of these stores: {names}. List the stores in Slack again.")
    lines.append("Take SECRET_KEY_OLD away, start the bot, and keep the old key with the backups made before today.")
    return lines


def _from_environment() -> str:
    try:
        found = _OldKey().secret_key_old
    except ValidationError as broken:
        raise SettingsError([in_setting(error) for error in broken.errors()]) from None
    if found is None:
        raise OperatorError(
            "SECRET_KEY_OLD is missing", mend="set it to the key used until now, or name a file with --old-key-file"
        )
    return found.get_secret_value()


def _from_file(path: Path) -> str:
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
