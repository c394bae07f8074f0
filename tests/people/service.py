"""What the payments service does in a history: it goes on, fails, finds out that it paid after all, lists strangers."""

import random

from bot.playground.simulators.ledger import EntryKind
from bot.playground.simulators.payments.records import COMPLETED, FAILED, PayoutOrder, Record
from tests.support.rig import Rig

_ELSEWHERE = "https://elsewhere.example"
_STEP_SECONDS = 45.0


class Service:
    """``failed`` and ``turned``: when an operation or item failed, and when it turned out paid, by id or hash."""

    def __init__(self, rig: Rig) -> None:
        self.failed: dict[str, float] = {}
        self.turned: dict[str, float] = {}
        self.elsewhere: list[Record] = []
        self._marked: set[str] = set()
        self._rig = rig
        self._payments = rig.payments

    async def step(self, *, fails: bool = False) -> None:
        """Move everything by one step, a bulk payment to its end; what is new ``fails``, of a list every row."""
        switches = self._payments.switches
        switches.fail_reason = "The recipient's account refused the money" if fails else None
        switches.bulk_fail_every = int(fails)
        for _ in range(2 if any(job.status not in ("done", FAILED) for job in self._payments.bulk_payments) else 1):
            await self._payments.advance()
            await self._rig.pass_time(_STEP_SECONDS)
        switches.fail_reason, switches.bulk_fail_every = None, 0
        for record in self._payments.operations.values():
            if record.status == FAILED:
                self.failed.setdefault(record.id, self._rig.clock.seconds())
        for job in self._payments.bulk_payments:
            for item in job.items:
                if item.status == FAILED:
                    self.failed.setdefault(item.hash, self._rig.clock.seconds())

    async def turn(self, chance: random.Random) -> list[str]:
        """One payment that failed turns out paid, and the service says so from now on; its name."""
        open_ones = [one for one in self.failed if one not in self.turned]
        if not open_ones:
            return []
        chosen, now = chance.choice(open_ones), self._rig.clock.seconds()
        self.turned[chosen] = now
        record = self._payments.operations.get(chosen)
        if record is not None:
            about = {"operation_id": record.id, "code": record.code, "email": record.email, "cents": record.cents}
            self._payments.ledger.append(EntryKind.PAYOUT, **about)  # type: ignore[arg-type]
            await self._payments.settle(record.id, COMPLETED, force=True)
            await self._payments.delivered()
            return [f"{record.cents} cents to {record.email}"]
        for job in self._payments.bulk_payments:
            if chosen in job.by_hash:
                self._payments.bulk.settle(job, chosen, COMPLETED)
                return [job.by_hash[chosen].order.internal_note]
        return []

    def made_elsewhere(self, email: str, amount: str, chance: random.Random) -> tuple[Record, str]:
        """A payout that nobody requested here; its record, and which mark of ours it has."""
        order = PayoutOrder(
            email=email,
            description="Invoice",
            cents=round(float(amount) * 100),
            code=f"PO-{len(self.elsewhere)}",
            confirmation_uri=f"{_ELSEWHERE}/confirmed",
            failure_uri=f"{_ELSEWHERE}/failed",
        )
        record = self._payments.add_payout(order)
        ours = [one for one in self._payments.operations.values() if one not in (*self.elsewhere, record)]
        items = [item for job in self._payments.bulk_payments for item in job.items]
        mark = chance.choice(["", "callback", "note", "hash"])
        if mark == "callback" and ours:
            record.confirmation_uri = chance.choice(ours).confirmation_uri
        elif mark == "note" and items:
            record.description = f"Invoice {chance.choice(items).order.internal_note}"
        elif mark == "hash" and items:
            record.svc_operation_hash = chance.choice(items).hash
        else:
            mark = ""
        self.elsewhere.append(record)
        self._marked |= {record.id} if mark else set()
        return record, f" with our {mark}" if mark else ""

    def is_marked(self, operation_id: str) -> bool:
        """Whether it has our marks, or is a record of ours."""
        return operation_id in self._marked or operation_id not in {one.id for one in self.elsewhere}
