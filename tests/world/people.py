"""Simulated people: they look at Slack, act, and repeat what did not work.

They do not read the database to decide. A person looks at the workspace, and again some seconds after each act.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from bot.playground.simulators.callbacks import Callback
from bot.playground.workspace import Message
from tests.support.answers import is_accepted
from tests.support.rig import APPROVALS
from tests.world.conversation import approved_by, roots

if TYPE_CHECKING:
    from tests.world.run import Run

_AGAIN_SECONDS = 10.0
_MOST_TRIES = 8


@dataclass(slots=True, kw_only=True)
class Person:
    """A person or service that acts when there is a reason to; ``looks_at`` is the time of the next look."""

    user: str = ""
    tries: int = 0
    looks_at: float = 0.0
    most: int = _MOST_TRIES

    def wants(self, world: Run) -> bool:
        return self.tries < self.most and self._reason(world)

    async def turn(self, world: Run) -> None:
        self.tries += 1
        await self._act(world)
        self.looks_at = world.clock.seconds() + _AGAIN_SECONDS

    def _reason(self, world: Run) -> bool:
        raise NotImplementedError

    async def _act(self, world: Run) -> None:
        raise NotImplementedError


@dataclass(slots=True, kw_only=True)
class Asker(Person):
    """Types a command until the answer says that it was accepted."""

    channel: str
    text: str
    done: bool = False

    def _reason(self, world: Run) -> bool:  # noqa: ARG002 - everybody else looks around
        return not self.done

    async def _act(self, world: Run) -> None:
        known = len(world.books.instructions())
        ack = await world.person_acts(
            self.user,
            "ask",
            world.workspace.slash(self.user, self.channel, "/pay", self.text),
            durable=lambda: len(world.books.instructions()) > known,
        )
        self.done = is_accepted(ack)


@dataclass(slots=True, kw_only=True)
class Decider(Person):
    """Presses a button on the first card that has it, and fills in the form when one opens."""

    action: str
    channel: str = APPROVALS
    values: dict[str, str] = field(default_factory=dict)
    table: ClassVar[dict[str, tuple[str, str]]] = {
        "payout.approve": ("vote", "approve"),
        "payout.retry": ("vote", "retry"),
        "payout.reject": ("state", "rejected"),
        "payout.close": ("state", "closed"),
        "payout.withdraw": ("state", "withdrawn"),
    }

    def _reason(self, world: Run) -> bool:
        return self._card(world) is not None

    def _card(self, world: Run) -> Message | None:
        """The first card, if it has the button; a second card for the same request is ignored."""
        cards = [card for card in self._seen(world) if card.blocks]
        if not cards or all(button.action_id != self.action for button in cards[0].buttons):
            return None
        return None if f"<@{self.user}>" in approved_by(cards[0]) else cards[0]

    def _seen(self, world: Run) -> Sequence[Message]:
        """Root messages of the channel; if the bot could not post there, those of the direct message."""
        return roots(world, self.channel) or roots(world, world.workspace.open_dm(self.user).id)

    async def _act(self, world: Run) -> None:
        view = world.workspace.modal(self.user)
        if view is not None and not view.submit:
            await world.act(world.workspace.close(self.user))
            view = None
        if view is None:
            card = self._card(world)
            assert card is not None
            doing = world.workspace.click(self.user, card.channel, card.ts, self.action)
            await world.person_acts(self.user, f"press {self.action}", doing, durable=lambda: self._holds(world))
            view = world.workspace.modal(self.user)
        if view is not None and view.submit:
            doing = world.workspace.submit(self.user, self.values)
            await world.person_acts(self.user, f"submit {self.action}", doing, durable=lambda: self._holds(world))

    def _holds(self, world: Run) -> bool:
        where, what = self.table[self.action]
        if where == "vote":
            query = (
                "SELECT 1 FROM vote JOIN instruction ON instruction.id = vote.instruction_id "
                "AND instruction.round = vote.round WHERE person = ? AND choice = ?"
            )
        else:
            query = "SELECT 1 FROM instruction WHERE decided_by = ? AND state = ?"
        return bool(world.books.rows(query, self.user, what))


@dataclass(slots=True, kw_only=True)
class Voucher(Decider):
    """Says that an address without an account is right."""

    action: str = "payout.send_anyway"

    def _holds(self, world: Run) -> bool:
        return bool(world.books.rows("SELECT 1 FROM instruction WHERE recipient LIKE '%\"anyway\":%true%'"))


@dataclass(slots=True, kw_only=True)
class Reminded(Decider):
    """Decides after a reminder that one more approval is needed, as for a repeated request."""

    def _reason(self, world: Run) -> bool:
        card = self._card(world)
        return card is not None and any(
            one.thread_ts == card.ts and one.text.startswith(":bell:") for one in world.workspace.messages(card.channel)
        )


@dataclass(slots=True, kw_only=True)
class Liar(Person):
    """Sends forged callbacks of completion too early: to an invented address, then to the real one."""

    most: int = 2

    def _reason(self, world: Run) -> bool:
        return any(record.status == "committed" for record in world.payments.operations.values())

    async def _act(self, world: Run) -> None:
        record = next(r for r in world.payments.operations.values() if r.status == "committed")
        body = {"id": record.id, "status": "completed", "code": record.code}
        url = str(record.confirmation_uri)
        if self.tries == 1:
            url = url.rpartition("/")[0] + "/" + "x" * len(url.rpartition("/")[2])
        callback = Callback(operation_id=record.id, kind="confirmation_uri", url=url, body=body)
        world.payments.callbacks.send_now(callback)
        await world.act(world.payments.delivered())


@dataclass(slots=True, kw_only=True)
class Colleague(Person):
    """Commits the payout by hand at the service while it waits for approval."""

    most: int = 1

    def _reason(self, world: Run) -> bool:
        return bool(roots(world, APPROVALS)) and any(r.status == "created" for r in world.payments.operations.values())

    async def _act(self, world: Run) -> None:
        for record in list(world.payments.operations.values()):
            await world.payments.settle(record.id, "committed")


@dataclass(slots=True, kw_only=True)
class Recipient(Person):
    """Signs up at the service while money is held for them."""

    email: str
    most: int = 1

    def _reason(self, world: Run) -> bool:
        return any(record.status == "pending" for record in world.payments.operations.values())

    async def _act(self, world: Run) -> None:
        world.payments.add_account(self.email, full_name="Nia New")
