"""The app's answers to an act: in the acknowledgement itself, or later through its ``response_url``."""

import secrets
from dataclasses import dataclass, field
from typing import Any

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.ids import new_id
from bot.playground.workspace.limits.surfaces import checked_metadata
from bot.playground.workspace.methods.chat import new_content
from bot.playground.workspace.model import Json, Message
from bot.playground.workspace.state import WorkspaceState

MOST_USES = 5
LIFE = 30 * 60.0
"""Lifetime of a response URL in seconds."""


@dataclass
class Occasion:
    """The act that is answered: person, channel, message and typed command."""

    user: str
    channel: str
    source: str = ""
    command: str = ""
    issued: float = 0.0
    uses: int = 0
    echoed: bool = field(default=False, init=False)


class Responses:
    """Issues response URLs and shows the answers; the bot need not be a member."""

    def __init__(self, *, state: WorkspaceState) -> None:
        self._state = state
        self._occasions: dict[str, Occasion] = {}

    def issue(self, kind: str, occasion: Occasion) -> str:
        """A new URL for this occasion; ``kind`` is the first part of its path: commands, actions or app."""
        occasion.issued = self._state.clock()
        path = f"{kind}/{self._state.identity.team_id}/{new_id('')}/{secrets.token_urlsafe(18)}"
        self._occasions[path] = occasion
        return f"{self._state.url}/{path}"

    def receive(self, path: str, payload: Json) -> Json:
        """Use a response URL once.

        Raises:
            ApiRefusal: ``expired_url``, ``used_url`` or the error of the message.
        """
        occasion = self._occasions.get(path.lstrip("/"))
        if occasion is None or self._state.clock() - occasion.issued > LIFE:
            raise ApiRefusal("expired_url")
        if occasion.uses >= MOST_USES:
            raise ApiRefusal("used_url")
        self.show(occasion, payload)
        occasion.uses += 1
        return {"ok": True}

    def show(self, occasion: Occasion, payload: Json) -> None:
        """Show an answer: an ephemeral message, unless ``in_channel``, or a change of the source."""
        arguments = Arguments(payload)
        source = self._source(occasion)
        if arguments.flag("delete_original"):
            if source is None:
                raise ApiRefusal("message_not_found")
            self._state.log.change(source, deleted=True)
            return
        content = new_content(arguments)
        if arguments.flag("replace_original") and source is not None:
            metadata = checked_metadata(arguments.structure("metadata"))
            self._state.log.change(source, **content, metadata=metadata or source.metadata)
            return
        self._post(occasion, arguments, content, source)

    def _post(self, occasion: Occasion, arguments: Arguments, content: dict[str, Any], source: Message | None) -> None:
        thread_ts = arguments.text("thread_ts", "")
        if arguments.text("response_type", "ephemeral") != "in_channel":
            thread_ts = thread_ts or (source.thread_ts if source else "")
            self._state.post_as_bot(occasion.channel, ephemeral_to=occasion.user, thread_ts=thread_ts, **content)
            return
        if occasion.command and not occasion.echoed:
            occasion.echoed = True
            self._state.post_as(occasion.user, occasion.channel, text=occasion.command)
        metadata = checked_metadata(arguments.structure("metadata"))
        self._state.post_as_bot(occasion.channel, thread_ts=thread_ts, metadata=metadata, **content)

    def _source(self, occasion: Occasion) -> Message | None:
        message = self._state.log.find(occasion.channel, occasion.source)
        return message if message and not message.deleted and message.bot_id else None
