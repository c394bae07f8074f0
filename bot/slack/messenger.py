"""Posts, edits and searches the bot's messages, and sends private answers without delaying an ack.

Private answers may get lost: everything important is stored in the database first. Each runs as a tracked task, tries
the response URL first (it works even if the bot isn't a member) and then an ephemeral message.
"""

import asyncio
import json
from collections.abc import Callable, Collection, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, SwitchboardError
from bot.domain.files.dropped import Share
from bot.domain.outcome import Ended
from bot.domain.reasons import Exchange, Reason
from bot.slack.authenticity import Hosts
from bot.slack.calls import call
from bot.slack.pace import Family, SlackWatch

log = structlog.get_logger(__name__)

T = TypeVar("T")

_OK, _TOO_MANY_REQUESTS = 200, 429
_PAGE = 200

MARKER = "switchboard_outbox"
"""Event type in the metadata of the bot's messages."""

TOO_RICH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
"""Errors about a message's blocks; it may succeed without blocks."""


@dataclass(frozen=True, slots=True)
class Posted:
    channel: str
    ts: str


@dataclass(slots=True, kw_only=True)
class Stretch:
    """Search range in a conversation, in seconds since 1970; ``cursor`` is the progress of the search."""

    channel: str
    thread_ts: str | None
    oldest: float
    latest: float | None = None
    """None for no end; a fixed end keeps new messages from shifting the pages."""
    cursor: str = ""


class Messenger:
    """The bot's messages. Every method raises the errors of :func:`bot.slack.calls.call`."""

    def __init__(self, *, client: AsyncWebClient) -> None:
        self._client = client
        self._direct: dict[str, str] = {}
        self._site = ""

    async def post(self, *, channel: str, content: Content, marker: str, thread_ts: str | None = None) -> Posted:
        """Post once. :meth:`find` later recognises the message by ``marker``."""
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
        answer = await call(self._client.chat_getPermalink(channel=at.channel, message_ts=at.ts))
        return str(answer.get("permalink") or "")

    async def link(self, at: Posted) -> str:
        """Return a message's URL; only the first costs a call, because they differ only in channel and timestamp."""
        if not self._site:
            self._site = (await self.permalink(at)).partition("/archives/")[0]
        return f"{self._site}/archives/{at.channel}/p{at.ts.replace('.', '')}"

    async def edit(self, *, at: Posted, content: Content) -> None:
        """Replace a message's text and blocks; idempotent."""
        await call(
            self._client.chat_update(
                channel=at.channel, ts=at.ts, text=content.text, blocks=list(content.blocks), parse="none"
            )
        )

    async def find(self, stretch: Stretch, *, marker: str = "", names: Collection[str] = ()) -> Posted | None:
        """Find a message of ours by its marker, or a file's by its unique name or title; None if there is none."""
        # If Slack doesn't answer, a retry continues at the cursor of the stretch.

        def ours(message: Mapping[str, Any]) -> bool:
            metadata = message.get("metadata") or {}
            if metadata.get("event_type") == MARKER and metadata.get("event_payload", {}).get("id") == marker:
                return True
            return any(file.get("name") in names or file.get("title") in names for file in message.get("files") or [])

        found = await _search(self._client, stretch, ours)
        return None if found is None else Posted(stretch.channel, str(found["ts"]))

    async def find_upload(self, *, channel: str, file_id: str, oldest: float) -> Share | None:
        """Find the message that shared a file in the conversation; doesn't find one inside a thread."""
        found = await _search(
            self._client,
            Stretch(channel=channel, thread_ts=None, oldest=oldest),
            lambda message: any(file.get("id") == file_id for file in message.get("files") or []),
        )
        if found is None:
            return None
        return Share(channel=channel, ts=str(found["ts"]), thread_ts=str(found.get("thread_ts") or ""))

    async def said(self, *, channel: str, ts: str, thread_ts: str) -> str | None:
        """Return the text of a message in Slack's markup; None if it is deleted or hidden from us."""
        moment = float(ts)
        near = Stretch(channel=channel, thread_ts=thread_ts or None, oldest=moment - 1.0, latest=moment + 1.0)
        found = await _search(self._client, near, lambda message: message.get("ts") == ts)
        return None if found is None else str(found.get("text") or "")

    async def direct_message(self, user: str) -> str:
        """Return the id of the user's conversation with the bot, cached because it never changes."""
        if user not in self._direct:
            answer = await call(self._client.conversations_open(users=user))
            self._direct[user] = str(answer["channel"]["id"])
        return self._direct[user]

    async def is_member(self, channel: str) -> bool:
        """Return whether the bot can post in this channel."""
        return not await self.unusable(channel)

    async def unusable(self, channel: str) -> str:
        """Return Slack's error code for why the bot can't post here; empty if it can."""
        try:
            answer = await call(self._client.conversations_info(channel=channel))
        except ServiceNever as hidden:
            if hidden.error in ("channel_not_found", "method_not_supported_for_channel_type"):
                return "channel_not_found"
            raise
        found = answer["channel"]
        if found.get("is_archived"):
            return "is_archived"
        return "" if found.get("is_member") or found.get("is_im") else "not_in_channel"

    async def post_ephemeral(self, *, channel: str, user: str, content: Content, thread_ts: str | None = None) -> None:
        """Post a message that one user sees until they reload; never use it for anything important."""
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

    async def publish_home(self, *, user: str, view: Mapping[str, Any], hash: str = "") -> str:  # noqa: A002 - Slack's
        """Publish a user's App Home and return its new hash.

        ``hash``: of the view it replaces, else ``hash_conflict`` if another process published since; empty to force.
        """
        answer = await call(self._client.views_publish(user_id=user, view=dict(view), hash=hash or None))
        return str((answer.get("view") or {}).get("hash") or "")

    async def update_view(self, *, view_id: str, view: Mapping[str, Any]) -> None:
        """Replace the content of an open modal; error ``not_found`` if the user has closed it."""
        await call(self._client.views_update(view_id=view_id, view=dict(view)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """The user to answer, and how to reach them. ``response_url`` is valid for five uses within half an hour."""

    response_url: str
    channel: str
    user: str
    thread_ts: str = ""


class Ephemerals:
    """Sends private answers in the background; :meth:`drain` waits for the unfinished ones."""

    def __init__(
        self, *, session: aiohttp.ClientSession, messenger: Messenger, api_url: str, watch: SlackWatch = lambda *_: None
    ) -> None:
        self._watch = watch
        self._session = session
        self._messenger = messenger
        self._hosts = Hosts(api_url)
        self._under_way: set[asyncio.Task[Any]] = set()
        self._being_said: set[tuple[str, str, str]] = set()

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that doesn't delay the ack; :meth:`drain` waits for it, then cancels it."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def tell(self, content: Content, *, to: Listener, replace: bool = False) -> None:
        """Answer in the background. ``replace``: replace the private message whose button was pressed."""
        if _words(content, to) not in self._being_said:
            self.begin(self.say(content, to=to, replace=replace))

    async def say(self, content: Content, *, to: Listener, replace: bool = False) -> None:
        """Answer, falling back to plainer blocks and then to text only if the workspace refuses the blocks."""
        # Drop the same text to the same user while it is being delivered.
        words = _words(content, to)
        if words in self._being_said:
            return
        self._being_said.add(words)
        try:
            plainer, none = [content.plainer] if content.plainer else [], [()] if content.blocks else []
            for blocks in (content.blocks, *plainer, *none):
                if await self._deliver(Content(text=content.text, blocks=blocks), to, replace=replace):
                    return
                log.warning("message blocks refused", types=sorted({str(block["type"]) for block in blocks}))
        finally:
            self._being_said.discard(words)

    async def hand(self, content: Content, *, response_url: str) -> None:
        """Show an answer through the response URL only.

        Raises:
            ServiceNever: it certainly wasn't shown.
            OutcomeUnknown: Slack didn't answer.
        """
        if not self._hosts.answers(response_url):
            raise ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="no_response_url"))
        to, error = Listener(response_url=response_url, channel="", user=""), ""
        for blocks in (content.blocks, *([content.plainer] if content.plainer else []), ()):
            error = await self._respond(to, Content(text=content.text, blocks=blocks), replace=False)
            if error == _SILENT:
                raise OutcomeUnknown("Slack", Reason(Exchange.NO_ANSWER, failure=""))
            if not _is_about_blocks(error):
                break
        if error:
            raise ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error=error))

    async def drain(self, *, timeout: float = 2.0) -> None:
        """Wait up to ``timeout`` seconds for unfinished answers, then cancel them."""
        if not self._under_way:
            return
        _, late = await asyncio.wait(self._under_way, timeout=timeout)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _deliver(self, content: Content, to: Listener, *, replace: bool) -> bool:
        """Deliver an answer; False if Slack refused the blocks and others may work. Other failures are logged."""
        if self._hosts.answers(to.response_url):  # no other address is ever called
            error = await self._respond(to, content, replace=replace)
            if not error or _is_about_blocks(error):
                return not error
        try:
            await self._messenger.post_ephemeral(
                channel=to.channel, user=to.user, content=content, thread_ts=to.thread_ts or None
            )
        except SwitchboardError as silent:
            if isinstance(silent, ServiceNever) and _is_about_blocks(silent.error):
                return False
            log.warning("private answer not delivered", reason=str(silent))
        return True

    async def _respond(self, to: Listener, content: Content, *, replace: bool) -> str:
        body: dict[str, object] = {"response_type": "ephemeral", "replace_original": replace, "text": content.text}
        if content.blocks:
            body["blocks"] = list(content.blocks)
        if to.thread_ts and not replace:
            body["thread_ts"] = to.thread_ts
        try:
            async with self._session.post(to.response_url, json=body, allow_redirects=False) as answer:
                said: object = None
                with suppress(ValueError):  # success is ``ok`` as text or JSON
                    said = json.loads(await answer.content.read(4_096))
                failed = isinstance(said, dict) and said.get("ok") is False and (said.get("error") or "refused")
                error = str(failed or "")
                ended = Ended.REFUSED if error or answer.status != _OK else Ended.DONE
                self._watch(Family.PRIVATE, Ended.TOO_MANY if answer.status == _TOO_MANY_REQUESTS else ended)
                return error if answer.status == _OK else error or f"answered {answer.status}"
        except (aiohttp.ClientError, TimeoutError):
            self._watch(Family.PRIVATE, Ended.UNKNOWN)
            return _SILENT  # not logged: the address is a secret, and the ephemeral message follows


_SILENT = "no answer"


def _words(content: Content, to: Listener) -> tuple[str, str, str]:
    return to.channel, to.user, content.text


def _is_about_blocks(error: str) -> bool:
    """Return whether an error is about blocks, such as ``invalid_blocks`` or ``only_one_table_allowed``."""
    return "block" in error or "table" in error


async def _search(
    client: AsyncWebClient, stretch: Stretch, meant: Callable[[Mapping[str, Any]], bool]
) -> Mapping[str, Any] | None:
    """Return the first matching message; None if the whole stretch has none."""
    asked: dict[str, Any] = {"channel": stretch.channel, "limit": _PAGE, "include_all_metadata": True}
    asked["oldest"] = f"{stretch.oldest:.6f}"
    if stretch.latest is not None:
        asked["latest"] = f"{stretch.latest:.6f}"
    begun_anew = False
    while True:
        here = {**asked, "cursor": stretch.cursor} if stretch.cursor else asked
        try:
            if stretch.thread_ts is None:
                page = await call(client.conversations_history(**here))
            else:
                page = await call(client.conversations_replies(ts=stretch.thread_ts, **here))
        except ServiceNever as refused:
            if refused.error != "invalid_cursor" or not stretch.cursor or begun_anew:
                raise
            stretch.cursor, begun_anew = "", True
            continue
        for message in page.get("messages", []):
            if meant(message):
                found: Mapping[str, Any] = message
                return found
        stretch.cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
        if not stretch.cursor:
            return None
