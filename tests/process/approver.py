"""A simulated approver who presses buttons of open cards, again if a press had no effect."""

import asyncio
import re
from contextlib import suppress
from types import TracebackType
from typing import Self

from bot.playground.workspace import ImpossibleAct, Message
from bot.presentation.payments import forms
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS


class Approver:
    """Acts while its context is open, and reads only what a person sees."""

    def __init__(self, scene: Scene, *, user: str = ADA) -> None:
        self._scene = scene
        self.user = user
        self.acknowledged: list[str] = []
        """Texts of the cards whose approval was acknowledged, as they were when pressed."""

    async def __aenter__(self) -> Self:
        self._acting = asyncio.create_task(self._act(), name=f"approver {self.user}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._acting.cancel()
        with suppress(asyncio.CancelledError):
            await self._acting

    async def _act(self) -> None:
        while True:
            for card in self._scene.cards(APPROVALS):
                for action in ("payout.approve", "payout.retry"):
                    if any(button.action_id == action for button in card.buttons):
                        with suppress(ImpossibleAct):  # the card changed before the press
                            await self._press(card, action)
            await asyncio.sleep(0.1)  # a person's pace

    async def _press(self, card: Message, action: str) -> None:
        workspace = self._scene.workspace
        ack = await workspace.click(self.user, APPROVALS, card.ts, action)
        if ack.ok and action == "payout.approve":
            self.acknowledged.append(card.text)
        if (view := workspace.modal(self.user)) is not None:
            amount = re.search(r"\$([\d,]+\.\d\d)", card.text)
            assert amount, card.text
            typed = {forms.AMOUNT: amount[1].replace(",", "")} if forms.AMOUNT in view.values else {}
            await workspace.submit(self.user, typed)
        if workspace.modal(self.user) is not None:
            await workspace.close(self.user)
