"""Random histories: what requesters and approvers do around one payment, and what the service does meanwhile.

A seed draws a theme, which acts it favours, and the acts. Then everybody does what is left to do, so that what was
requested is paid if it may be, and the law is read from the ledger.
"""

import random
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.playground.workspace.model import Button
from tests.people.places import Spot
from tests.people.scene import APPROVE, NAMES, Scene, voters_of
from tests.people.service import Service
from tests.people.sheets import DONE_COLUMNS, Row, Sheet, exported
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, OLGA, TOM, Rig, offers

THEMES: Final[Mapping[str, tuple[Sequence[str], Mapping[str, int]]]] = {
    "good rows": (("file",), {"send": 3, "mend": 6, "file": 2}),
    "again": (("send", "fail", "again"), {"again": 6, "edit": 2, "turn": 2, "file": 2, "fail": 2}),
    "home": (("send", "send", "tap"), {"tap": 6, "aim": 5, "stale": 2}),
    "import": (("file", "approve", "step", "elsewhere", "take in"), {"take in": 5, "elsewhere": 3}),
    "status": (("file", "approve", "step"), {"status": 5, "export": 5}),
    "everything": (("send",), {}),
}
"""Of each theme: how its histories begin, and which acts it favours."""
_USUAL: Final[Mapping[str, int]] = {"approve": 3, "send": 1, "file": 1, "step": 1, "reject": 1, "lose": 1, "hours": 1}
_ACTS: Final = (2, 5)
_ROUNDS: Final = 4
_UNKNOWN_SECONDS: Final = 2_000.0
"""By then what became of everything is known, or people are asked."""
_LOSSES: Final = (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.ERROR_500)
_LOST: Final = ("create_payout", "commit_payout", "one_step_payout", "create_bulk_payment", "get_operation")
_ID: Final = re.compile(r"\b[0-9a-f]{24}\b")
_AGAIN: Final = ("Try again", "Retry")
_GOES_ON: Final = re.compile(r"Release|Send it|Send both|Send anyway|Pay anyway")
"""Buttons of an admin that let a held request go on."""


class History:
    def __init__(self, rig: Rig, seed: int) -> None:
        self.seed = seed
        self.theme = list(THEMES)[seed % len(THEMES)]
        self.scene = Scene(rig)
        self.service = Service(rig)
        self._rig = rig
        self._chance = random.Random(seed)  # noqa: S311 - it is to be repeatable
        self._people = [f"{name}{seed}@example.com" for name in ("kim", "bo")]
        self._amounts = ["25.00", "40.00"]
        self._sheets: list[tuple[str, Sheet]] = []
        self._count = 0
        self._is_lossy = False
        rig.add_payees(*self._people)

    async def play(self) -> None:
        acts = self._acts()
        first, favoured = THEMES[self.theme]
        weights = {**_USUAL, **favoured} if favoured else dict.fromkeys(acts, 1)
        drawn = self._chance.choices(list(weights), list(weights.values()), k=self._chance.randint(*_ACTS))
        for name in (*first, *drawn):
            await acts[name]()
            self._rig.clock.advance(self._chance.choice((0.4, 3.0, 20.0)))
        await self.end()

    def _acts(self) -> dict[str, Callable[[], Awaitable[None]]]:
        return {
            "send": self.send,
            "file": self.file,
            "mend": self.mend,
            "status": self.status,
            "export": self.export,
            "again": self.again,
            "edit": self.edit,
            "elsewhere": self.elsewhere,
            "take in": self.take_in,
            "withdraw": self.withdraw,
            "approve": self.approve,
            "reject": self.reject,
            "tap": self.tap,
            "aim": self.aim,
            "stale": self.stale,
            "step": self.step,
            "fail": self.fail,
            "turn": self.turn,
            "lose": self.lose,
            "hours": self.hours,
        }

    # requesters

    async def send(self) -> None:
        user, verb = self._requester(), self._chance.choice(("send", "send", "now"))
        text = f"{verb} {self._person()} {self._amount()} Invoice"
        self.scene.note(f"{NAMES[user]} types /pay {text}")
        await self._rig.pay(text, user=user)
        self.scene.look()

    async def file(self) -> None:
        """Drop a file, sometimes with a row to fix, and request it or its good rows, or look only."""
        rows = [Row(self._person(), self._amount(), f"n{n}") for n in range(self._chance.choice((1, 2, 2)))]
        if self._chance.random() < 0.6:
            rows.append(Row(self._person(), f"-{self._amount()}", "bad"))
        await self._drop(Sheet(self._name(), tuple(rows)), self._requester())

    async def status(self) -> None:
        """Drop a file with a column that says which rows are done."""
        column, word = self._chance.choice(DONE_COLUMNS)
        rows = (Row(self._person(), self._amount(), "n1", word), Row(self._person(), self._amount(), "n2", ""))
        await self._drop(Sheet(self._name(), rows, column, frozenset({word})), self._requester())

    async def mend(self) -> None:
        """Drop the file with the bad rows again, mended."""
        bad = [(user, sheet) for user, sheet in self._sheets if not sheet.is_good]
        if bad:
            user, sheet = self._chance.choice(bad)
            await self._drop(sheet.mended(), user)

    async def export(self) -> None:
        """Send the list of a bulk payment as CSV, and drop that file."""
        lists = [one for one in self.scene.requests.values() if one.reference.startswith("L-")]
        if not lists:
            return
        asked, heard = self._chance.choice(lists), len(self._rig.workspace.ephemerals(MARIA))
        await self._rig.pay(f"bulk items {asked.reference}")
        told = self._rig.workspace.ephemerals(MARIA)[heard:]
        for message, button in _buttons(told, "Send as CSV"):
            await self.scene.press_button(MARIA, message, button)
            files = [
                name for m in self._rig.workspace.messages(self._rig.workspace.open_dm(MARIA).id) for name in m.files
            ]
            stored = self._rig.workspace.file(files[-1]) if files else None
            if stored is not None and asked.reference in stored.name:
                await self._drop(exported(stored.name, stored.content), MARIA)

    async def _drop(self, sheet: Sheet, user: str) -> None:
        good, twice = self._chance.random() < 0.8, self._chance.random() < 0.2
        self.scene.note(f"{NAMES[user]} drops {sheet}" + (" and requests what can be paid" if good else " and looks"))
        self._sheets.append((user, sheet))
        known = set(self.scene.requests)
        await self.scene.pay_file(user, sheet, good=good, twice=twice)
        for one in self.scene.new_since(known):
            one.sheet = sheet

    async def again(self) -> None:
        await self._from_another(_AGAIN)

    async def edit(self) -> None:
        await self._from_another(("Edit and resend",))

    async def _from_another(self, words: tuple[str, ...]) -> None:
        """Press the button below what failed, once or twice at once; the new request is made from that one."""
        found = [(m, b) for m, b in _buttons(self._rig.workspace.messages(FINANCE), *words) if not m.ephemeral_to]
        if not found:
            return
        message, button = self._chance.choice(found)
        first = self.scene.own(message)
        asked = self.scene.requests.get(first)
        user = asked.requester if asked is not None else MARIA
        times, known = self._chance.choice((1, 1, 2)), set(self.scene.requests)
        self.scene.note(f"{NAMES[user]} presses {button.text} of {first}, {times} times")
        await self.scene.press_button(user, message, button, times=times)
        for one in self.scene.new_since(known):
            one.made_from = first

    async def elsewhere(self) -> None:
        """Somebody else at the partner makes a payout; often with one of our marks, as a copy of ours has."""
        record, mark = self.service.made_elsewhere(self._person(), self._amount(), self._chance)
        self.scene.note(f"a payout of {record.cents} cents to {record.email} is made elsewhere as {record.id}{mark}")

    async def take_in(self) -> None:
        """Look at the list of the service, at one operation of it, and take it in where that is offered."""
        user, workspace = self._requester(), self._rig.workspace
        heard = len(workspace.ephemerals(user))
        await self._rig.pay("list", user=user)
        listed = list(dict.fromkeys(one for m in workspace.ephemerals(user)[heard:] for one in _ID.findall(m.plain)))
        known_there = [one.id for one in self.service.elsewhere]
        if not listed + known_there:
            return
        among = known_there if known_there and self._chance.random() < 0.7 else listed or known_there
        named, heard = self._chance.choice(among), len(workspace.ephemerals(user))
        await self._rig.pay(f"show {named}", user=user)
        for message, button in _buttons(workspace.ephemerals(user)[heard:], "Import payout"):
            times = self._chance.choice((1, 1, 2))
            self.scene.note(f"{NAMES[user]} takes in {named}, pressed {times} times")
            known = set(self.scene.requests)
            await self.scene.press_button(user, message, button, times=times)
            if self.scene.new_since(known) and self.service.is_marked(named):
                self.scene.broken.append(f"import: {named} has our marks and was taken in")

    async def withdraw(self) -> None:
        waiting = self.scene.waiting()
        if waiting:
            reference = self.scene.own(self._chance.choice(waiting))
            line, asked = self.scene.cards(FINANCE).get(reference), self.scene.requests[reference]
            if line is not None and asked.requester:
                self.scene.note(f"{NAMES[asked.requester]} withdraws {reference}")
                await self.scene.press_card(asked.requester, line, "withdraw")

    # approvers

    async def approve(self) -> None:
        await self._decide("approve", times=self._chance.choice((1, 1, 2)))

    async def reject(self) -> None:
        await self._decide("reject", times=1)

    async def _decide(self, action: str, *, times: int) -> None:
        waiting = self.scene.waiting()
        if waiting:
            card, user = self._chance.choice(waiting), self._approver()
            if self._chance.random() < 0.8:  # seldom somebody whose press doesn't count
                asked = self.scene.requests[self.scene.own(card)].requester
                user = next((one for one in (user, LIN, ADA) if one != asked and one not in voters_of(card)), user)
            self.scene.note(f"{NAMES[user]} presses {action} on the card of {self.scene.own(card)}, {times} times")
            await self.scene.press_card(user, card, action, times=times)

    async def tap(self) -> None:
        """Press twice at one place of the App Home, 150 to 1,300 ms apart."""
        user, phone, chosen = await self._spot(APPROVE, APPROVE, "payout.reject", "payout.withdraw")
        if chosen is None:
            return
        apart, drawn = self._chance.uniform(0.15, 1.3), self._chance.random() < 0.8
        names = ", ".join(chosen.references)
        self.scene.note(f"{NAMES[user]} presses {chosen.button.text} of {names} at home, twice, {apart:.2f} s apart")

        async def twice() -> None:
            await self.scene.land(user, chosen, phone=phone)
            if drawn:
                await self._rig.settle()
            self._rig.clock.advance(apart)
            await self.scene.land(user, chosen, phone=phone)

        await self.scene.deciding(user, chosen.references, twice, chosen.text)

    async def aim(self) -> None:
        """Aim at a button of the App Home; before the finger comes down, something happens and it is drawn again."""
        user, phone, chosen = await self._spot(APPROVE)
        if chosen is None:
            return
        self.scene.note(f"{NAMES[user]} aims at {chosen.button.text} of {', '.join(chosen.references)} at home")
        await self._chance.choice((self.approve, self.approve, self.send, self.withdraw))()
        await self._rig.pass_time(4.0, steps=2)
        await self.scene.deciding(
            user, chosen.references, lambda: self.scene.land(user, chosen, phone=phone), chosen.text
        )

    async def stale(self) -> None:
        """Press what another device of the same person still shows."""
        user, _, chosen = await self._spot(APPROVE)
        if chosen is not None:
            await self.approve()
            self.scene.note(f"{NAMES[user]} presses Approve of {', '.join(chosen.references)} on an old screen")
            await self.scene.deciding(
                user, chosen.references, lambda: self.scene.press_stale(user, chosen), chosen.text
            )

    # the service

    async def step(self) -> None:
        self.scene.note("the service goes on")
        await self.service.step()
        self.scene.look()

    async def fail(self) -> None:
        """What is waiting is approved, and fails at the service."""
        await self.approve()
        self.scene.note("the service fails what it has")
        await self.service.step(fails=True)
        self.scene.look()

    async def turn(self) -> None:
        """What failed turns out to be paid after all."""
        for named in await self.service.turn(self._chance):
            self.scene.note(f"{named}, which failed, turns out paid")
        await self.scene.settle()

    async def lose(self) -> None:
        operation, kind = self._chance.choice(_LOST), self._chance.choice(_LOSSES)
        self.scene.note(f"the next answer to {operation} will be {kind}")
        self._rig.payments.faults.arm(Fault(kind, operation))
        self._is_lossy = True

    async def hours(self) -> None:
        hours = self._chance.choice((1, 5, 20))
        self.scene.note(f"{hours} h pass")
        await self._rig.pass_time(hours * 3_600.0, steps=2)
        self.scene.look()

    # the end

    async def end(self) -> None:
        """Everybody does what is left to do, until the money of all that may be paid has left."""
        faults = self._rig.payments.faults
        if faults.armed or self._is_lossy:
            faults.clear()
            await self._rig.pass_time(_UNKNOWN_SECONDS, steps=4)
        if self._chance.random() < 0.5:
            await self.turn()
        for _ in range(_ROUNDS):
            if not await self._left():
                break
        for _ in range(2):  # a bulk payment begins, then pays
            await self._rig.payments.advance()

    async def _left(self) -> bool:
        """Approve what waits, one after the other; decide what is held. Returns whether there was something."""
        busy = False
        for card in self.scene.waiting():
            for user in (ADA, LIN, TOM):
                now = self._rig.workspace.message(APPROVALS, card.ts)
                offered = any(button.action_id == APPROVE for button in now.buttons)
                asked = self.scene.requests[self.scene.own(now)]
                if offered and user not in voters_of(now) and user != asked.requester:
                    busy = True
                    self.scene.note(f"{NAMES[user]} approves {self.scene.own(now)}")
                    await self.scene.press_card(user, now, "approve")
        busy = await self._unknown() or busy
        for channel in (APPROVALS, ALERTS):
            for message, button in _buttons(self._rig.workspace.messages(channel)):
                if _GOES_ON.search(button.text):
                    self.scene.note(f"Olga presses {button.text} of {self.scene.own(message)}")
                    await self.scene.press_button(OLGA, message, button)
                    busy = True
        return busy

    async def _unknown(self) -> bool:
        """Where nobody knows whether it was sent, people send it once more, or close it as not paid."""
        cards = [one for one in self.scene.cards().values() if any(b.action_id == "payout.close" for b in one.buttons)]
        for card in cards:
            action = "retry" if self._chance.random() < 0.7 and offers(card, "retry") else "close"
            for user in (ADA, LIN):
                self.scene.note(f"{NAMES[user]} presses {action} on the card of {self.scene.own(card)}")
                await self.scene.press_card(user, card, action)
        return bool(cards)

    # drawing

    async def _spot(self, *actions: str) -> tuple[str, bool, Spot | None]:
        """Somebody who opens their App Home on a phone or not, and a button there: the upper ones more often."""
        phone, wanted = self._chance.random() < 0.5, self._chance.choice(actions)
        user = self._requester() if wanted == "payout.withdraw" else self._approver()
        view = await self.scene.open_home(user)
        found = self.scene.spots(view, phone=phone) if view is not None else []
        found = [one for one in found if one.button.action_id == wanted]
        return user, phone, found[int(len(found) * self._chance.random() ** 2)] if found else None

    def _requester(self) -> str:
        return self._chance.choice((MARIA, MARIA, TOM))

    def _approver(self) -> str:
        return self._chance.choice((ADA, LIN, TOM))

    def _person(self) -> str:
        return self._people[self._chance.random() < 0.25]

    def _amount(self) -> str:
        return self._amounts[self._chance.random() < 0.25]

    def _name(self) -> str:
        self._count += 1
        return f"file-{self._count}.csv"


def _buttons(messages: Iterable[Message], *starts: str) -> list[tuple[Message, Button]]:
    """The buttons whose words begin so, with their messages; without words, all."""
    return [(one, button) for one in messages for button in one.buttons if not starts or button.text.startswith(starts)]
