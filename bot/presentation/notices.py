"""Notices about no single request: clocks, the disk, silent services, an older database, work that was stopped."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.domain.content import Content
from bot.domain.reasons import RESTRICTED
from bot.domain.tracking import DIED, RETRIED
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.reasons import called, in_words

_IN_DOUBT: Final = "Compare it with the provider's dashboard before you pay anything again."
ADVICE: Final[Mapping[str, str]] = {
    "needs_human": "Look it up at the provider first. If it's paid there, do nothing.",
    "mismatch": "Find out who changed it at the provider, then make a new request.",
    "differs": "Compare both records, and contact the provider.",
    "contradiction": "Contact the provider with both statuses.",
    "unconfirmed": "Look it up at the provider. If it isn't there, check your logs for a forged callback.",
    "unknown_status": "Look it up at the provider.",
    "paid_after_close": "Don't pay again. Settle it with the recipient.",
    "paid_after_end": "Don't pay again. Settle it with the recipient.",
    "paid_elsewhere": "Find out who paid it from the dashboard or another program.",
    "stuck": "Fix the setting or the policy, then restart. It continues by itself.",
    "suspended": "An admin can withdraw it, or approvers approve again.",
    "held_back": "Look both up at the provider before you release it.",
    "disagrees": "Freeze payments, then run `switchboard audit verify`. Find out who wrote to the database.",
    "unaccounted": _IN_DOUBT,
    "unread": _IN_DOUBT,
    "unexplained": _IN_DOUBT,
    "stands_still": _IN_DOUBT,
    "denied": "`switchboard doctor` names every scope that is missing.",
    "silent": "Check the network and the provider's status page.",
    "not_drawn": "The `show` commands give the newest state.",
    "no_anchor": "Free some space there, or let the user that runs Switchboard write the file.",
    "anchors_changed": "Freeze payments, and keep the database and the file as they are.",
}
"""What to do, by topic. Other notices include it or need no action."""
GOES_ON: Final = md.message(":arrow_forward: Trying again. If it fails, you'll hear of it here.")
NOTHING_STOPPED: Final = md.message(":information_source: Nothing is stopped by this error any more.")
Facts = Mapping[str, Any]
_MEGABYTE = 1_000_000
_LISTED = 20
TRY_AGAIN = "stopped.again"
_WHAT = {
    "instruction": "request",
    "inbox": "callback of",
    "outbox": "message about",
    "tracked": "tracked operation",
    "job": "job",
    "dropped_file": "dropped file",
    "booking": "booking",
    "store_event": "webhook of a store",
    "board": "card",
    "store": "store",
    "vote": "vote on request",
    "attempt": "attempt of request",
    "bulk_item": "item of request",
    "callback_token": "callback address of request",
    "email_run": "list of addresses",
    "store_hook": "webhook address of a store",
    "flag": "setting",
    "unread_answer": "unreadable answer of",
}
_ALONE = {"inbox": "callback", "outbox": "message", "unread_answer": "unreadable answer"}
_NAME_LIMIT = 80


def advice(topic: str) -> str:
    return f"\n{ADVICE[topic]}" if topic in ADVICE else ""


def notice(facts: Facts) -> Content:
    topic = str(facts["topic"])
    if topic in ("stopped", "unreadable"):
        return _stopped(facts, is_row=topic == "unreadable")
    said = _NOTICES[topic]
    return md.message((said(facts) if callable(said) else said.format_map(facts)) + advice(topic))


_UNUSABLE: Final = {
    "is_archived": ("it's archived", "Unarchive it"),
    "not_in_channel": ("I'm not in it", "Invite me there: `/invite @Switchboard`"),
    "channel_not_found": (
        "it doesn't exist, or it's private and I'm not in it",
        "Invite me there: `/invite @Switchboard`",
    ),
    **dict.fromkeys(RESTRICTED, ("posting there is restricted", "Let apps post there")),
}
"""Slack error -> why the channel can't be used, and the fix."""


def unusable(error: str) -> str:
    """Why nothing can be posted in a channel, to follow "because"."""
    return _UNUSABLE[error][0] if error in _UNUSABLE else f"Slack says {md.quote(error)}"


def channel_help(error: str, setting: str = "") -> str:
    """Return how to make a channel usable. ``setting``: the policy key that names it, e.g. ``channels.approvals``."""
    what = _UNUSABLE[error][1] if error in _UNUSABLE else "Run `switchboard doctor`, which checks it"
    return f"{what}{f', or name another channel in policy.toml (`{md.quote(setting)}`)' if setting else ''}."


def _undelivered(facts: Facts) -> str:
    error = in_words(facts["reason"])
    where = f" in {md.channel(str(facts['channel']))}" if facts["channel"] else ""
    help_ = channel_help(error, str(facts.get("setting", "")))
    return f":rotating_light: Action needed: a message couldn't be posted{where}: {unusable(error)}. {help_}"


def report(since: datetime, unknown: Sequence[str]) -> list[str]:
    """Return the output of ``switchboard resume``: since when, and what this database lacks. Plain lines."""
    lines = [f"Frozen since {since:%Y-%m-%d %H:%M} UTC: the database is older than what was sent."]
    if unknown:
        lines.append("Sent before, and not in this database; check it in the provider's dashboard:")
        lines += [f"  {one}" for one in unknown]
    return lines


def _stopped(facts: Facts, *, is_row: bool) -> Content:
    """Which work was stopped or which row cannot be read. The button is for admins, where something was stopped."""
    number, column = str(facts["number"]), str(facts.get("column", ""))
    what, name = str(facts["what"]), md.quote(str(facts.get("name", "")), _NAME_LIMIT)
    named = f"{_WHAT.get(what, what)} {name}" if name else _ALONE.get(what, _WHAT.get(what, what))
    spoken = f"Try again what stopped with error {number}"
    text = (
        f":octagonal_sign: *Action needed: the {named} is stopped* after several internal errors. "
        f"Nothing more is sent or read for it.\nFind `{md.quote(number)}` in the log, fix it, then press *Try again*."
    )
    if number.startswith(DIED):
        text = (
            f":octagonal_sign: *Action needed: the {named} is stopped*. Switchboard was killed ten times while working "
            f"on it.\nCheck memory and restarts, then press *Try again*.{_retried(number)}"
        )
    if is_row:
        spoken = f"Try again the row stopped by {number}"
        where = f", column `{md.quote(column)}`" if column else ""
        text = (
            f":octagonal_sign: *Action needed: a database row can't be read*: the {named}{where}. "
            f"{'Nothing is sent or read for it. ' if number else ''}Everything else continues.\n"
            "It was damaged or forged, or a newer version wrote it. Restore the row from a backup"
            f"{', then press *Try again*' if number else ''}."
        )
    again = [button("Try again", TRY_AGAIN, number, spoken=spoken)] if number else []
    return Content(text=text, blocks=[md.paragraph(text), *actions(again)])


def why_stopped(number: str) -> str:
    """The status line of a request that was stopped before people could decide on it."""
    died = number.startswith(DIED)
    return f":octagonal_sign: *Stopped*{': Switchboard was killed ten times.' if died else ' by an internal error.'}"


def note(number: str) -> str:
    why = "Stopped: Switchboard was killed ten times while working on it."
    if not number.startswith(DIED):
        why = f"Stopped by an internal error (`{md.quote(number)}`)."
    return f":octagonal_sign: {why}{_retried(number)} An admin can try it again in the alerts channel."


def _retried(number: str) -> str:
    return " It's retried once, 15 minutes after the last restart." if number.startswith(RETRIED) else ""


def _restored(facts: Facts) -> str:
    text = (
        ":rotating_light: *Action needed: payments are frozen.* The database is older than what was sent. Nothing is "
        "sent, so that nothing is paid twice. Check at the provider, then run `switchboard resume`."
    )
    if not facts["unknown"]:
        return text
    unknown = md.series([md.quote(one) for one in facts["unknown"][:_LISTED]], len(facts["unknown"]))
    return f"{text}\nSent, and not in this database: {unknown}."


def _resumed(facts: Facts) -> str:
    text = (
        f":sunny: *Payments are unfrozen*: an operator resumed them. {md.quote_sentence(str(facts['reason']))}".rstrip()
    )
    if not facts["check"]:
        return text
    check = md.series(facts["check"][:_LISTED], len(facts["check"]))
    return f"{text} The database was restored, so check these at the provider, then decide on each: {check}."


_NOTICES: Final[Mapping[str, str | Callable[[Facts], str]]] = {
    "undelivered": _undelivered,
    "channel_works": lambda facts: (
        f":sunny: *{md.channel(str(facts['channel']))} can be used again.* Waiting messages are posted there now."
    ),
    "denied": lambda facts: (
        f":rotating_light: Slack {(said := md.as_said(md.quote(in_words(facts['reason']))))[:1].lower()}{said[1:]} "
        "Until then requests and approvals stop."
    ),
    "not_drawn": lambda facts: (
        f":rotating_light: *A message in {md.channel(str(facts['channel']))} is out of date*: an internal error keeps "
        f"it from being updated. The cause is in the log under `{facts['number']}`."
    ),
    "drawn": lambda facts: f":sunny: *The message in {md.channel(str(facts['channel']))} is up to date again.*",
    "frozen": lambda facts: (
        f":snowflake: {md.named(str(facts['by']), facts.get('names', {}))} froze all payments: "
        f"“{md.typed(str(facts['reason']))}”. "
        f"To resume: `{facts['command']} unfreeze`"
    ),
    "unfrozen": lambda facts: (
        f":sunny: {', '.join(md.named(str(one), facts.get('names', {})) for one in facts['by'])} unfroze payments."
    ),
    "clock_off": lambda facts: (
        f":alarm_clock: *The clock of {'a machine' if facts['machine'] else 'the database server'} is "
        f"{md.duration(abs(facts['seconds']))} {'ahead of' if facts['seconds'] > 0 else 'behind'} "
        "Switchboard's.* No deadline moves. Sync it with NTP. If it is right already, stop all Switchboard processes, "
        "then start them."
    ),
    "rows_ahead": lambda facts: (
        f":alarm_clock: *The newest rows in the database are {md.duration(facts['seconds'])} ahead of the clock.* If "
        "the clock is wrong, sync it with NTP, then restart Switchboard. If it was set back, deadlines stored before "
        "come that much later."
    ),
    "disk_low": lambda facts: (
        f":warning: *Database disk almost full*: {int(facts['free']) // _MEGABYTE:,} of "
        f"{int(facts['whole']) // _MEGABYTE:,} MB are free. New requests are refused; requests in progress continue. "
        "Free some space; no restart is needed."
    ),
    "disk_full": (
        ":rotating_light: *Database disk full.* New requests are refused, and nothing is sent. "
        "Free some space; no restart is needed."
    ),
    "database_read_only": (
        ":rotating_light: *Action needed: the database is read-only.* Nothing can be saved, so nothing is requested or "
        "sent. Make it writable, or let DATABASE_URL reach the primary server; no restart is needed."
    ),
    "database_away": (
        ":rotating_light: *Action needed: the database has been locked or out of reach for a minute.* Nothing can be "
        "saved, so nothing is requested or sent. No restart is needed."
    ),
    "database_writable": ":sunny: *The database can be written again.* Requests in progress continue.",
    "disk_enough": ":sunny: *Database disk space is back to normal.* Waiting requests resume.",
    "silent": lambda facts: (
        f":electric_plug: *{called(str(facts['service']))} hasn't answered* since "
        f"{md.moment(datetime.fromisoformat(facts['since']))}. Nothing is sent to it. We keep checking. "
        "Waiting requests resume once it answers."
    ),
    "answers": lambda facts: (
        f":sunny: *{called(str(facts['service']))} answers again* after {md.duration(float(facts['seconds']))}. "
        "Waiting requests resume."
    ),
    "restored": _restored,
    "resumed": _resumed,
    "anchors_changed": lambda facts: (
        f":rotating_light: *Action needed: the anchor file was modified*: line "
        f"{md.series(facts['lines'], facts['count'])} of `{md.quote(str(facts['file']))}` was changed or isn't ours. "
        "Run `switchboard audit verify`."
    ),
    "anchors_work": ":sunny: *The anchor file can be written again.* Waiting requests resume.",
    "clock_right": ":sunny: *The clock agrees with Switchboard's again.*",
    "allowed": lambda facts: f":sunny: *Slack answers again* what it refused: {md.quote(in_words(facts['reason']))}.",
    "no_anchor": lambda facts: (
        f":rotating_light: *Action needed: nothing is sent.* `{md.quote(str(facts['file']))}` can't be written: "
        f"{md.quote_sentence(str(facts['reason']))}"
    ),
}
