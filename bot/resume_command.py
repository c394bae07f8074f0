"""``switchboard resume``: leave reading-only mode, after an operator has looked.

Works while the bot runs (it goes on within seconds) and while it does not.
"""

import argparse
import asyncio
import getpass
import sys

from bot.domain.anchors import Anchor
from bot.domain.clock import SystemClock
from bot.domain.errors import OperatorError
from bot.domain.policy import Policy
from bot.domain.references import derived_key
from bot.presentation.recovery import report
from bot.settings import Settings, load_policy, load_settings
from bot.wiring.anchors import anchors_of
from bot.workflows.admin.resume import resume, standing
from bot.workflows.context import Unit
from storage.anchors import AnchorFile
from storage.store import Store
from storage.transaction import Tx

_NOT_READ = "Not everything was looked for to the end, so nothing was changed."
_WAIT = (
    "let the bot run until everything is looked for (it waits out QUIET_SECONDS, because what left last may still be "
    'on its way), or look yourself and run `switchboard resume --force --reason "…"`'
)


def declare(parser: argparse.ArgumentParser) -> None:
    """Give the command its options."""
    parser.add_argument("--look", action="store_true", help="show what was found and change nothing")
    parser.add_argument("--force", action="store_true", help="go on although not everything was looked for")
    parser.add_argument("--reason", default="", metavar="TEXT", help="for the audit; needed with --force")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Print what was found; 0: Switchboard sends, or there is nothing to resume; 1: it goes on only reading."""
    settings = load_settings()
    if chosen.force and not chosen.reason.strip():
        raise OperatorError("--force needs a reason", mend='--force --reason "looked at the service\'s dashboard"')
    return asyncio.run(_resume(settings, load_policy(settings.policy_file), chosen))


async def _resume(settings: Settings, policy: Policy, chosen: argparse.Namespace) -> int:
    store = await Store.open(settings.database_url, audit_key=_key(settings, "audit"), readers=1, beside=True)
    try:
        return await _act(store, settings, policy, chosen)
    finally:
        await store.close()


async def _act(store: Store, settings: Settings, policy: Policy, chosen: argparse.Namespace) -> int:
    now = SystemClock().now()
    reason = chosen.reason.strip() or f"everything was looked for; by {getpass.getuser()}"

    def work(tx: Tx) -> tuple[list[str], list[str] | None, Anchor | None]:
        found = standing(tx)
        if found is None:
            return ["Switchboard is not reading only: there is nothing to resume."], [], None
        lines = report(found.mode, found.looked, found.unknown)
        if chosen.look or not (found.is_complete or chosen.force):
            return lines, None, None
        again = resume(Unit(tx, now=now, policy=policy), found, reason=reason, forced=not found.is_complete)
        head = tx.audit.head()
        return lines, again, Anchor(at=now, seq=head.seq, head=head.hash)

    lines, again, anchor = await store.write(work, name="resume")
    sys.stdout.write("\n".join(lines) + "\n")
    if again is None:
        if not chosen.look:
            raise OperatorError(_NOT_READ, mend=_WAIT)
        return 0
    if anchor is not None:
        _anchor_anew(settings, anchor)
        sys.stdout.write("Switchboard sends again.\n")
        if again:
            sys.stdout.write(f"Approved or voted on before, so it needs approval again: {', '.join(again)}\n")
    return 0


def _anchor_anew(settings: Settings, anchor: Anchor) -> None:
    """Set aside the anchors of what was lost, under another name; they must not be compared with the chain again."""
    file = AnchorFile(anchors_of(settings), key=_key(settings, "anchor"))
    try:
        aside = file.set_aside(anchor.at)
        file.append(anchor)
    except OSError as refused:
        sys.stdout.write(f"The anchors could not be written anew: {refused.strerror}: {file.path}\n")
        return
    if aside is not None:
        sys.stdout.write(f"The anchors up to now are kept as {aside}\n")


def _key(settings: Settings, purpose: str) -> bytes:
    if settings.secret_key is None:
        raise OperatorError("SECRET_KEY is missing", mend="set the one that the bot runs with")
    return derived_key(settings.secret_key.get_secret_value(), purpose)
