"""The delivery simulator behind the scenes: its calls, its bookings, and switches in plain words."""

from collections.abc import AsyncIterator, Sequence

from bot.playground.console import panels
from bot.playground.console.panels import Armed, CallBook, CallLine, FaultChoice, Figure, Operation, Status
from bot.playground.faults import FaultKind
from bot.playground.simulators.callbacks import CallbackSwitches, Delivery
from bot.playground.simulators.delivery import DeliverySimulator, DeliverySwitches
from bot.playground.simulators.recorder import Call

WEBHOOKS = "callback"
OUTCOME = "outcome"
"""Not a request: what becomes of bookings."""
DOOR = "door"
"""Not a request: whom the service lets in."""

_READING = (
    FaultChoice(kind="lost", title="Lose the request", about="Nothing happens, and no answer comes."),
    FaultChoice(kind="error_500", title="Answer 500", about="An outage; nothing happens."),
    FaultChoice(kind="too_many", title="Answer 429", about="Too many requests: come back in a second."),
    FaultChoice(kind="refused", title="Refuse", about="Nothing happens; the service says no (422)."),
    FaultChoice(kind="garbage", title="Answer garbage", about="It happens, but a proxy answers with an HTML page."),
    FaultChoice(kind="slow", title="Answer slowly", about="It happens; the answer takes five seconds."),
)
_WRITING = (
    FaultChoice(kind="done_hangs", title="Do it, then time out", about="It happens, but the answer never comes."),
    FaultChoice(kind="done_dropped", title="Do it, then hang up", about="It happens, then the line is cut."),
    FaultChoice(kind="done_500", title="Do it, then answer 500", about="It happens, but the service says it failed."),
    *_READING,
)
_HOOKS = (
    FaultChoice(kind="drop", title="Drop webhooks", about="None is sent. Polling has to find out."),
    FaultChoice(kind="double", title="Double webhooks", about="Each is sent twice."),
    FaultChoice(kind="swap", title="Swap webhooks", about="Each leaves behind the next one."),
    FaultChoice(kind="forged", title="Forge webhooks", about="They tell of another booking and another state."),
    FaultChoice(kind="late", title="Delay webhooks", about="Each comes ten seconds late."),
)
_OUTCOMES = (
    FaultChoice(kind="drop_driver", title="Let the driver give up", about="Before the store: the search starts anew."),
    FaultChoice(kind="no_provider", title="Find no driver", about="Searches end without anybody."),
    FaultChoice(kind="undelivered", title="Find nobody at home", about="The order comes back to the store."),
    FaultChoice(kind="odd", title="Use a new word", about="Bookings pass through a state that no document names."),
    FaultChoice(kind="elsewhere", title="Book in the dashboard", about="A booking that Switchboard did not make."),
)
_DOORS = (
    FaultChoice(kind="suspended", title="Suspend the workspace", about="Every call is answered 403."),
    FaultChoice(kind="other", title="Be the other environment", about="The keys belong elsewhere: 403."),
)
_LATE_SECONDS = 10.0
_ODD = "WAITING_FOR_RAIN_TO_STOP"
_SUCCESS = range(200, 300)

_TITLES = {
    "create_booking": "Create booking",
    "quote": "Pre-checkout",
    "get_booking": "Read a booking",
    "cancel_booking": "Cancel booking",
    "start_search": "Start search",
    "create_store": "Create store",
    "list_stores": "List stores",
    "register_webhook": "Register webhook",
    "create_prebooking": "Create pre-booking",
}
OPERATIONS: Sequence[Operation] = (
    *(
        Operation(name=name, title=title, faults=_READING if name.startswith(("get", "list", "quote")) else _WRITING)
        for name, title in _TITLES.items()
    ),
    Operation(name="*", title="Any request", faults=_WRITING),
    Operation(name=WEBHOOKS, title="Webhooks", faults=_HOOKS),
    Operation(name=OUTCOME, title="What becomes of bookings", faults=_OUTCOMES),
    Operation(name=DOOR, title="Who is let in", faults=_DOORS),
)
_REQUESTS = OPERATIONS[:-3]


class DeliveryPanel:
    """Shows one delivery simulator."""

    name = "delivery"
    title = "Delivery"
    about = "A delivery service in a box: stores, several providers for each booking, drivers that move."
    operations = OPERATIONS

    def __init__(self, *, simulator: DeliverySimulator) -> None:
        self._simulator = simulator
        self._book = CallBook()
        self._sent = 0

    def status(self) -> Status:
        """How many bookings there are, under way and delivered."""
        bookings = self._simulator.bookings
        under_way = sum(1 for one in bookings if not one.final)
        delivered = sum(1 for one in bookings if one.status == "COMPLETED")
        return Status(
            count=self._book.count,
            figures=(
                Figure(name="bookings", label="Bookings", value=str(len(bookings)), strong=True),
                Figure(name="under-way", label="Under way", value=str(under_way)),
                Figure(name="delivered", label="Delivered", value=str(delivered)),
            ),
            armed=[*panels.armed(self._simulator.faults, _REQUESTS), *self._manners()],
        )

    def calls(self) -> list[CallLine]:
        """Requests and webhooks, oldest first."""
        return self._book.all()

    def call(self, call_id: str) -> CallLine | None:
        """One request or webhook."""
        return self._book.get(call_id)

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Arm a fault, or turn a manner on until told to behave.

        Raises:
            ValueError: It is not offered.
        """
        match operation:
            case "callback":
                self._turn_webhooks(kind)
            case "outcome" | "door":
                self._turn(kind, times)
            case _:
                panels.arm(self._simulator.faults, _REQUESTS, operation, kind, times)

    def behave(self) -> None:
        """All faults off; webhooks and bookings as usual."""
        self._simulator.faults.clear()
        self._simulator.callbacks.switches = CallbackSwitches()
        for name, value in vars(DeliverySwitches()).items():
            setattr(self._simulator.switches, name, value)

    async def follow(self) -> AsyncIterator[str]:
        """Ids of calls that changed, as the simulator tells of them."""
        with self._simulator.subscribe() as changes:
            async for change in changes:
                yield self._noted(change.subject)

    def _noted(self, subject: object) -> str:
        if isinstance(subject, Call):
            return self._book.put(_call_line(subject))
        if isinstance(subject, Delivery):
            self._sent += 1
            return self._book.put(_webhook_line(f"out-{self._sent}", subject))
        return ""

    def _turn_webhooks(self, kind: str) -> None:
        switches = self._simulator.callbacks.switches
        match kind:
            case "drop" | "double" | "forged":
                setattr(switches, kind, True)
            case "swap":
                switches.out_of_order = True
            case "late":
                switches.late_seconds = _LATE_SECONDS
            case _:
                raise ValueError(f"{kind!r} is not offered.")

    def _turn(self, kind: str, times: int | None) -> None:
        switches = self._simulator.switches
        match kind:
            case "drop_driver":
                switches.drop_driver = times or 1_000
            case "no_provider" | "undelivered" | "suspended":
                setattr(switches, kind, True)
            case "odd":
                switches.unknown_status = _ODD
            case "other":
                switches.other_environment = True
            case "elsewhere":
                self._book_elsewhere()
            case _:
                raise ValueError(f"{kind!r} is not offered.")

    def _book_elsewhere(self) -> None:
        """As somebody in the service's own dashboard would."""
        store = self._simulator.stores[0]
        latitude, longitude = store.point
        self._simulator.book.create(
            store,
            {
                "customerName": "Walk-in",
                "customerLastName": "Customer",
                "address": "5 Other Street",
                "latitude": str(latitude + 0.01),
                "longitude": str(longitude),
                "orderAmount": "9.90",
                "paymentMethod": "CASH",
            },
        )

    def _manners(self) -> list[Armed]:
        hooks, switches = self._simulator.callbacks.switches, self._simulator.switches
        on = {
            "drop": hooks.drop,
            "double": hooks.double,
            "swap": hooks.out_of_order,
            "forged": hooks.forged,
            "late": hooks.late_seconds > 0,
            "drop_driver": switches.drop_driver > 0,
            "no_provider": switches.no_provider,
            "undelivered": switches.undelivered,
            "odd": bool(switches.unknown_status),
            "elsewhere": False,
            "suspended": switches.suspended,
            "other": switches.other_environment,
        }
        return [
            Armed(kind=choice.kind, title=choice.title, when="– until told to behave")
            for choice in (*_HOOKS, *_OUTCOMES, *_DOORS)
            if on[choice.kind]
        ]


def masked(value: object) -> object:
    """JSON without the keys of stores and the secret end of every webhook address, at any depth."""
    if isinstance(value, dict):
        return {key: "…" if key == "token" else _address(inner) for key, inner in value.items()}
    return [masked(inner) for inner in value] if isinstance(value, list) else value


def _address(value: object) -> object:
    if isinstance(value, str) and "/callbacks/" in value:
        return f"{value.rpartition('/')[0]}/…"
    return masked(value)


def _call_line(call: Call) -> CallLine:
    query = "&".join(f"{key}={value}" for key, value in call.query.items())
    unanswered = call.fault in (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS)
    fault = next((choice.title for choice in _WRITING if call.fault and choice.kind == call.fault.value), "")
    return CallLine(
        id=f"in-{call.n}",
        at=call.at,
        title=_TITLES.get(call.operation) or call.operation.replace("_", " ").capitalize(),
        method=call.method,
        path=f"{call.path}?{query}" if query else call.path,
        operation=call.operation,
        status=call.status,
        ok=call.status in _SUCCESS if call.status is not None else False,
        pending=call.status is None and not unanswered,
        outcome="no answer" if unanswered else "",
        changes=call.effect,
        fault=fault or (call.fault.value if call.fault else ""),
        body=masked(call.body),
        response=masked(call.response) if call.operation != "page" else "a page",
    )


def _webhook_line(call_id: str, delivery: Delivery) -> CallLine:
    return CallLine(
        id=call_id,
        at=delivery.at,
        title=f"Webhook {delivery.callback.kind}",
        method="POST",
        path="/callbacks/delivery/…",
        operation=WEBHOOKS,
        status=delivery.status,
        ok=delivery.delivered,
        outcome="" if delivery.status is not None else delivery.error or "not sent",
        direction="out",
        body=masked(delivery.callback.body),
    )
