"""The e-mail simulator behind the scenes."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bot.playground.console.choices import DONE_DROPPED, LOST
from bot.playground.console.panels import FaultChoice, FaultTarget, Figure
from bot.playground.console.service_panel import SimulatorPanel
from bot.playground.simulators.emails import EmailsSimulator, FileShape, Manners, Shape

SHAPE = "shape"
FILE_SHAPE = "file_shape"
PACE = "pace"

_FAULTS = (
    FaultChoice(kind="too_many", title="Answer 429", about="Nothing is done: fewer at a time, please."),
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing is done."),
    FaultChoice(kind="slow", title="Take longer", about="The answer comes five seconds later."),
    LOST,
    DONE_DROPPED,
    FaultChoice(kind="garbage", title="Answer garbage", about="A proxy answers with an HTML page."),
    FaultChoice(kind="refused", title="Refuse it", about="422 with a message."),
)
_SHAPES = {
    Shape.NESTED: ("Nested JSON", "A verdict inside of an object."),
    Shape.STATE: ("JSON with a state", "Another word for the same, and a list."),
    Shape.CODED: ("JSON with a code", "A number called status, and a result."),
    Shape.TEXT: ("One word", "Plain text."),
    Shape.CSV: ("A line of CSV", "Comma-separated."),
    Shape.DEEP: ("Much in objects", "Seventy fields, lists of objects, long texts."),
    Shape.LIST: ("A list", "JSON that begins with a bracket."),
}
_FILE_SHAPES = {
    FileShape.ATTACHMENT: ("A file to download", "With a name of its own."),
    FileShape.ARRAY: ("JSON rows", "Instead of a file."),
    FileShape.URL: ("An address", "Where the result can be fetched."),
    FileShape.RECEIPT: ("A receipt", "A number and nothing else."),
    FileShape.FIELDS: ("Many fields", "What it found, and a long note."),
    FileShape.TEXT: ("A sentence", "Plain text."),
}
_PACES = (
    FaultChoice(kind="slow", title="Slow", about="Each address takes two seconds."),
    FaultChoice(kind="crowded", title="Only ten at a time", about="More are answered 429."),
    FaultChoice(kind="unpaid", title="No credits left", about="Each address is answered 402."),
)
_SLOW_SECONDS = 2.0
_CROWD = 10


def _choices(shapes: dict[Shape, tuple[str, str]] | dict[FileShape, tuple[str, str]]) -> tuple[FaultChoice, ...]:
    return tuple(FaultChoice(kind=shape.value, title=title, about=about) for shape, (title, about) in shapes.items())


_REQUESTS: Sequence[FaultTarget] = (
    FaultTarget(name="check", title="One address", faults=_FAULTS),
    FaultTarget(name="process_file", title="A whole file", faults=_FAULTS),
)
_MANNERS: Sequence[FaultTarget] = (
    FaultTarget(name=PACE, title="Speed", faults=_PACES),
    FaultTarget(name=SHAPE, title="Answers about an address", faults=_choices(_SHAPES)),
    FaultTarget(name=FILE_SHAPE, title="Answers to a file", faults=_choices(_FILE_SHAPES)),
)


class EmailsPanel(SimulatorPanel[EmailsSimulator]):
    """Shows one e-mail simulator."""

    name = "email"
    title = "E-mail"
    about = "Simulated provider. The real one documents no answer, so this one can answer in many ways."
    requests = _REQUESTS
    manners = _MANNERS
    extra_titles = MappingProxyType({"result": "Fetch a result"})

    def __init__(self, *, simulator: EmailsSimulator) -> None:
        super().__init__(simulator=simulator)
        self._usual = simulator.manners.latency

    def _figures(self) -> list[Figure]:
        """How many addresses it processed, and how many requests it had at once."""
        asked = self._simulator.asked
        return [
            Figure(name="addresses", label="Addresses", value=f"{len(asked):,}"),
            Figure(name="twice", label="Asked again", value=f"{sum(asked.values()) - len(asked):,}"),
            Figure(name="peak", label="Most at once", value=f"{self._simulator.peak:,}"),
        ]

    def _turn_on(self, operation: str, kind: str, times: int | None) -> None:  # noqa: ARG002 - until told
        manners = self._simulator.manners
        match operation, kind:
            case "shape", _:
                manners.shape = Shape(kind)
            case "file_shape", _:
                manners.file_shape = FileShape(kind)
            case _, "slow":
                manners.latency = _SLOW_SECONDS
            case _, "unpaid":
                manners.credits = 0
            case _:
                manners.at_once = _CROWD

    def _on(self) -> Mapping[str, Mapping[str, bool]]:
        manners = self._simulator.manners
        return {
            PACE: {
                "slow": manners.latency != self._usual,
                "crowded": manners.at_once is not None,
                "unpaid": manners.credits is not None,
            },
            SHAPE: {shape.value: shape is manners.shape for shape in _SHAPES},
            FILE_SHAPE: {shape.value: shape is manners.file_shape for shape in _FILE_SHAPES},
        }

    def _be_usual(self) -> None:
        self._simulator.manners = Manners(latency=self._usual)
