"""What people hear: posts, replies, files and edits by channel; private answers and calls by person."""

import re
from collections import Counter
from collections.abc import Iterator

from bot.playground.workspace import Message
from tests.support.rig import Rig

_CALL = re.compile(r"<@(U\w+)>|<!subteam\^(S\w+)")


def noise(rig: Rig) -> str:
    """A line a channel and a person, of everything that Switchboard posted.

    Slack rings people for a new message that mentions them, never for an edit: only first versions are read.
    """
    channels = rig.workspace.channels.values()
    told = [line for channel in channels if (line := _channel(rig, channel.id, channel.user or f"#{channel.name}"))]
    return "\n".join([*told, *_people(rig)])


def _ours(rig: Rig, channel: str) -> list[Message]:
    return [one for one in rig.workspace.messages(channel) if one.bot_id and not one.ephemeral_to]


def _channel(rig: Rig, channel: str, name: str) -> str:
    ours = _ours(rig, channel)
    roots = [one for one in ours if one.thread_ts in ("", one.ts)]
    edits = sum(len(rig.workspace.versions(channel, one.ts)) - 1 for one in ours)
    files = sum(1 for one in ours if one.files)
    counts = {
        "post": len(roots),
        "reply": len(ours) - len(roots) - sum(1 for one in ours if one.files and one not in roots),
        "file": files,
        "edit": edits,
    }
    said = [f"{count} {_plural(what, count)}" for what, count in counts.items() if count]
    return f"{name}: {', '.join(said)}" if said else ""


def _plural(what: str, count: int) -> str:
    return what if count == 1 else {"reply": "replies"}.get(what, f"{what}s")


def _people(rig: Rig) -> Iterator[str]:
    private: Counter[str] = Counter()
    for user in rig.workspace.users:
        private[user] = len([one for one in rig.workspace.ephemerals(user) if not one.deleted])
    calls: Counter[str] = Counter()
    for channel in rig.workspace.channels.values():
        for one in _ours(rig, channel.id):
            first = rig.workspace.versions(channel.id, one.ts)[0]
            calls.update({user or group for user, group in _CALL.findall(f"{first.text}\n{first.blocks}")})
    for who in sorted({*private, *calls}):
        said = [f"{private[who]} private"] if private[who] else []
        said += [f"called {calls[who]} times" if calls[who] > 1 else "called once"] if calls[who] else []
        if said:
            yield f"{who}: {', '.join(said)}"
