"""The payments simulator behind the scenes: its calls, its ledger, and switches in plain words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.playground.console.choices import LISTING, READING, WRITING, callback_choices, callbacks_on, turn_callbacks
from bot.playground.console.panels import CallLine, FaultChoice, FaultTarget, Figure
from bot.playground.console.service_panel import SimulatorPanel, without_secret
from bot.playground.simulators.callbacks import CallbackSwitches
from bot.playground.simulators.ledger import Entry, EntryKind
from bot.playground.simulators.payments import PaymentsSimulator, Switches
from bot.playground.simulators.recorder import Call

CALLBACKS = "callback"
OUTCOME = "outcome"
"""Not a request: final status of committed payouts."""
BULK_OUTCOME = "bulk outcome"
"""The same for bulk payments."""

_MOVES_MONEY = frozenset({"commit_payout", "one_step_payout"})

_CALLBACKS = callback_choices("callbacks", forged="another amount, person and status")
_OUTCOMES = (
    FaultChoice(kind="fail", title="Let payouts fail", about="Committed payouts end as failed; the money comes back."),
    FaultChoice(kind="hold", title="Hold payouts", about="Committed payouts stay pending."),
)
_BULK_OUTCOMES = (
    FaultChoice(kind="bulk_fail", title="Let some payments fail", about="Every fifth payment of a bulk fails."),
    FaultChoice(kind="bulk_hide", title="Leave out failed items", about="As above, and the list of items lacks them."),
    FaultChoice(kind="bulk_break", title="Fail halfway", about="The bulk payment fails after three of its payments."),
    FaultChoice(kind="bulk_slow", title="Work slowly", about="One payment a step instead of hundreds."),
    FaultChoice(kind="bulk_stuck", title="Get stuck", about="Bulk payments do not move at all."),
    FaultChoice(kind="bulk_lose", title="Lose items", about="Every fifth payment is missing from the list of items."),
)
_FAIL_EVERY = 5
_BREAKS_AFTER = 3

_REQUESTS: Sequence[FaultTarget] = (
    FaultTarget(name="commit_payout", title="Commit payout", faults=WRITING),
    FaultTarget(name="create_payout", title="Create payout", faults=WRITING),
    FaultTarget(name="one_step_payout", title="Payout in one step", faults=WRITING),
    FaultTarget(name="create_purchase", title="Create purchase", faults=WRITING),
    FaultTarget(name="get_operation", title="Read one operation", faults=READING),
    FaultTarget(name="list_operations", title="List operations", faults=LISTING),
    FaultTarget(name="account_status", title="Account status", faults=READING),
    FaultTarget(name="create_bulk_payment", title="New bulk payment", faults=WRITING),
    FaultTarget(name="get_bulk_payment", title="Read a bulk payment", faults=READING),
    FaultTarget(name="list_bulk_items", title="List items of a bulk payment", faults=LISTING),
    FaultTarget(name="list_bulk_payments", title="History of bulk payments", faults=READING),
    FaultTarget(name="cancel_bulk_items", title="Cancel items of a bulk payment", faults=WRITING),
    FaultTarget(name="*", title="Any request", faults=WRITING),
)
_MANNERS: Sequence[FaultTarget] = (
    FaultTarget(name=CALLBACKS, title="Callbacks", faults=_CALLBACKS),
    FaultTarget(name=OUTCOME, title="Outcome of payouts", faults=_OUTCOMES),
    FaultTarget(name=BULK_OUTCOME, title="Outcome of bulk payments", faults=_BULK_OUTCOMES),
)
OPERATIONS: Sequence[FaultTarget] = (*_REQUESTS, *_MANNERS)


class PaymentsPanel(SimulatorPanel[PaymentsSimulator]):
    """Shows one payments simulator."""

    name = "payments"
    title = "Payments"
    about = "Simulated provider. “Money moved” comes from its own ledger."
    requests = _REQUESTS
    manners = _MANNERS

    def __init__(self, *, simulator: PaymentsSimulator) -> None:
        super().__init__(simulator=simulator)
        self._latest: str = ""

    def _figures(self) -> list[Figure]:
        """The ledger's sum, what the partner has left, and how many payouts there are."""
        ledger = self._simulator.ledger
        payouts = [record for record in self._simulator.operations.values() if record.operation_type == "payout"]
        return [
            Figure(name="moved", label="Money moved", value=money(ledger.paid_cents()), strong=True),
            Figure(name="balance", label="Balance", value=money(ledger.balance_cents)),
            Figure(name="payouts", label="Payouts", value=str(len(payouts))),
            *self._bulk_figure(),
        ]

    def _bulk_figure(self) -> list[Figure]:
        """Progress of bulk payments, once there is one."""
        jobs = self._simulator.bulk_payments
        if not jobs:
            return []
        worked, total = sum(job.worked for job in jobs), sum(len(job.items) for job in jobs)
        return [Figure(name="bulk", label="In bulk", value=f"{worked} of {total}")]

    def _noted(self, subject: object) -> str:
        if isinstance(subject, Entry):
            return self._note_entry(subject)
        noted = super()._noted(subject)
        if isinstance(subject, Call):
            self._latest = noted
        return noted

    def _line(self, call: Call) -> CallLine:
        """Line of a request that arrived or was answered; it keeps the money noted before."""
        line = super()._line(call)
        known = self._book.get(line.id)
        moved = known.moved if known else ""
        return replace(line, moved=moved, changes=line.changes or bool(moved))

    def _note_entry(self, entry: Entry) -> str:
        """Note the money that left beside the latest call: an effect immediately follows its call."""
        line = self._book.get(self._latest)
        if line is None or entry.kind is not EntryKind.PAYOUT or line.operation not in _MOVES_MONEY:
            return ""
        moved = money(entry.cents) if not line.moved else f"{line.moved} + {money(entry.cents)}"
        return self._book.put(replace(line, moved=moved, changes=True))

    def _shown(self, value: object) -> object:
        return masked(value)

    def _turn_on(self, operation: str, kind: str, times: int | None) -> None:  # noqa: ARG002 - until told
        switches = self._simulator.switches
        match kind:
            case "fail":
                switches.fail_reason = "The recipient's account refused the money"
            case "hold":
                switches.escrow_above_cents = 0
            case "bulk_fail":
                switches.bulk_fail_every = _FAIL_EVERY
            case "bulk_hide":
                switches.bulk_fail_every, switches.bulk_hides_failed = _FAIL_EVERY, True
            case "bulk_break":
                switches.bulk_breaks_after = _BREAKS_AFTER
            case "bulk_lose":
                switches.bulk_loses_every = _FAIL_EVERY
            case "bulk_slow":
                switches.bulk_items_a_step = 1
            case "bulk_stuck":
                switches.bulk_stuck = True
            case _:
                turn_callbacks(self._simulator.callbacks.switches, kind)

    def _on(self) -> Mapping[str, Mapping[str, bool]]:
        switches = self._simulator.switches
        return {
            CALLBACKS: callbacks_on(self._simulator.callbacks.switches),
            OUTCOME: {"fail": switches.fail_reason is not None, "hold": switches.escrow_above_cents is not None},
            BULK_OUTCOME: {
                "bulk_fail": switches.bulk_fail_every > 0,
                "bulk_hide": switches.bulk_hides_failed,
                "bulk_break": switches.bulk_breaks_after > 0,
                "bulk_lose": switches.bulk_loses_every > 0,
                "bulk_slow": switches.bulk_items_a_step == 1,
                "bulk_stuck": switches.bulk_stuck,
            },
        }

    def _be_usual(self) -> None:
        self._simulator.callbacks.switches = CallbackSwitches()
        switches = self._simulator.switches
        switches.fail_reason = switches.escrow_above_cents = None
        switches.bulk_fail_every = switches.bulk_loses_every = switches.bulk_breaks_after = 0
        switches.bulk_hides_failed = False
        switches.bulk_items_a_step = Switches().bulk_items_a_step
        switches.bulk_stuck = False


def money(cents: int) -> str:
    """``2500`` as ``$25.00``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def masked(value: object) -> object:
    """JSON with the secret end of every callback address replaced, at any depth."""
    if isinstance(value, dict):
        return {
            key: without_secret(inner) if str(key).endswith("_uri") and isinstance(inner, str) else masked(inner)
            for key, inner in value.items()
        }
    return [masked(inner) for inner in value] if isinstance(value, list) else value
