"""What random histories are made of: a world of which each method is one act.

After each act the application does what is due, as its ticks would. Broken promises are raised as :class:`Broken`.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Self

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.callbacks import Callback
from bot.playground.simulators.payments import Record as Operation
from bot.playground.simulators.payments.book import BalanceTooLowError, NotAllowedError
from bot.playground.workspace import Ack, Message, View
from bot.presentation.payments.payouts import SEND_ANYWAY
from tests.support.rig import APPROVALS, FINANCE
from tests.support.settling import Ticks, run_due
from tests.world.books import Record
from tests.world.checker import Ask
from tests.world.conversation import FINAL, OVER
from tests.world.law import POLICIES, Law
from tests.world.plans import CRASHES, Kind, Point
from tests.world.world import World

_MOST_JUMPS = 150
_SETTLED_WITHIN = 30 * 60 + 900.0
"""I10: seconds after the last trouble within which everything that needs no person must know where it stands."""
_ON_THE_WAY = frozenset({"new", "creating", "create_unknown", "sending", "commit_unknown"})
URIS = ("confirmation_uri", "cancel_uri", "failure_uri")


class Broken(AssertionError):
    """A promise that was not kept, by its number."""


class History(World):
    """Open it with :meth:`open`; a fuse kills the process before or after one of its next effects."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.fuse: int | None = None
        """Ends of effects that are still survived, two for each effect; None: it does not burn."""
        self._ticks = Ticks()

    @classmethod
    async def open(cls, folder: Path) -> Self:
        return await cls(folder).__aenter__()

    async def close(self) -> None:
        await self.__aexit__()

    def fault_at(self, point: Point) -> Kind | None:  # noqa: ARG002 - it burns at any point
        fuse, self.fuse = self.fuse, None
        if fuse is not None and fuse >= len(CRASHES):
            self.fuse, fuse = fuse - len(CRASHES), None
        return None if fuse is None else CRASHES[fuse]

    def check(self, *, at_the_end: bool = False) -> None:
        """Hold everything seen so far against the promises.

        Raises:
            Broken: the first promises that are not kept.
        """
        problems = [str(one) for one in (self.checker.end() if at_the_end else self.checker.check())]
        problems += [f"X: a worker failed: {trouble}" for trouble in self.troubles]
        if problems:
            raise Broken("; ".join(problems[:4]))

    async def run_due(self) -> int:
        ctx = self.rig.switchboard.context
        return await self._ticks.run(ctx, partial(run_due, ctx))

    async def settle(self) -> None:
        self._ticks = Ticks()
        await self.answered()
        await super().settle()
        await self.answered()

    async def _act(self, doing: Awaitable[Ack]) -> Ack:
        known = len(self.witness.said)
        ack = await self.act(doing)
        await self.answered()
        if any("Something went wrong on our side" in one.text for one in self.witness.said[known:]):
            raise Broken("I8: an act was answered with an error of ours")
        return ack or Ack(status=0)

    async def restart(self, policy: str | None = None, *, hard: bool = False) -> None:
        self.fuse = None
        if hard:
            await self._bury(self.life)
        else:
            await self.rig.switchboard.stop()
        if policy is not None:
            self.rig.settings.policy_file.write_text(POLICIES[policy])
            self.law = Law(POLICIES[policy])
        await self._boot()
        await self.settle()

    def pick(self, which: int) -> Record | None:
        """One of the requests there are, those that can still change first."""
        rows = sorted(self.books.instructions(), key=lambda row: row["state"] in FINAL)
        return rows[which % len(rows)] if rows else None

    def stands(self, *states: str) -> bool:
        return any(row["state"] in states for row in self.books.instructions())

    async def ask(self, user: str, text: str, *, email: str, cents: int, channel: str) -> None:
        """Type ``/pay …``; what is stored must be what was typed."""
        known = {row["id"] for row in self.books.instructions()}
        heard = self._heard(user)
        ack = await self._act(self.workspace.slash(user, channel, "/pay", text, force=True))
        new = [row for row in self.books.instructions() if row["id"] not in known]
        for row in new:
            self.asks[row["id"]] = Ask(requester=user, email=email, cents=cents, law=self.law, channel=channel)
            if row["requester"] != user or (row["payload"]["email"], row["payload"]["cents"]) != (email, cents):
                raise Broken(f"I3: {user} asked for {email} {cents}, stored is {row['payload']} of {row['requester']}")
        told = self._since(user, heard)
        if ack.ok and "Request sent: " in told and not new:
            raise Broken(f"I8: {user} was told that the request is stored: {told}")
        if len(new) > 1:
            raise Broken("I8: one command made several requests")
        await self.settle()
        await self._vouch()

    async def _vouch(self) -> None:
        """Whoever asked for a payout to an address without an account says that it is right, where they are asked."""
        for row in self.books.instructions():
            found = self._button(row["reference"], SEND_ANYWAY) if row["state"] == "new" else None
            if found is not None:
                card, value = found
                await self._click(row["requester"], card, SEND_ANYWAY, value, twice=False)
                await self.settle()

    async def press(self, which: int, user: str, action: str, *, typed: str = "", twice: bool = False) -> None:
        """Press a button of a request's card, and fill in the form when one opens.

        A button that is gone by now is pressed as it last stood there: people's screens lag behind.
        """
        row = self.pick(which)
        found = self._button(row["reference"], action) if row is not None else None
        if row is None or found is None:
            return
        card, value = found
        self.workspace._state.views.close_all(user)
        before = self._votes(row["id"])
        ack = await self._click(user, card, action, value, twice=twice)
        view = self.workspace.modal(user)
        submitted = view is not None and bool(view.submit)
        if view is not None and submitted:
            ack = await self._submit(user, view, typed)
        self._judge(row, user, typed if submitted else "", before)
        if ack.ok:
            self._hold_to_word(row, user, action, done=submitted and not ack.body)
        await self.settle()

    async def _click(self, user: str, card: Message, action: str, value: str, *, twice: bool) -> Ack:
        def click() -> Awaitable[Ack]:
            return self.workspace.click(user, card.channel, card.ts, action, action={"value": value}, force=True)

        if not twice:
            return await self._act(click())

        async def both() -> Ack:
            first, second = await asyncio.gather(click(), click())
            if first.request is not None:
                await self.workspace.resend(first)
            return first if first.ok else second

        return await self._act(both())

    async def _submit(self, user: str, view: View, typed: str) -> Ack:
        fields = [block["block_id"] for block in view.blocks if block["type"] == "input"]
        entered = dict.fromkeys(fields, typed or "No invoice")  # none where only the account is confirmed
        return await self._act(self.workspace.submit(user, entered, force=True))

    def _judge(self, row: Record, user: str, typed: str, before: set[tuple[int, str, str]]) -> None:
        """Hold the votes that came of an act against who acted and what was typed."""
        ask = self.asks[row["id"]]
        able = self.register.approvers(self.law, self.clock.seconds())
        new = self._votes(row["id"]) - before
        for _, person, choice in new:
            if person != user:
                if not any(one[1:] == (person, choice) for one in before):
                    raise Broken(f"I2: {user} pressed, {person} voted")
                continue  # a vote that still counts was carried into a new round
            if user not in able or user == ask.requester:
                raise Broken(f"I4: {user} is no approver of {row['reference']} and voted {choice}")
            must_type = choice == "retry" or (ask.law.wants_it_typed(ask.cents) and choice == "approve")
            if must_type and typed != f"{ask.cents / 100:.2f}":
                raise Broken(f"I2: {user} voted {choice} by typing {typed!r}")

    def _hold_to_word(self, row: Record, user: str, action: str, *, done: bool) -> None:
        """I8: what an act was answered to have done is in the database."""
        choice = "retry" if action == "payout.retry" else "approve"
        voted = done and action in ("payout.approve", "payout.retry")
        if voted:
            if not any((person, what) == (user, choice) for _, person, what in self._votes(row["id"])):
                raise Broken(f"I8: {user} approved {row['reference']} without a word against it, and no vote is stored")
            self.checker.lasting.add((row["id"], user, choice))
        wanted = {"payout.reject": "rejected", "payout.close": "closed"}.get(action)
        if wanted is not None and done:
            now = next(one for one in self.books.instructions() if one["id"] == row["id"])
            if (now["state"], now["decided_by"]) != (wanted, user):
                raise Broken(f"I8: {user} did {action}, {row['reference']} is {now['state']}")

    async def say(self, user: str, text: str) -> None:
        heard = self._heard(user)
        ack = await self._act(self.workspace.slash(user, FINANCE, "/pay", text, force=True))
        told = self._since(user, heard)
        if ack.ok and "Payments are frozen." in told and not self.books.is_frozen():
            raise Broken("I8: payments were said to be frozen")
        await self.settle()

    def regroup(self, user: str, *, member: bool) -> None:
        users = [one for one in self.workspace.groups["S0TREASURY"].users if one != user]
        self.workspace.set_group("S0TREASURY", [*users, user] if member else users)
        self.register.note(self.clock.seconds())

    def employ(self, user: str, *, active: bool) -> None:
        self.workspace.set_user(user, deleted=not active)
        self.register.note(self.clock.seconds())

    def records(self) -> list[Operation]:
        return list(self.payments.operations.values())

    async def move(self, which: int, status: str) -> None:
        records = self.records()
        if records:
            record = records[which % len(records)]
            self.checker.meddled.add(str(record.code))
            with suppress(NotAllowedError, BalanceTooLowError):
                await self.payments.settle(record.id, status, reason="The account is closed")
        await self._called_back()

    def tamper(self, which: int, *, cents: int) -> None:
        """A payout that was created is given another amount, or with 0 cents more another recipient."""
        waiting = [record for record in self.records() if record.status == "created"]
        if waiting:
            record = waiting[which % len(waiting)]
            self.checker.meddled.add(str(record.code))
            record.cents += cents
            record.email = record.email if cents else "mallory@example.com"

    async def advance(self) -> None:
        await self.payments.advance()
        await self._called_back()

    async def call_back(self, which: int, kind: int, body: object) -> None:
        """Somebody who knows a callback address uses it, with a body of their own or a real one."""
        records = self.records()
        if not records:
            return
        record = records[which % len(records)]
        url = getattr(record, URIS[kind])
        if isinstance(body, int):
            body = self.payments.shapes.operation(records[body % len(records)])
        before = self._standing()
        await self._post(url, body)
        if self._standing() != before:
            raise Broken("I7: a callback changed something before anything was read")
        await self.settle()

    async def guess_callback(self, token: str) -> None:
        before, kept = self._standing(), len(self.books.rows("SELECT 1 FROM inbox"))
        status = await self._post(f"{self.rig.switchboard.url}/callbacks/payments/{token}", {"status": "completed"})
        if status not in (404, None) or (self._standing(), len(self.books.rows("SELECT 1 FROM inbox"))) != (
            before,
            kept,
        ):
            raise Broken(f"I7: a guessed callback was answered {status}")
        await self.settle()

    async def _post(self, url: str, body: object) -> int | None:
        count = len(self.payments.deliveries)
        self.payments.callbacks.send_now(Callback(operation_id="", kind="", url=url, body=body))
        await self.act(self.payments.delivered())
        status = self.payments.deliveries[count].status
        if status == 200 and not self.books.rows("SELECT 1 FROM inbox"):
            raise Broken("I6: a callback was answered 200 and is not stored")
        return status

    async def _called_back(self) -> None:
        await self.service_moves()
        await self.settle()

    def arm(self, side: str, operation: str, kind: FaultKind, *, times: int = 1, skip: int = 0) -> None:
        self.calm()
        faults = self.payments.faults if side == "service" else self.workspace.faults
        faults.arm(Fault(kind, operation=operation, times=times, skip=skip))

    def calm(self) -> None:
        self.payments.faults.clear()
        self.workspace.faults.clear()

    async def wait(self, seconds: float, *, steps: int = 1) -> None:
        for _ in range(steps):
            self.clock.advance(seconds / steps)
            await self._called_back()

    async def converge(self) -> None:
        """I10: when nothing goes wrong any more, everything comes to its end or to people, and is told once."""
        self.calm()
        self.fuse = None
        switches = self.payments.callbacks.switches
        switches.drop = switches.forged = switches.out_of_order = switches.double = False
        switches.late_seconds = 0
        self.payments.callbacks.release()
        for email in ("ana@example.com", "mia@example.com", "nobody@example.com"):
            self.payments.add_account(email)
        await self._called_back()
        began, pace, patient = self.clock.seconds(), 1.0, True
        for _ in range(_MOST_JUMPS):
            await self.payments.advance()
            await self._called_back()
            await self._vouch()
            self.check()
            rows = self.books.instructions()
            if patient and self.clock.seconds() - began > _SETTLED_WITHIN:
                patient = False
                late = [(row["reference"], row["state"]) for row in rows if row["state"] in _ON_THE_WAY]
                if late:
                    raise Broken(f"I10: after {_SETTLED_WITHIN} s still {late}")
            if all(row["state"] in OVER for row in rows) and not self.books.undone():
                break
            now = self.clock.seconds()
            due = self.books.next_due(now) or now
            self.clock.advance(max(due - now, pace))
            pace = min(pace * 1.6, 3_600)
        else:
            raise Broken(f"I10: no end: {[row['state'] for row in rows]} {self.books.undone()}")
        self.check(at_the_end=True)

    def _button(self, reference: str, action: str) -> tuple[Message, str] | None:
        """The newest version of a card in the approvers' channel that has a button, and what it carries."""
        for card in self.cards(reference):
            if card.channel != APPROVALS and action not in ("payout.withdraw", SEND_ANYWAY):
                continue
            for version in reversed(self.workspace.versions(card.channel, card.ts)):
                for button in version.buttons:
                    if button.action_id == action:
                        return card, button.value
        return None

    def _votes(self, instruction_id: str) -> set[tuple[int, str, str]]:
        return {(one["round"], one["person"], one["choice"]) for one in self.books.votes(instruction_id)}

    def _standing(self) -> list[tuple[str, str, int]]:
        return [(row["id"], row["state"], row["version"]) for row in self.books.instructions()]

    def _heard(self, user: str) -> int:
        return len(self.workspace.ephemerals(user))

    def _since(self, user: str, heard: int) -> str:
        return "\n".join(message.text for message in self.workspace.ephemerals(user)[heard:])
