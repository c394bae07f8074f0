"""The delivery simulator behind the scenes: its calls, its bookings, and switches in plain words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus

from bot.playground.console.choices import READING, WRITING, callback_choices, callbacks_on, turn_callbacks
from bot.playground.console.panels import CallLine, FaultChoice, FaultTarget, Figure
from bot.playground.console.service_panel import SimulatorPanel, without_secret
from bot.playground.simulators.callbacks import CallbackAttempt, CallbackSwitches
from bot.playground.simulators.delivery import DeliverySimulator, DeliverySwitches
from bot.playground.simulators.recorder import Call

WEBHOOKS = "callback"
OUTCOME = "outcome"
"""Not a request: progress of bookings."""
DOOR = "door"
"""Not a request: access to the service."""

_HOOKS = (
    *callback_choices("webhooks", forged="another booking and another state"),
    FaultChoice(kind="swap", title="Swap webhooks", about="Each leaves behind the next one."),
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
    FaultChoice(kind="suspended_politely", title="Suspend it, and say 200", about="The answer holds only an error."),
    FaultChoice(kind="other", title="Be the other environment", about="The keys belong elsewhere: 403."),
)
_ODD = "WAITING_FOR_RAIN_TO_STOP"

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
    "get_prebooking": "Read a pre-booking",
}
_REQUESTS: Sequence[FaultTarget] = (
    *(
        FaultTarget(name=name, title=title, faults=READING if name.startswith(("get", "list", "quote")) else WRITING)
        for name, title in _TITLES.items()
    ),
    FaultTarget(name="*", title="Any request", faults=WRITING),
)
_MANNERS: Sequence[FaultTarget] = (
    FaultTarget(name=WEBHOOKS, title="Webhooks", faults=_HOOKS),
    FaultTarget(name=OUTCOME, title="Outcome of bookings", faults=_OUTCOMES),
    FaultTarget(name=DOOR, title="Access", faults=_DOORS),
)
OPERATIONS: Sequence[FaultTarget] = (*_REQUESTS, *_MANNERS)


class DeliveryPanel(SimulatorPanel[DeliverySimulator]):
    """Shows one delivery simulator."""

    name = "delivery"
    title = "Delivery"
    about = "Simulated provider: stores, drivers that move, several companies for each booking."
    requests = _REQUESTS
    manners = _MANNERS
    lasting = "– until told to behave"

    def _figures(self) -> list[Figure]:
        """How many bookings there are, under way and delivered."""
        bookings = self._simulator.bookings
        under_way = sum(1 for one in bookings if not one.final)
        delivered = sum(1 for one in bookings if one.status == "COMPLETED")
        return [
            Figure(name="bookings", label="Bookings", value=str(len(bookings)), strong=True),
            Figure(name="under-way", label="Under way", value=str(under_way)),
            Figure(name="delivered", label="Delivered", value=str(delivered)),
        ]

    def _line(self, call: Call) -> CallLine:
        line = super()._line(call)
        return replace(line, response="a page") if call.operation == "page" else line

    def _sent_title(self, delivery: CallbackAttempt) -> str:
        return f"Webhook {delivery.callback.kind}"

    def _shown(self, value: object) -> object:
        return masked(value)

    def _turn_on(self, operation: str, kind: str, times: int | None) -> None:  # noqa: ARG002 - no kind is in two
        switches = self._simulator.switches
        match kind:
            case "drop_driver":
                switches.drop_driver = times or 1_000
            case "no_provider" | "undelivered" | "suspended":
                setattr(switches, kind, True)
            case "suspended_politely":
                switches.suspended, switches.suspended_status = True, 200
            case "odd":
                switches.unknown_status = _ODD
            case "other":
                switches.other_environment = True
            case "elsewhere":
                self._book_elsewhere()
            case _:
                turn_callbacks(self._simulator.callbacks.switches, kind)

    def _on(self) -> Mapping[str, Mapping[str, bool]]:
        switches = self._simulator.switches
        return {
            WEBHOOKS: callbacks_on(self._simulator.callbacks.switches),
            OUTCOME: {
                "drop_driver": switches.drop_driver > 0,
                "no_provider": switches.no_provider,
                "undelivered": switches.undelivered,
                "odd": bool(switches.unknown_status),
                "elsewhere": False,
            },
            DOOR: {
                "suspended": switches.suspended and switches.suspended_status != HTTPStatus.OK,
                "suspended_politely": switches.suspended and switches.suspended_status == HTTPStatus.OK,
                "other": switches.other_environment,
            },
        }

    def _be_usual(self) -> None:
        self._simulator.callbacks.switches = CallbackSwitches()
        for name, value in vars(DeliverySwitches()).items():
            setattr(self._simulator.switches, name, value)

    def _book_elsewhere(self) -> None:
        """Create a booking as if in the service's own dashboard."""
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


def masked(value: object) -> object:
    """JSON without the keys of stores and the secret end of every webhook address, at any depth."""
    if isinstance(value, dict):
        return {key: "…" if key == "token" else _address(inner) for key, inner in value.items()}
    return [masked(inner) for inner in value] if isinstance(value, list) else value


def _address(value: object) -> object:
    if isinstance(value, str) and "/callbacks/" in value:
        return without_secret(value)
    return masked(value)
