"""What people see and press in one world, and what each press decided; only through the product's doors."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.playground.workspace import ImpossibleAct, Message, View
from bot.playground.workspace.model import Button
from tests.people.places import Spot, landing, spots
from tests.people.sheets import Sheet
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, OLGA, TOM, Rig, is_card, press

NAMES = {MARIA: "Maria", TOM: "Tom", ADA: "Ada", LIN: "Lin", OLGA: "Olga"}
REQUESTERS = {"Maria Silva": MARIA, "Tom Berg": TOM}
APPROVE = "payout.approve"
_REFERENCE = re.compile(r"\b[PL]-[2-9A-Z]{6}\b")
_OWN = re.compile(r"· ([PL]-[2-9A-Z]{6})\b")
_LINK = re.compile(r"/p(\d{10})(\d{6})\b")
_MONEY = re.compile(r"\$([\d,]+\.\d\d)")
_ENDED_BY_PEOPLE = ("Rejected", "Withdrawn", "Closed")
_MOST_FORMS = 5


def references(text: str) -> frozenset[str]:
    return frozenset(_REFERENCE.findall(text))


def own_reference(text: str) -> str:
    """The request that a card, a line or news is about; empty: none."""
    found = _OWN.search(text) or _REFERENCE.search(text)
    return found[found.lastindex or 0] if found is not None else ""


@dataclass(frozen=True, slots=True)
class Vote:
    """A vote that the card showed after a press; ``card``: the text of the card in #approvals right before it."""

    reference: str
    user: str
    at: float
    card: str


@dataclass(slots=True)
class Request:
    """What is known of a request since its card was posted; ``made_from``: the request whose button was pressed."""

    reference: str
    at: float
    requester: str
    ts: str
    made_from: str = ""
    sheet: Sheet | None = None


class Scene:
    """The people of one history. ``story``: their acts in plain words; ``broken``: presses that decided too much."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.workspace = rig.workspace
        self.story: list[str] = []
        self.broken: list[str] = []
        self.votes: list[Vote] = []
        self.requests: dict[str, Request] = {}
        self.releases: list[tuple[float, str]] = []
        """Forms that an admin submitted: when, and their text."""
        self._own: dict[str, str] = {}

    @property
    def now(self) -> float:
        return self.rig.clock.seconds()

    def note(self, what: str) -> None:
        self.story.append(f"{self.rig.clock.now():%d %H:%M:%S} {what}")

    async def settle(self) -> None:
        await self.rig.settle()
        self.look()

    def look(self) -> None:
        """Note new cards of the approvers."""
        for reference, card in self.cards().items():
            if reference not in self.requests:
                by = next((user for name, user in REQUESTERS.items() if f"requested by {name}" in card.text), "")
                self.requests[reference] = Request(reference, float(card.ts), by, card.ts)

    def own(self, message: Message) -> str:
        """The reference of the request that a card, a line or news is about: the first that it showed."""
        if message.ts not in self._own:
            found = own_reference(message.text)
            if not found:
                return ""
            self._own[message.ts] = found
        return self._own[message.ts]

    def cards(self, channel: str = APPROVALS) -> dict[str, Message]:
        return {self.own(one): one for one in self.workspace.messages(channel) if is_card(one) and self.own(one)}

    def waiting(self) -> list[Message]:
        self.look()
        return [one for one in self.cards().values() if any(button.action_id == APPROVE for button in one.buttons)]

    def new_since(self, known: set[str]) -> list[Request]:
        return [one for reference, one in self.requests.items() if reference not in known]

    def made_from(self, reference: str) -> list[str]:
        """The request that this one was made from, the one before that, and so on."""
        found: list[str] = []
        while (one := self.requests.get(reference)) is not None and one.made_from not in ("", *found):
            reference = one.made_from
            found.append(reference)
        return found

    # presses

    async def deciding(
        self, user: str, aimed: frozenset[str], doing: Callable[[], Awaitable[Any]], about: str = ""
    ) -> None:
        """Act and fill in what opens, then compare the cards with before: only what was aimed at may be decided."""
        before = self._standing()
        self.rig.clock.advance(0.01)
        pressed_at = self.now
        with suppress(ImpossibleAct):  # the client shows that no more
            await doing()
        await self.rig.settle()
        await self.fill_in(user, about)
        self.look()
        for reference, (card, voters) in self._standing().items():
            was = before.get(reference)
            if was is None:
                continue
            voted = user in voters and user not in was[1]
            ended = card.text.startswith(_ENDED_BY_PEOPLE) and not was[0].text.startswith(_ENDED_BY_PEOPLE)
            if voted:
                self.votes.append(Vote(reference, user, pressed_at, was[0].plain))
            if (voted or ended) and reference not in aimed:
                shown = ", ".join(sorted(aimed)) or "nothing"
                self.broken.append(f"press: {NAMES[user]} pressed where {shown} was shown and decided {reference}")

    async def press_card(self, user: str, card: Message, action: str, *, times: int = 1) -> None:
        """Press a button of a card, or choose it in its menu; several times at once, as from two devices."""

        async def doing() -> None:
            await asyncio.gather(*(press(self.workspace, card, action, user=user) for _ in range(times)))

        await self.deciding(user, frozenset({self.own(card)}), doing, card.plain)

    async def press_button(self, user: str, message: Message, button: Button, *, times: int = 1) -> list[str]:
        """Press a button of a message, fill in the form that it opens; what only this person is told."""
        heard = len(self.workspace.ephemerals(user))

        async def doing() -> None:
            click = self.workspace.click
            where = (user, message.channel, message.ts, button.action_id)
            await asyncio.gather(*(click(*where, block_id=button.block_id) for _ in range(times)))

        await self.deciding(user, references(message.plain), doing, message.plain)
        return [one.text for one in self.workspace.ephemerals(user)[heard:]]

    async def fill_in(self, user: str, about: str) -> None:
        """Fill in and submit the forms that are open, as somebody who means it; close what asks for nothing."""
        for _ in range(_MOST_FORMS):
            view = self.workspace.modal(user)
            if view is None:
                return
            if not view.submit:
                await self.workspace.close(user)
                continue
            if user == OLGA:
                self.releases.append((self.now, view.plain))
            await self._submit(user, filled(view, about))
            after = self.workspace.modal(user)
            if after is not None and after.id == view.id and (after.errors or after.plain == view.plain):
                await self.workspace.close(user, clear=True)

    async def _submit(self, user: str, values: dict[str, Any]) -> None:
        try:
            await self.workspace.submit(user, values)
        except ImpossibleAct:
            await self.workspace.close(user, clear=True)
        await self.rig.settle()

    # files

    async def pay_file(self, user: str, sheet: Sheet, *, good: bool, twice: bool) -> None:
        """Drop it, press *Pay in bulk*, and request what can be paid; ``good``: also where rows are to be fixed."""
        before = {one.ts for one in self.workspace.messages(FINANCE)}
        await self.workspace.drop(user, FINANCE, sheet.name, sheet.content)
        await self.rig.settle()
        new = [one for one in self.workspace.messages(FINANCE) if one.ts not in before]
        for offer in new:
            for button in offer.buttons:
                if button.text == "Pay in bulk":
                    await self.workspace.click(user, FINANCE, offer.ts, button.action_id, block_id=button.block_id)
                    await self._through(user, good=good, twice=twice)
                    return

    async def _through(self, user: str, *, good: bool, twice: bool) -> None:
        for _ in range(_MOST_FORMS):
            view = await self._read(user)
            if view is None:
                break
            pressed = next((one for one in view.buttons if one.text.startswith("Request the")), None)
            if pressed is not None and good:
                await self.workspace.click_in_view(user, pressed.action_id, block_id=pressed.block_id)
                await self._turns(user, view)
            elif view.submit and pressed is None:
                ack = await self.workspace.submit(user, filled(view, ""))
                if twice:
                    await self.workspace.resend(ack)
            else:
                break
            after = await self._read(user)
            if after is not None and after.plain == view.plain:
                break
        await self.settle()
        if self.workspace.modal(user) is not None:
            await self.workspace.close(user, clear=True)

    async def _turns(self, user: str, view: View) -> None:
        """Wait until the form turns into another one."""

        def changed() -> bool:
            now = self.workspace.modal(user)
            return now is None or now.plain != view.plain

        await self.workspace.until(changed)

    async def _read(self, user: str) -> View | None:
        """The form once the file is read."""

        def drawn() -> bool:
            view = self.workspace.modal(user)
            return view is None or not any(word in view.plain for word in ("Reading", "Looking", "Asking the"))

        await self.workspace.until(drawn)
        return self.workspace.modal(user)

    # the App Home

    async def open_home(self, user: str) -> View | None:
        await self.workspace.open_home(user)
        return self.workspace.home(user)

    def spots(self, view: View, *, phone: bool) -> list[Spot]:
        """Where its buttons are that decide about a request."""
        return [one for one in spots(view, self._references_of, phone=phone) if one.references]

    async def land(self, user: str, aimed: Spot, *, phone: bool) -> None:
        """The finger comes down on a place of the App Home, whatever is drawn there now; a form hides it."""
        view = self.workspace.home(user)
        there = landing(spots(view, self._references_of, phone=phone), aimed) if view is not None else None
        if there is not None and self.workspace.modal(user) is None:
            button = there.button
            await self.workspace.click_in_view(user, button.action_id, block_id=button.block_id, home=True)

    async def press_stale(self, user: str, spot: Spot) -> None:
        """Press what another device still shows."""
        button = spot.button
        sent: dict[str, Any] = {"block_id": button.block_id, "value": button.value}
        await self.workspace.click_in_view(user, button.action_id, home=True, force=True, **sent)

    def _references_of(self, text: str) -> frozenset[str]:
        """Requests that a text names, or links to."""
        messages = {one.ts: one for channel in (APPROVALS, FINANCE) for one in self.workspace.messages(channel)}
        linked = (messages.get(f"{seconds}.{rest}") for seconds, rest in _LINK.findall(text))
        return references(text) | {self.own(one) for one in linked if one is not None and self.own(one)}

    def _standing(self) -> dict[str, tuple[Message, frozenset[str]]]:
        return {reference: (card, voters_of(card)) for reference, card in self.cards().items()}


def voters_of(card: Message) -> frozenset[str]:
    return frozenset(
        user for user in NAMES if f"<@{user}>" in card.text.partition("Approved by ")[2].partition(". ")[0]
    )


def filled(view: View, about: str) -> dict[str, Any]:
    """Values for the inputs that a person has to fill in."""
    return dict(_filled(view, about))


def _filled(view: View, about: str) -> Iterator[tuple[str, Any]]:
    for block in view.blocks:
        element = block.get("element", {})
        if block["type"] != "input" or block.get("optional") or any(name.startswith("initial") for name in element):
            continue
        if element["type"] == "plain_text_input":
            money = _MONEY.search(about)
            asks_for_it = "amount" in block["block_id"] or "amount" in block["label"]["text"].lower()
            yield block["block_id"], money[1].replace(",", "") if asks_for_it and money else "No invoice"
        elif options := element.get("options"):
            yield block["block_id"], options[0]["value"]
