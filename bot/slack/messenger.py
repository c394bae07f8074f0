"""Posting and editing messages, and finding them again."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.content import Content
from bot.domain.errors import ServiceNever
from bot.domain.files.dropped import Share
from bot.slack import history
from bot.slack.calls import call
from bot.slack.history import Stretch

MARKER = "switchboard_outbox"
"""Event type of the metadata by which a message is recognised as one of ours."""

TOO_RICH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
"""Errors that Slack gives for the blocks of a message; without blocks it may succeed."""


@dataclass(frozen=True, slots=True)
class Posted:
    """Address of a message."""

    channel: str
    ts: str


class Messenger:
    """The bot's messages. Every method raises the errors of :func:`bot.slack.calls.call`."""

    def __init__(self, *, client: AsyncWebClient) -> None:
        self._client = client
        self._direct: dict[str, str] = {}

    async def post(self, *, channel: str, content: Content, marker: str, thread_ts: str | None = None) -> Posted:
        """Post once. ``marker`` is the id by which :meth:`find` recognises the message later."""
        answer = await call(
            self._client.chat_postMessage(
                channel=channel,
                text=content.text,
                blocks=list(content.blocks) or None,
                thread_ts=thread_ts,
                metadata={"event_type": MARKER, "event_payload": {"id": marker}},
                parse="none",
                unfurl_links=False,
                unfurl_media=False,
            )
        )
        return Posted(str(answer["channel"]), str(answer["ts"]))

    async def permalink(self, at: Posted) -> str:
        """The permanent link to a message."""
        answer = await call(self._client.chat_getPermalink(channel=at.channel, message_ts=at.ts))
        return str(answer.get("permalink") or "")

    async def edit(self, *, at: Posted, content: Content) -> None:
        """Replace a message's text and blocks; repeating it changes nothing."""
        await call(
            self._client.chat_update(
                channel=at.channel, ts=at.ts, text=content.text, blocks=list(content.blocks), parse="none"
            )
        )

    async def find(self, stretch: Stretch, *, marker: str = "", names: Collection[str] = ()) -> Posted | None:
        """Search for a message that we may have posted, by its marker.

        A file of ours has none: it is found by its name or title. Slack may fill in the name later, so both are
        compared, and both must be unique.

        None means that the whole stretch was read and has no such message. Where Slack does not answer, the stretch
        holds where to continue.
        """

        def ours(message: Mapping[str, Any]) -> bool:
            metadata = message.get("metadata") or {}
            if metadata.get("event_type") == MARKER and metadata.get("event_payload", {}).get("id") == marker:
                return True
            return any(file.get("name") in names or file.get("title") in names for file in message.get("files") or [])

        found = await history.find(self._client, stretch, ours)
        return None if found is None else Posted(stretch.channel, str(found["ts"]))

    async def find_upload(self, *, channel: str, file_id: str, oldest: float) -> Share | None:
        """The message that shared a file, where neither an event nor the file itself names it.

        Only the conversation itself is read: a message inside a thread is not found.
        """

        def holds(message: Mapping[str, Any]) -> bool:
            return any(file.get("id") == file_id for file in message.get("files") or [])

        found = await history.find(self._client, Stretch(channel=channel, thread_ts=None, oldest=oldest), holds)
        if found is None:
            return None
        return Share(channel=channel, ts=str(found["ts"]), thread_ts=str(found.get("thread_ts") or ""))

    async def direct_message(self, user: str) -> str:
        """Id of the conversation between this person and the bot, which never changes."""
        if user not in self._direct:
            answer = await call(self._client.conversations_open(users=user))
            self._direct[user] = str(answer["channel"]["id"])
        return self._direct[user]

    async def is_member(self, channel: str) -> bool:
        """Whether the bot can post here. A channel that Slack hides from us is one we are not in."""
        try:
            answer = await call(self._client.conversations_info(channel=channel))
        except ServiceNever as hidden:
            if hidden.error in ("channel_not_found", "method_not_supported_for_channel_type"):
                return False
            raise
        found = answer["channel"]
        return bool(found.get("is_member") or found.get("is_im"))

    async def post_ephemeral(self, *, channel: str, user: str, content: Content, thread_ts: str | None = None) -> None:
        """Post a message that one user sees until they reload, so never for anything that matters."""
        await call(
            self._client.chat_postEphemeral(
                channel=channel,
                user=user,
                text=content.text,
                blocks=list(content.blocks) or None,
                thread_ts=thread_ts,
                parse="none",
            )
        )

    async def open_view(self, *, trigger_id: str, view: Mapping[str, Any]) -> str:
        """Open a modal; the trigger is valid once, within three seconds. Returns the id for :meth:`update_view`."""
        answer = await call(self._client.views_open(trigger_id=trigger_id, view=dict(view)))
        return str(answer["view"]["id"])

    async def publish_home(self, *, user: str, view: Mapping[str, Any]) -> None:
        """Publish one user's App Home, replacing the previous one."""
        await call(self._client.views_publish(user_id=user, view=dict(view)))

    async def update_view(self, *, view_id: str, view: Mapping[str, Any]) -> None:
        """Replace an open modal by another one; ``not_found`` when the user has closed it."""
        await call(self._client.views_update(view_id=view_id, view=dict(view)))
