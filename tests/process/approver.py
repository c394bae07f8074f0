"""A simulated approver who presses buttons of open cards, again if a press had no effect."""

import asyncio
import re
from contextlib import suppress
from types import TracebackType
from typing import Self

from bot.playground.workspace import Ack, ImpossibleAct, Message
from tests.process.scene import Scene
from tests.support.rig import APPROVALS

_APPROVE, _RETRY = "payout.approve", "payout.retry"
_NEXT_LOOK = 0.1


class Approver:
    """Acts while its context is open, and reads only what a person sees.

    Args:
        user: who it is.
    """

    def __init__(self, scene: Scene, *, user: str) -> None:
        self._scene = scene
        self._user = user
        self._acting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._acting = asyncio.create_task(self._act(), name=f"approver {self._user}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        assert self._acting is not None
        self._acting.cancel()
        with suppress(asyncio.CancelledError):
            await self._acting

    async def _act(self) -> None:
        while True:
            for card in self._scene.cards(APPROVALS):
                for action in (_APPROVE, _RETRY):
                    if any(button.action_id == action for button in card.buttons):
                        await self._press(card, action)
            await asyncio.sleep(_NEXT_LOOK)  # a person's pace

    async def _press(self, card: Message, action: str) -> None:
        workspace = self._scene.workspace
        with suppress(ImpossibleAct):  # the card changed before the press
            await self._click(card, action)
            if workspace.modal(self._user) is not None:
                await workspace.submit(self._user, {"amount": _amount_on(card)})
            if workspace.modal(self._user) is not None:
                await workspace.close(self._user)

    async def _click(self, card: Message, action: str) -> Ack:
        return await self._scene.workspace.click(self._user, APPROVALS, card.ts, action)


def _amount_on(card: Message) -> str:
    found = re.search(r"([\d,]+\.\d\d) USD", card.text)
    assert found, card.text
    return found[1].replace(",", "")
