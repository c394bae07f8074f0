"""The payments simulator behind the scenes: its calls, its ledger, and switches in plain words."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from bot.playground.console import panels
from bot.playground.console.panels import Armed, CallBook, CallLine, FaultChoice, Figure, Operation, Status
from bot.playground.faults import FaultKind
from bot.playground.simulators.callbacks import CallbackSwitches, Delivery
from bot.playground.simulators.ledger import Entry, EntryKind
from bot.playground.simulators.payments import PaymentsSimulator, Switches
from bot.playground.simulators.recorder import Call

CURRENCY = "USD"
OUTCOME = "outcome"
"""Not a request: what becomes of payouts once they are committed."""
BULK_OUTCOME = "bulk outcome"
"""The same for bulk payments."""

_MOVES_MONEY = frozenset({"commit_payout", "one_step_payout"})
_SUCCESS = range(200, 300)

_LOST = FaultChoice(kind="lost", title="Lose the request", about="Nothing happens, and no answer comes.")
_READING = (
    _LOST,
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing happens; the service says it failed."),
    FaultChoice(kind="too_many", title="Answer 429", about="Too many requests: come back in a second."),
    FaultChoice(kind="refused", title="Refuse", about="Nothing happens; the service says no (422)."),
    FaultChoice(kind="garbage", title="Answer garbage", about="It happens, but a proxy answers with an HTML page."),
    FaultChoice(kind="slow", title="Answer slowly", about="It happens; the answer takes five seconds."),
)
_WRITING = (
    _LOST,
    FaultChoice(kind="done_hangs", title="Do it, then time out", about="It happens, but the answer never comes."),
    FaultChoice(kind="done_dropped", title="Do it, then hang up", about="It happens, then the line is cut."),
    FaultChoice(kind="done_500", title="Do it, then answer 500", about="It happens, but the service says it failed."),
    *_READING[1:],
)
_CALLBACKS = (
    FaultChoice(kind="drop", title="Drop callbacks", about="None is sent. Polling has to find out."),
    FaultChoice(kind="double", title="Double callbacks", about="Each is sent twice."),
    FaultChoice(kind="forged", title="Forge callbacks", about="They tell of another amount, person and status."),
    FaultChoice(kind="late", title="Delay callbacks", about="Each comes ten seconds late."),
)
_OUTCOMES = (
    FaultChoice(kind="fail", title="Let payouts fail", about="Committed payouts end as failed; the money comes back."),
    FaultChoice(kind="hold", title="Hold payouts", about="Committed payouts stay pending."),
)
_BULK_OUTCOMES = (
    FaultChoice(kind="bulk_fail", title="Let some payments fail", about="Every fifth payment of a bulk fails."),
    FaultChoice(kind="bulk_slow", title="Work slowly", about="One payment a step instead of hundreds."),
    FaultChoice(kind="bulk_stuck", title="Get stuck", about="Bulk payments do not move at all."),
    FaultChoice(kind="bulk_lose", title="Lose items", about="Every fifth payment is missing from the list of items."),
)
_FAIL_EVERY = 5
_LATE_SECONDS = 10.0

OPERATIONS: Sequence[Operation] = (
    Operation(name="commit_payout", title="Commit payout", faults=_WRITING),
    Operation(name="create_payout", title="Create payout", faults=_WRITING),
    Operation(name="get_operation", title="Read one operation", faults=_READING),
    Operation(name="list_operations", title="List operations", faults=_READING),
    Operation(name="account_status", title="Account status", faults=_READING),
    Operation(name="create_bulk_payment", title="New bulk payment", faults=_WRITING),
    Operation(name="get_bulk_payment", title="Read a bulk payment", faults=_READING),
    Operation(name="list_bulk_items", title="List items of a bulk payment", faults=_READING),
    Operation(name="list_bulk_payments", title="History of bulk payments", faults=_READING),
    Operation(name="cancel_bulk_items", title="Cancel items of a bulk payment", faults=_WRITING),
    Operation(name="*", title="Any request", faults=_WRITING),
    Operation(name="callback", title="Callbacks", faults=_CALLBACKS),
    Operation(name=OUTCOME, title="What becomes of payouts", faults=_OUTCOMES),
    Operation(name=BULK_OUTCOME, title="What becomes of bulk payments", faults=_BULK_OUTCOMES),
)
_REQUESTS = OPERATIONS[:-3]


class PaymentsPanel:
    """Shows one payments simulator."""

    name = "payments"
    title = "Payments"
    about = "A payments service in a box, with real books. “Money moved” is its ledger, not what the bot believes."
    operations = OPERATIONS

    def __init__(self, *, simulator: PaymentsSimulator) -> None:
        self._simulator = simulator
        self._book = CallBook()
        self._latest: str = ""
        self._deliveries = 0

    def status(self) -> Status:
        """The ledger's sum, what the partner has left, and how many payouts there are."""
        ledger = self._simulator.ledger
        payouts = [record for record in self._simulator.operations.values() if record.operation_type == "payout"]
        return Status(
            count=self._book.count,
            figures=(
                Figure(name="moved", label="Money moved", value=money(ledger.paid_cents()), strong=True),
                Figure(name="balance", label="Balance", value=money(ledger.balance_cents)),
                Figure(name="payouts", label="Payouts", value=str(len(payouts))),
                *self._bulk_figure(),
            ),
            armed=self._armed(),
        )

    def _bulk_figure(self) -> list[Figure]:
        """How far bulk payments are, once there is one."""
        jobs = self._simulator.bulk_payments
        if not jobs:
            return []
        worked, total = sum(job.worked for job in jobs), sum(len(job.items) for job in jobs)
        return [Figure(name="bulk", label="In bulk", value=f"{worked} of {total}")]

    def calls(self) -> list[CallLine]:
        """Requests and callbacks, oldest first."""
        return self._book.all()

    def call(self, call_id: str) -> CallLine | None:
        """One request or callback."""
        return self._book.get(call_id)

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Arm a fault, or turn a manner of callbacks or payouts on until told to behave.

        Raises:
            ValueError: It is not offered.
        """
        if operation in ("callback", OUTCOME, BULK_OUTCOME):
            self._turn_on(kind)
        else:
            panels.arm(self._simulator.faults, _REQUESTS, operation, kind, times)

    def behave(self) -> None:
        """All faults off; callbacks and payouts as usual."""
        self._simulator.faults.clear()
        self._simulator.callbacks.switches = CallbackSwitches()
        self._simulator.switches.fail_reason = None
        switches = self._simulator.switches
        switches.escrow_above_cents = None
        switches.bulk_fail_every = switches.bulk_loses_every = 0
        switches.bulk_items_a_step = Switches().bulk_items_a_step
        switches.bulk_stuck = False

    async def follow(self) -> AsyncIterator[str]:
        """Ids of calls that changed, as the simulator tells of them."""
        with self._simulator.subscribe() as changes:
            async for change in changes:
                yield self._noted(change.subject)

    def _noted(self, subject: object) -> str:
        """Keep what a change tells; the id of the call it concerns."""
        if isinstance(subject, Call):
            return self._note_call(subject)
        if isinstance(subject, Delivery):
            self._deliveries += 1
            return self._book.put(_delivery_line(f"out-{self._deliveries}", subject))
        if isinstance(subject, Entry):
            return self._note_entry(subject)
        return ""

    def _note_call(self, call: Call) -> str:
        """A request arrived or was answered; what it moved, if anything, stays written beside it."""
        self._latest = f"in-{call.n}"
        known = self._book.get(self._latest)
        return self._book.put(_call_line(self._latest, call, moved=known.moved if known else ""))

    def _note_entry(self, entry: Entry) -> str:
        """Money that left is written beside the commit that is being handled: effects follow their call at once."""
        line = self._book.get(self._latest)
        if line is None or entry.kind is not EntryKind.PAYOUT or line.operation not in _MOVES_MONEY:
            return ""
        moved = money(entry.cents) if not line.moved else f"{line.moved} + {money(entry.cents)}"
        return self._book.put(replace(line, moved=moved, changes=True))

    def _turn_on(self, kind: str) -> None:
        callbacks, switches = self._simulator.callbacks.switches, self._simulator.switches
        match kind:
            case "drop" | "double" | "forged":
                setattr(callbacks, kind, True)
            case "late":
                callbacks.late_seconds = _LATE_SECONDS
            case "fail":
                switches.fail_reason = "The recipient's account refused the money"
            case "hold":
                switches.escrow_above_cents = 0
            case "bulk_fail":
                switches.bulk_fail_every = _FAIL_EVERY
            case "bulk_lose":
                switches.bulk_loses_every = _FAIL_EVERY
            case "bulk_slow":
                switches.bulk_items_a_step = 1
            case "bulk_stuck":
                switches.bulk_stuck = True
            case _:
                raise ValueError(f"{kind!r} is not offered.")

    def _armed(self) -> list[Armed]:
        callbacks, switches = self._simulator.callbacks.switches, self._simulator.switches
        on = {
            "drop": callbacks.drop,
            "double": callbacks.double,
            "forged": callbacks.forged,
            "late": callbacks.late_seconds > 0,
            "fail": switches.fail_reason is not None,
            "hold": switches.escrow_above_cents is not None,
            "bulk_fail": switches.bulk_fail_every > 0,
            "bulk_lose": switches.bulk_loses_every > 0,
            "bulk_slow": switches.bulk_items_a_step == 1,
            "bulk_stuck": switches.bulk_stuck,
        }
        manners = [
            Armed(kind=choice.kind, title=choice.title, when="– every time")
            for choice in (*_CALLBACKS, *_OUTCOMES, *_BULK_OUTCOMES)
            if on[choice.kind]
        ]
        return [*panels.armed(self._simulator.faults, _REQUESTS), *manners]


def money(cents: int) -> str:
    """``2500`` as ``25.00 USD``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d} {CURRENCY}"


def masked(value: object) -> object:
    """JSON with the secret end of every callback address replaced, at any depth."""
    if isinstance(value, dict):
        return {
            key: _without_secret(inner) if str(key).endswith("_uri") and isinstance(inner, str) else masked(inner)
            for key, inner in value.items()
        }
    return [masked(inner) for inner in value] if isinstance(value, list) else value


def _without_secret(url: str) -> str:
    head, slash, _ = url.rpartition("/")
    return f"{head}{slash}…" if slash else url


def _call_line(call_id: str, call: Call, *, moved: str) -> CallLine:
    query = "&".join(f"{key}={value}" for key, value in call.query.items())
    unanswered = call.fault in (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS)
    return CallLine(
        id=call_id,
        at=call.at,
        title=_title(call.operation),
        method=call.method,
        path=f"{call.path}?{query}" if query else call.path,
        operation=call.operation,
        status=call.status,
        ok=call.status in _SUCCESS if call.status is not None else False,
        pending=call.status is None and not unanswered,
        outcome="no answer" if unanswered else "",
        moved=moved,
        changes=call.effect or bool(moved),
        fault=_words(call),
        body=masked(call.body),
        response=masked(call.response),
    )


def _title(operation: str) -> str:
    """An operation in plain words; those without a name of their own are spelt out."""
    named = next((each.title for each in OPERATIONS if each.name == operation), None)
    return named or operation.replace("_", " ").capitalize()


def _words(call: Call) -> str:
    if call.fault is None:
        return ""
    return next(
        (choice.title for choice in (*_WRITING, *_READING) if choice.kind == call.fault.value), call.fault.value
    )


def _delivery_line(call_id: str, delivery: Delivery) -> CallLine:
    """A callback; its address ends in a secret, which the page does not show."""
    return CallLine(
        id=call_id,
        at=delivery.at,
        title="Callback to the bot",
        method="POST",
        path=f"/{_without_secret(delivery.url).partition('://')[2].partition('/')[2]}",
        operation="callback",
        status=delivery.status,
        ok=delivery.delivered,
        outcome="" if delivery.status is not None else delivery.error or "not sent",
        changes=False,
        direction="out",
        body=masked(delivery.callback.body),
        response=delivery.error,
    )
