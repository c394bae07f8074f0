"""Private answers that must not delay an ack.

They may get lost: everything important is in the database before. Each runs as a tracked task, tries the
response URL first (it works where the bot is no member) and then an ephemeral message.
"""

import asyncio
import json
from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
import structlog

from bot.domain.content import Block, Content
from bot.domain.errors import ServiceNever, SwitchboardError
from bot.domain.outcome import Ended
from bot.slack.client import Family, SlackWatch, unwatched
from bot.slack.hosts import Hosts
from bot.slack.messenger import Messenger

log = structlog.get_logger(__name__)

T = TypeVar("T")

_OK, _TOO_MANY_REQUESTS = 200, 429
_ANSWER_BYTES = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """The user to answer, and how to reach them.

    Attributes:
        response_url: sent with the interaction; valid for five uses within half an hour.
        channel: where the interaction was.
        thread_ts: the thread of the interaction; empty outside of threads.
    """

    response_url: str
    channel: str
    user: str
    thread_ts: str = ""


class Ephemerals:
    """Sends private answers in the background; :meth:`drain` waits for the unfinished ones."""

    def __init__(
        self,
        *,
        session: aiohttp.ClientSession,
        messenger: Messenger,
        api_url: str,
        watch: SlackWatch = unwatched,
    ) -> None:
        """``api_url``: its host counts as Slack's own, besides that of response URLs; ``watch`` keeps figures."""
        self._watch = watch
        self._session = session
        self._messenger = messenger
        self._hosts = Hosts(api_url)
        self._under_way: set[asyncio.Task[Any]] = set()
        self._being_said: set[tuple[str, str, str]] = set()

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task beside the ack; :meth:`drain` waits for it, then cancels it."""
        task = asyncio.create_task(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return task

    def tell(self, content: Content, *, to: Listener, replace: bool = False) -> None:
        """Answer without waiting. ``replace``: instead of the private message whose button was pressed."""
        if _words(content, to) not in self._being_said:
            self.begin(self.say(content, to=to, replace=replace))

    async def say(self, content: Content, *, to: Listener, replace: bool = False) -> None:
        """Answer; in plainer blocks, and finally as text only, where the workspace refuses the blocks.

        While an answer is being delivered, the same text to the same user is not sent again.
        """
        words = _words(content, to)
        if words in self._being_said:
            return
        self._being_said.add(words)
        try:
            await self._say(content, to, replace=replace)
        finally:
            self._being_said.discard(words)

    async def _say(self, content: Content, to: Listener, *, replace: bool) -> None:
        for blocks in _shapes(content):
            if await self._deliver(Content(text=content.text, blocks=blocks), to, replace=replace):
                return
            log.warning("the workspace refused blocks", types=sorted({str(block["type"]) for block in blocks}))

    async def drain(self, *, timeout: float = 2.0) -> None:
        """Wait up to ``timeout`` seconds for unfinished answers, then cancel them."""
        if not self._under_way:
            return
        _, late = await asyncio.wait(self._under_way, timeout=timeout)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def trusted(self, response_url: str) -> bool:
        """Whether this address is Slack's; no other address is ever called."""
        return self._hosts.answers(response_url)

    async def _deliver(self, content: Content, to: Listener, *, replace: bool) -> bool:
        """False when Slack refused the blocks and other ones may work; other failures are logged."""
        if self.trusted(to.response_url):
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
        """Slack's error; empty when the answer was accepted."""
        body: dict[str, object] = {"response_type": "ephemeral", "replace_original": replace, "text": content.text}
        if content.blocks:
            body["blocks"] = list(content.blocks)
        if to.thread_ts and not replace:
            body["thread_ts"] = to.thread_ts
        try:
            async with self._session.post(to.response_url, json=body, allow_redirects=False) as answer:
                error = _error(await answer.content.read(_ANSWER_BYTES))
                self._watch(Family.PRIVATE, _ended(answer.status, error))
                return error if answer.status == _OK else error or f"answered {answer.status}"
        except (aiohttp.ClientError, TimeoutError):
            self._watch(Family.PRIVATE, Ended.UNKNOWN)
            return "no answer"  # the address itself is a secret and stays out of the log; the ephemeral message follows


def _words(content: Content, to: Listener) -> tuple[str, str, str]:
    return to.channel, to.user, content.text


def _shapes(content: Content) -> Iterator[Sequence[Block]]:
    """The blocks to try, one after the other; the text goes with each."""
    yield content.blocks
    if content.plainer:
        yield content.plainer
    if content.blocks:
        yield ()


def _ended(status: int, error: str) -> Ended:
    if status == _TOO_MANY_REQUESTS:
        return Ended.TOO_MANY
    return Ended.REFUSED if error or status != _OK else Ended.DONE


def _error(body: bytes) -> str:
    """The name of the error in an answer; on success the answer is ``ok``, as text or in JSON."""
    try:
        answer = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(answer, dict) or answer.get("ok") is not False:
        return ""
    return str(answer.get("error") or "refused")


def _is_about_blocks(error: str) -> bool:
    """``invalid_blocks``, ``invalid_blocks_format``, ``msg_blocks_too_long``, ``only_one_table_allowed``."""
    return "block" in error or "table" in error
