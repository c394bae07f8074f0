"""The localization simulator behind the scenes."""

from collections.abc import Mapping, Sequence

from bot.playground.console.choices import DONE_DROPPED
from bot.playground.console.panels import FaultChoice, FaultTarget, Figure
from bot.playground.console.service_panel import SimulatorPanel
from bot.playground.simulators.localization import LocalizationSimulator, Switches
from bot.playground.simulators.localization.media import HAS_PYAV
from bot.playground.simulators.localization.rules import RULES

MANNERS = "manners"
"""Name under which the service's manners are offered, beside its operations."""

_FAULTS = (
    FaultChoice(kind="done_500", title="Do it, then answer 504", about="A gateway gives up, the service works on."),
    DONE_DROPPED,
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing is done."),
    FaultChoice(kind="too_many", title="Answer 429", about="Nothing is done; try again in a second."),
    FaultChoice(kind="refused", title="Refuse it", about="422 with a message."),
    FaultChoice(kind="slow", title="Take longer", about="The answer comes five seconds later."),
)
_MANNERS = (
    FaultChoice(kind="as_bytes", title="Answer with the audio", about="Instead of with its address."),
    FaultChoice(kind="expire", title="Let results expire", about="Their addresses are gone at once."),
    FaultChoice(kind="names", title="Other names", about="Lines of unread go to the file the terminal names."),
    FaultChoice(kind="pages", title="Errors as pages", about="A proxy's HTML instead of the service's message."),
)
OTHER_NAMES = {
    **{name: f"{name}_stem" for name in ("vocals", "music")},
    **{name: f"converted_{name}" for name in ("audio", "audio_url", "audio_clip")},
    "paraphrased_sentences": "rephrasings",
    "summary": "abridged",
    "gender": "voice_type",
    "emotion": "mood",
    **dict.fromkeys(("translated_text", "transliterated_text", "text"), "rendition"),
}
"""What a service of another dialect may call the fields of its answers."""
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
_REQUESTS: Sequence[FaultTarget] = (
    FaultTarget(name="*", title="Any request", faults=_FAULTS),
    *(FaultTarget(name=name, title=_TITLES[name], faults=_FAULTS) for name in RULES),
)
_ANSWERS = (FaultTarget(name=MANNERS, title="Answers", faults=_MANNERS),)
OPERATIONS: Sequence[FaultTarget] = (*_REQUESTS, *_ANSWERS)


class LocalizationPanel(SimulatorPanel[LocalizationSimulator]):
    """Shows one localization simulator."""

    name = "localization"
    title = "Localization"
    about = (
        "Simulated provider. It really converts and extracts audio; the rest is made up."
        if HAS_PYAV
        else "Simulated provider. Without the extra “media” (PyAV) it answers with a tone."
    )
    requests = _REQUESTS
    manners = _ANSWERS

    def _figures(self) -> list[Figure]:
        """How many results it holds, and how often they were fetched."""
        held = self._simulator.held.values()
        return [
            Figure(name="results", label="Results held", value=str(len(held))),
            Figure(name="fetched", label="Results fetched", value=str(sum(one.fetched for one in held))),
        ]

    def _turn_on(self, operation: str, kind: str, times: int | None) -> None:  # noqa: ARG002 - there is one manner
        switches = self._simulator.switches
        match kind:
            case "as_bytes":
                switches.audio_as_bytes = True
            case "expire":
                switches.expire_at_once = True
            case "names":
                switches.names = OTHER_NAMES
            case _:
                switches.errors = "html"

    def _on(self) -> Mapping[str, Mapping[str, bool]]:
        switches = self._simulator.switches
        return {
            MANNERS: {
                "as_bytes": switches.audio_as_bytes,
                "expire": switches.expire_at_once,
                "names": bool(switches.names),
                "pages": switches.errors == "html",
            }
        }

    def _be_usual(self) -> None:
        switches, usual = self._simulator.switches, Switches()
        switches.audio_as_bytes, switches.expire_at_once = usual.audio_as_bytes, usual.expire_at_once
        switches.errors, switches.names = usual.errors, usual.names
