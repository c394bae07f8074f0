"""The localization simulator behind the scenes."""

from collections.abc import AsyncIterator, Sequence

from bot.playground.console import panels
from bot.playground.console.panels import Armed, CallBook, CallLine, FaultChoice, Figure, Operation, Status
from bot.playground.faults import FaultKind
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.simulators.localization.media import HAS_PYAV
from bot.playground.simulators.localization.rules import RULES
from bot.playground.simulators.recorder import Call

MANNERS = "manners"
"""Name under which the service's manners are offered, beside its operations."""

_FAULTS = (
    FaultChoice(kind="done_500", title="Do it, answer 504", about="A gateway gives up while the service works on."),
    FaultChoice(kind="done_dropped", title="Do it, drop the connection", about="The work is done, nobody hears of it."),
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing is done."),
    FaultChoice(kind="too_many", title="Answer 429", about="Nothing is done; try again in a second."),
    FaultChoice(kind="refused", title="Refuse it", about="422 with a message."),
    FaultChoice(kind="slow", title="Take longer", about="The answer comes five seconds later."),
)
_MANNERS = (
    FaultChoice(kind="as_bytes", title="Answer with the audio", about="Instead of with its address."),
    FaultChoice(kind="expire", title="Let results expire", about="Their addresses are gone at once."),
    FaultChoice(kind="pages", title="Errors as pages", about="A proxy's HTML instead of the service's message."),
)
_TITLES = {
    "gender_detection": "Gender detection",
    "paraphrase": "Paraphrase",
    "summary_generation": "Summary",
    "audio_extraction": "Audio extraction",
    "music_source_separation": "Source separation",
    "audio_conversion": "Audio conversion",
    "text_to_speech": "Text to speech",
    "speech_to_text": "Speech to text",
    "translation": "Translation",
    "transliteration": "Transliteration",
    "text_extraction": "Text extraction",
    "text_emotion": "Emotion in a text",
    "speech_emotion": "Emotion in speech",
}
OPERATIONS: Sequence[Operation] = (
    Operation(name="*", title="Any request", faults=_FAULTS),
    *(Operation(name=name, title=_TITLES[name], faults=_FAULTS) for name in RULES),
    Operation(name=MANNERS, title="How it answers", faults=_MANNERS),
)
_REQUESTS = OPERATIONS[:-1]
_CLOSED = (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS)
_OK = 200


class LocalizationPanel:
    """Shows one localization simulator."""

    name = "localization"
    title = "Localization"
    about = (
        "A localization service in a box: it converts and extracts for real, and plays the rest."
        if HAS_PYAV
        else "A localization service in a box. Without the extra “media” (PyAV) it answers with a tone."
    )
    operations = OPERATIONS

    def __init__(self, *, simulator: LocalizationSimulator) -> None:
        self._simulator = simulator
        self._book = CallBook()

    def status(self) -> Status:
        """How many results it holds, and how often they were fetched."""
        held = self._simulator.held.values()
        return Status(
            count=self._book.count,
            figures=(
                Figure(name="results", label="Results held", value=str(len(held))),
                Figure(name="fetched", label="Results fetched", value=str(sum(one.fetched for one in held))),
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
        if operation != MANNERS:
            panels.arm(self._simulator.faults, _REQUESTS, operation, kind, times)
            return
        switches = self._simulator.switches
        match kind:
            case "as_bytes":
                switches.audio_as_bytes = True
            case "expire":
                switches.expire_at_once = True
            case "pages":
                switches.errors = "html"
            case _:
                raise ValueError(f"{kind!r} is not offered.")

    def behave(self) -> None:
        """All faults off, the usual manners."""
        self._simulator.faults.clear()
        switches = self._simulator.switches
        switches.audio_as_bytes = switches.expire_at_once = False
        switches.errors = "message"

    async def follow(self) -> AsyncIterator[str]:
        """Ids of calls that changed, as the simulator tells of them."""
        with self._simulator.subscribe() as changes:
            async for change in changes:
                yield self._book.put(_line(change.subject)) if isinstance(change.subject, Call) else ""

    def _manners(self) -> list[Armed]:
        switches = self._simulator.switches
        on = {
            "as_bytes": switches.audio_as_bytes,
            "expire": switches.expire_at_once,
            "pages": switches.errors == "html",
        }
        return [Armed(kind=one.kind, title=one.title, when="– every time") for one in _MANNERS if on[one.kind]]


def _line(call: Call) -> CallLine:
    unanswered = call.fault in _CLOSED
    fault = next((choice.title for choice in _FAULTS if call.fault is not None and choice.kind == call.fault.value), "")
    return CallLine(
        id=f"in-{call.n}",
        at=call.at,
        title=_TITLES.get(call.operation, call.operation.capitalize()),
        method=call.method,
        path=call.path,
        operation=call.operation,
        status=call.status,
        ok=call.status == _OK,
        pending=call.status is None and not unanswered,
        outcome="no answer" if unanswered else "",
        changes=call.effect,
        fault=fault or (call.fault.value if call.fault else ""),
        body=call.body,
        response=call.response,
    )
