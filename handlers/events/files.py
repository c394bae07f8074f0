"""Events about files: each one is stored as a hint, and the file is read later."""

from collections.abc import Mapping
from typing import Any

from bot.workflows.slack.dropped_files import Sighting, forget, notice
from handlers.dependencies import Dependencies
from handlers.incoming import files_of, reading
from handlers.router import Router

_SPOKEN = frozenset({"", "file_share", "thread_broadcast", "me_message"})
"""Subtypes of messages from users; edits and the like are no uploads."""


def register(router: Router) -> None:
    """Register messages with files, and Slack's events about files."""
    router.events["message"] = said
    router.events["file_shared"] = shared
    router.events["file_deleted"] = deleted


async def said(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Store the files of a message, with their thread; messages of apps are ignored."""
    with reading():
        seen = _seen(body["event"], bot_user=deps.ctx.bot_user)
    if seen:
        await notice(deps.ctx, seen)


def _seen(event: Mapping[str, Any], *, bot_user: str) -> list[Sighting]:
    user, files = str(event.get("user") or ""), files_of(event)
    if not files or not user or event.get("bot_id") or str(event.get("subtype") or "") not in _SPOKEN:
        return []
    if user == bot_user:
        return []
    return [
        Sighting(
            file_id=file_id,
            channel=str(event["channel"]),
            user=user,
            message_ts=str(event["ts"]),
            thread_ts=str(event.get("thread_ts") or ""),
        )
        for file_id in files
    ]


async def shared(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Store a shared file: the event has only ids, and often comes beside the message's own event."""
    event = body["event"]
    with reading():
        file_id = str(event.get("file_id") or (event.get("file") or {}).get("id") or "")
        channel, user = str(event.get("channel_id") or ""), str(event.get("user_id") or "")
    if file_id and channel and user != deps.ctx.bot_user:
        await notice(deps.ctx, [Sighting(file_id=file_id, channel=channel, user=user)])


async def deleted(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Store that a file was deleted; its offer ends."""
    file_id = str(body["event"].get("file_id") or "")
    if file_id:
        await forget(deps.ctx, file_id)
