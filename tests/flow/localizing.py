"""Localization as people see it: type, drop, press, and read what comes."""

from collections.abc import Mapping
from typing import Any

from bot.playground.workspace import Ack, Message
from bot.playground.workspace.files import StoredFile
from bot.presentation.files import offers
from tests.support.rig import FINANCE, MARIA, Rig

ENGLISH = (
    "The meeting was moved to Friday because the room was taken. Everybody was told in time. Nobody minded at all."
)

DONE = ":white_check_mark:"
"""Where a call's message says that everything is there."""


class Localizer:
    def __init__(self, rig: Rig, *, user: str = MARIA, channel: str = FINANCE) -> None:
        self.rig = rig
        self.user = user
        self.channel = channel

    async def type(self, text: str) -> Ack:
        return await self.rig.workspace.slash(self.user, self.channel, "/localize", text)

    async def choose(self, label: str, *, file: Message) -> Ack:
        """Press a button of a file's offer, or choose it in the offer's menu."""
        offer = await self.rig.workspace.until(lambda: self._offer(file))
        button = next((one for one in offer.buttons if one.text == label), None)
        if button is not None:
            return await self.rig.workspace.click(self.user, self.channel, offer.ts, button.action_id)
        value = next(option["value"] for option in menu(offer) if option["text"]["text"] == label)
        return await self.rig.workspace.click(self.user, self.channel, offer.ts, offers.USE, value=value)

    def _offer(self, file: Message) -> Message | None:
        thread = [m for m in self.messages(thread=file.ts) if m.bot_id]
        return thread[0] if thread else None

    async def offered(self, file: Message) -> list[str]:
        offer = await self.rig.workspace.until(lambda: self._offer(file))
        return [one.text for one in offer.buttons] + [option["text"]["text"] for option in menu(offer)]

    async def press(self, board: Message, action: str, *, user: str = "", force: bool = False) -> None:
        """Press a button of a call's message; ``force``: also one that isn't there any more."""
        value = next((one.value for one in board.buttons), "") if force else None
        ack = await self.rig.workspace.click(
            user or self.user, board.channel, board.ts, action, value=value, force=force
        )
        assert ack.status == 200

    async def told(self, words: str, *, user: str = "") -> None:
        """Wait until this person alone reads these words."""
        person = user or self.user
        await self.rig.workspace.until(lambda: [m for m in self.rig.workspace.ephemerals(person) if words in m.text])

    async def submit(self, values: Mapping[str, Any] | None = None) -> Ack:
        return await self.rig.workspace.submit(self.user, values or {})

    @property
    def form(self) -> Any:
        return self.rig.workspace.modal(self.user)

    def messages(self, *, thread: str | None = None, channel: str | None = None) -> list[Message]:
        listed = self.rig.workspace.messages(channel or self.channel)
        if thread is None:
            return [m for m in listed if not m.ephemeral_to]
        return [m for m in listed if m.thread_ts == thread and m.ts != thread and not m.ephemeral_to]

    def boards(self, *, channel: str | None = None) -> list[Message]:
        """The messages of calls, oldest first: those that say who asked."""
        return [m for m in self.messages(channel=channel) if "Requested by " in m.text]

    async def board(self, *words: str, without: str = "~", number: int = -1, channel: str | None = None) -> Message:
        def there() -> Message | None:
            boards = self.boards(channel=channel)
            if len(boards) < (number + 1 if number >= 0 else 1):
                return None
            said = boards[number].text
            return boards[number] if without not in said and all(word in said for word in words) else None

        return await self.rig.workspace.until(there, timeout=60)

    async def results(self, board: Message, count: int = 1) -> list[Message]:
        """What stands in the thread of a call, once there is so much: all but its own message and the offer."""
        thread = board.thread_ts or board.ts

        def there() -> list[Message] | None:
            found = [
                m
                for m in self.messages(thread=thread, channel=board.channel)
                if m.bot_id and m.ts != board.ts and f"<@{self.user}>" in m.text and "Requested by " not in m.text
            ]
            return found if len(found) >= count else None

        return await self.rig.workspace.until(there, timeout=60)

    async def answer(self, *words: str, number: int = -1) -> Message:
        """The private answer to a text, once it has all these words: the newest, or the one of that number."""

        def there() -> Message | None:
            told = [m for m in self.rig.workspace.ephemerals(self.user) if not m.text.startswith(":hourglass")]
            if len(told) < (number + 1 if number >= 0 else 1):
                return None
            return told[number] if all(word in told[number].text for word in words) else None

        return await self.rig.workspace.until(there, timeout=60)

    def files(self, messages: list[Message]) -> list[StoredFile]:
        found = [self.rig.workspace._state.files.get(file) for m in messages for file in m.files]
        return [file for file in found if file is not None]


def menu(offer: Message) -> list[Any]:
    elements = [element for block in offer.blocks for element in block.get("elements", [])]
    return [option for element in elements for option in element.get("options", [])]


def errors(ack: Ack) -> Mapping[str, str]:
    assert isinstance(ack.body, dict), ack.body
    assert ack.body.get("response_action") == "errors", ack.body
    found: Mapping[str, str] = ack.body["errors"]
    return found


def answer(ack: Ack) -> str:
    assert isinstance(ack.body, dict), ack.body
    return str(ack.body.get("text", ""))
