"""Declarations of operations, from which the client, commands, forms, help and tests are derived."""

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import KW_ONLY, dataclass
from decimal import Decimal
from enum import StrEnum

from bot.domain.errors import PersonError

_NUMBER = re.compile(r"[+-]?[0-9]{1,4}(?:\.[0-9]{1,3})?", re.ASCII)
_WORD = re.compile(r"[\w .@:/+-]{1,100}")

_KNOWN = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et
eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk
kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny
oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk
tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
ace ban bew bho ceb ckb doi fil gom haw hmn ilo kok kri lus mai min mni nso pap pam scn szl tet tpi tum war yue zgh
"""
KNOWN = frozenset(_KNOWN.split())
"""Every ISO 639-1 code, and the three-letter codes that translation services list."""
_TAG = re.compile(r"([A-Za-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}|[0-9]{3}))?", re.ASCII)


def normal_tag(text: str) -> str | None:
    """Normalize a language code (``pt-br`` -> ``pt-BR``), with optional script and region; None if it is unknown."""
    found = _TAG.fullmatch(text.strip())
    if found is None or found[1].lower() not in KNOWN:
        return None
    script, region = (found[2] or "").title(), (found[3] or "").upper()
    return "-".join(filter(None, (found[1].lower(), script, region)))


def base_of(tag: str) -> str:
    return tag.partition("-")[0].lower()


def is_same(one: str, other: str) -> bool:
    """Whether a text in one language needs no translation to the other. The two kinds of Chinese differ in writing."""
    if one.casefold() == other.casefold():
        return True
    base = base_of(one)
    bare = base in (one.casefold(), other.casefold())
    return base == base_of(other) and bare and base != "zh"


class CallOperation(StrEnum):
    GENDER = "gender_detection"
    SEPARATION = "music_source_separation"
    CONVERSION = "audio_conversion"
    AUDIO_EXTRACTION = "audio_extraction"
    TRANSCRIPTION = "speech_to_text"
    SPEECH_EMOTION = "speech_emotion"
    PARAPHRASE = "paraphrase"
    SUMMARY = "summary_generation"
    TRANSLATION = "translation"
    TRANSLITERATION = "transliteration"
    SPEECH = "text_to_speech"
    TEXT_EMOTION = "text_emotion"
    TEXT_EXTRACTION = "text_extraction"


class MediaKind(StrEnum):
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class OptionChoice:
    """An allowed value: as sent, and as shown to people."""

    value: str
    label: str


class Accepts(StrEnum):
    CHOICE = "choice"
    LANGUAGE = "language"
    """A listed language, or the code of another known one: the service's list is too long for a form."""
    NUMBER = "number"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Option:
    """An option besides the text or file; ``word`` comes before the equals sign: ``rate=16000``."""

    name: str
    word: str
    label: str
    _: KW_ONLY
    accepts: Accepts = Accepts.CHOICE
    choices: tuple[OptionChoice, ...] = ()
    default: str = ""
    """Sent if no value is given; an empty one isn't sent."""
    example: str = ""
    is_sent: bool = True

    @property
    def rule(self) -> str:
        match self.accepts:
            case Accepts.CHOICE:
                values = [choice.value for choice in self.choices]
                return f"{', '.join(values[:-1])} or {values[-1]}"
            case Accepts.LANGUAGE:
                return f"a language such as {self.sample} or {self.label_of(self.sample)}"
            case Accepts.NUMBER:
                return "a number such as 1.2"
            case Accepts.WORD:
                return "at most 100 letters and digits"

    @property
    def explained(self) -> str:
        about = f"{self.label.lower()}, " if self.accepts is Accepts.CHOICE else ""
        return f"{about}{self.rule}{f'; {self.default} if left out' if self.default else ''}"

    @property
    def sample(self) -> str:
        return self.example or self.default or (self.choices[0].value if self.choices else "1")

    def read(self, text: str) -> str:
        """Return the value to send; raises PersonError if it is not allowed."""
        given = text.strip()
        for choice in self.choices:
            if given.casefold() in (choice.value.casefold(), choice.label.casefold()):
                return choice.value
        if self.accepts is Accepts.LANGUAGE:
            tag = normal_tag(given)
            if tag is not None:
                return tag
        pattern = {Accepts.NUMBER: _NUMBER, Accepts.WORD: _WORD}.get(self.accepts)
        if pattern is None or pattern.fullmatch(given) is None:
            rule = f"it must be {self.rule}{self._meant(given)}"
            raise PersonError(argument=self.word, rule=rule, example=f"{self.word}={self.sample}", given=text)
        return format(Decimal(given), "f") if self.accepts is Accepts.NUMBER else given

    def _meant(self, given: str) -> str:
        """Return the listed language with a similar name, as the end of a sentence."""
        if self.accepts is not Accepts.LANGUAGE:
            return ""
        labels = {choice.label.casefold(): choice for choice in self.choices}
        close = difflib.get_close_matches(given.casefold(), labels, n=1, cutoff=0.7)
        return f"; did you mean {labels[close[0]].label} ({labels[close[0]].value})?" if close else ""

    def label_of(self, value: str) -> str:
        return next((choice.label for choice in self.choices if choice.value == value), value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """The file or address that an operation requires; ``file`` and ``url`` name its fields."""

    kind: MediaKind = MediaKind.AUDIO
    file: str = "audio_file"
    url: str = "audio_url"
    formats: tuple[str, ...]
    is_closed: bool = True
    """Whether the service documents that it accepts no other formats."""
    max_seconds: int | None = None

    @property
    def noun(self) -> str:
        return "audio file" if self.kind is MediaKind.AUDIO else self.kind.value

    @property
    def listed(self) -> str:
        dotted = [f".{one}" for one in self.formats]
        return f"{', '.join(dotted[:-1])} or {dotted[-1]}" if len(dotted) > 1 else dotted[0]

    def takes(self, kind: str, found: str) -> bool:
        listed = normal_format(found) in self.formats
        return listed and kind == self.kind if self.is_closed else listed or kind == self.kind

    @property
    def extensions(self) -> Collection[str]:
        return (*self.formats, *(("aif",) if "aiff" in self.formats else ()))


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of options for audio extraction."""

    name: str
    label: str
    values: Mapping[str, str]


CUSTOM = "custom"
PRESETS = (
    Preset("speech", "Speech (16 kHz mono)", {"sample_rate": "16000", "sample_width": "16", "n_channels": "1"}),
    Preset("music", "Music (44.1 kHz stereo)", {"sample_rate": "44100", "sample_width": "16", "n_channels": "2"}),
)


def preset_of(values: Mapping[str, str]) -> str:
    """Return the preset with exactly these values, or :data:`CUSTOM`."""
    return next((one.name for one in PRESETS if one.values == values), CUSTOM)


def with_preset(values: Mapping[str, str], *, chosen: str, begun: Mapping[str, str]) -> dict[str, str]:
    """Return a form's values: the preset's, unless a value differs from ``begun``, with which the form was opened."""
    preset = next((one.values for one in PRESETS if one.name == chosen), values)
    return dict(values if any(values[name] != begun.get(name) for name in values) else preset)


TEXT_LIMIT = 3_000
_ALIASES = {"wave": "wav", "aif": "aiff", "aifc": "aiff", "oga": "ogg", "mpe": "mpeg", "qt": "mov"} | {
    "weba": "webm",
    "mka": "mkv",
}


def normal_format(name: str) -> str:
    """Return the canonical name of a format: ``.AIF`` -> ``aiff``."""
    plain = name.strip().lower().removeprefix(".")
    return _ALIASES.get(plain, plain)


@dataclass(frozen=True, slots=True)
class Capability:
    """One operation for people. ``label``, shown on the button below a dropped file, is fixed by contract."""

    operation: CallOperation
    verb: str
    label: str
    _: KW_ONLY
    summary: str
    doing: str
    heading: str = ""
    is_english: bool = False
    most_elements: int | None = None
    """Limit of sentences. The document doesn't define the service's elements; we assume sentences."""
    media: Media | None = None
    options: tuple[Option, ...] = ()
    streams: bool = False
    """Whether the answer may be the media itself instead of its address."""

    @property
    def title(self) -> str:
        return self.heading or self.label

    @property
    def text_limit(self) -> int | None:
        """Characters of the text, as many as fit in a form; None if it takes a file or an address."""
        return TEXT_LIMIT if self.media is None else None

    def option(self, name: str) -> Option | None:
        return next((one for one in self.options if name in (one.name, one.word)), None)
