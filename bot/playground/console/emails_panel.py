"""The e-mail simulator behind the scenes."""

from collections.abc import AsyncIterator, Sequence

from bot.playground.console import panels
from bot.playground.console.panels import Armed, CallBook, CallLine, FaultChoice, Figure, Operation, Status
from bot.playground.faults import FaultKind
from bot.playground.simulators.emails import EmailsSimulator, FileShape, Manners, Shape
from bot.playground.simulators.recorder import Call

SHAPE = "shape"
FILE_SHAPE = "file_shape"
PACE = "pace"

_FAULTS = (
    FaultChoice(kind="too_many", title="Answer 429", about="Nothing is done: fewer at a time, please."),
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing is done."),
    FaultChoice(kind="slow", title="Take longer", about="The answer comes five seconds later."),
    FaultChoice(kind="lost", title="Lose the request", about="Nothing happens, and no answer comes."),
    FaultChoice(kind="done_dropped", title="Do it, then drop the connection", about="It is done, nobody hears of it."),
    FaultChoice(kind="garbage", title="Answer garbage", about="A proxy answers with an HTML page."),
    FaultChoice(kind="refused", title="Refuse it", about="422 with a message."),
)
_SHAPES = {
    Shape.NESTED: ("Nested JSON", "A verdict inside of an object."),
    Shape.STATE: ("JSON with a state", "Another word for the same, and a list."),
    Shape.CODED: ("JSON with a code", "A number called status, and a result."),
    Shape.TEXT: ("One word", "Plain text."),
    Shape.CSV: ("A line of CSV", "Comma-separated."),
    Shape.LIST: ("A list", "JSON that begins with a bracket."),
}
_FILE_SHAPES = {
    FileShape.ATTACHMENT: ("A file to download", "With a name of its own."),
    FileShape.ARRAY: ("JSON rows", "Instead of a file."),
    FileShape.URL: ("An address", "Where the result can be fetched."),
    FileShape.RECEIPT: ("A receipt", "A number and nothing else."),
    FileShape.TEXT: ("A sentence", "Plain text."),
}
_PACES = (
    FaultChoice(kind="slow", title="Slow", about="Each address takes two seconds."),
    FaultChoice(kind="crowded", title="Only ten at a time", about="More are answered 429."),
)
_SLOW_SECONDS = 2.0
_CROWD = 10


def _choices(shapes: dict[Shape, tuple[str, str]] | dict[FileShape, tuple[str, str]]) -> tuple[FaultChoice, ...]:
    return tuple(FaultChoice(kind=shape.value, title=title, about=about) for shape, (title, about) in shapes.items())


OPERATIONS: Sequence[Operation] = (
    Operation(name="check", title="One address", faults=_FAULTS),
    Operation(name="process_file", title="A whole file", faults=_FAULTS),
    Operation(name=PACE, title="How fast it is", faults=_PACES),
    Operation(name=SHAPE, title="How it answers about an address", faults=_choices(_SHAPES)),
    Operation(name=FILE_SHAPE, title="How it answers to a file", faults=_choices(_FILE_SHAPES)),
)
_REQUESTS = OPERATIONS[:2]
_CLOSED = (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS)
_SUCCESS = (200, 202)


class EmailsPanel:
    """Shows one e-mail simulator."""

    name = "email"
    title = "E-mail"
    about = (
        "An e-mail processing service in a box. No answer of the real one is documented, so it can answer in many ways."
    )
    operations = OPERATIONS

    def __init__(self, *, simulator: EmailsSimulator) -> None:
        self._simulator = simulator
        self._book = CallBook()
        self._usual = simulator.manners.latency

    def status(self) -> Status:
        """How many addresses it processed, and how many requests it had at once."""
        asked = self._simulator.asked
        return Status(
            count=self._book.count,
            figures=(
                Figure(name="addresses", label="Addresses", value=f"{len(asked):,}"),
                Figure(name="twice", label="Asked again", value=f"{sum(asked.values()) - len(asked):,}"),
                Figure(name="peak", label="Most at once", value=f"{self._simulator.peak:,}"),
            ),
            armed=[*panels.armed(self._simulator.faults, _REQUESTS), *self._manners()],
        )

    def calls(self) -> list[CallLine]:
        """Requests, oldest first."""
        return self._book.all()

    def call(self, call_id: str) -> CallLine | None:
        """One request."""
        return self._book.get(call_id)

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Arm a fault, or change the service's manners until told to behave.

        Raises:
            ValueError: It is not offered.
        """
        manners = self._simulator.manners
        match operation, kind:
            case "pace", "slow":
                manners.latency = _SLOW_SECONDS
            case "pace", "crowded":
                manners.at_once = _CROWD
            case "shape", _:
                manners.shape = Shape(kind)
            case "file_shape", _:
                manners.file_shape = FileShape(kind)
            case _:
                panels.arm(self._simulator.faults, _REQUESTS, operation, kind, times)

    def behave(self) -> None:
        """All faults off, the usual manners."""
        self._simulator.faults.clear()
        self._simulator.manners = Manners(latency=self._usual)

    async def follow(self) -> AsyncIterator[str]:
        """Ids of calls that changed, as the simulator tells of them."""
        with self._simulator.subscribe() as changes:
            async for change in changes:
                yield self._book.put(_line(change.subject)) if isinstance(change.subject, Call) else ""

    def _manners(self) -> list[Armed]:
        manners = self._simulator.manners
        on = []
        if manners.latency != self._usual:
            on.append(_armed(_PACES[0]))
        if manners.at_once is not None:
            on.append(_armed(_PACES[1]))
        on += [_armed(choice) for choice in _choices(_SHAPES) if choice.kind == manners.shape.value]
        on += [_armed(choice) for choice in _choices(_FILE_SHAPES) if choice.kind == manners.file_shape.value]
        return on


def _armed(choice: FaultChoice) -> Armed:
    return Armed(kind=choice.kind, title=choice.title, when="– every time")


def _line(call: Call) -> CallLine:
    unanswered = call.fault in _CLOSED
    fault = next((choice.title for choice in _FAULTS if call.fault is not None and choice.kind == call.fault.value), "")
    query = "&".join(f"{name}={value}" for name, value in call.query.items())
    title = {"check": "One address", "process_file": "A whole file", "result": "Fetch a result"}
    return CallLine(
        id=f"in-{call.n}",
        at=call.at,
        title=title.get(call.operation, call.operation),
        method=call.method,
        path=f"{call.path}?{query}" if query else call.path,
        operation=call.operation,
        status=call.status,
        ok=call.status in _SUCCESS,
        pending=call.status is None and not unanswered,
        outcome="no answer" if unanswered else "",
        changes=call.effect,
        fault=fault or (call.fault.value if call.fault else ""),
        body=call.body,
        response=call.response,
    )
