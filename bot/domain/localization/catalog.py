"""The thirteen operations: formats, allowed values, defaults and limits, from the interface document.

Where the document is silent (``is_closed=False``, the options below *Other capabilities*), the service decides.
"""

from collections.abc import Mapping
from types import MappingProxyType

from bot.domain.localization.declaration import (
    Accepts,
    CallOperation,
    Capability,
    Media,
    MediaKind,
    Option,
    OptionChoice,
)
from bot.domain.localization.languages import LANGUAGES, LOCALES

TEXT_LIMIT = 3_000

_CLIPS = ("mp3", "wav")
_SOUNDS = ("mp3", "wav", "flac", "ogg", "aiff")
_VIDEOS = ("mp4", "mov", "mkv", "webm", "mpeg", "mpg", "avi", "flv", "m4v")
_SPEECH = (*_SOUNDS, "m4a", "aac", "opus")
_DOCUMENTS = ("pdf", "docx", "doc", "odt", "rtf", "pptx", "txt", "html", "epub", "md")


def _audio(formats: tuple[str, ...], *, is_closed: bool = True) -> Media:
    return Media(kind=MediaKind.AUDIO, file="audio_file", url="audio_url", formats=formats, is_closed=is_closed)


def _numbers(*values: int, unit: str = "") -> tuple[OptionChoice, ...]:
    return tuple(OptionChoice(str(value), f"{value}{unit}") for value in values)


_LOCALE = Option(
    name="locale", word="locale", label="Language", accepts=Accepts.LANGUAGE, choices=LOCALES, default="en-US"
)
_SOURCE = Option(
    name="source_lang", word="from", label="From", accepts=Accepts.LANGUAGE, choices=LANGUAGES, example="en"
)
_STATED = Option(
    name="language",
    word="language",
    label="Language",
    accepts=Accepts.LANGUAGE,
    choices=LANGUAGES,
    example="en",
    is_sent=False,
)
"""Option with which a person states that a text is English although it looks like another language."""

CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        operation=CallOperation.GENDER,
        verb="gender",
        label="Detect gender",
        title="Detect gender",
        summary="tell the gender of the speaker of a recording",
        doing="Listening to who speaks",
        media=_audio(_CLIPS),
    ),
    Capability(
        operation=CallOperation.SEPARATION,
        verb="separate",
        label="Separate vocals and music",
        title="Separate vocals and music",
        summary="split a song into its vocals and its music, two .mp3 files",
        doing="Separating vocals and music",
        media=_audio(_CLIPS),
    ),
    Capability(
        operation=CallOperation.CONVERSION,
        verb="convert",
        label="Convert",
        title="Convert audio",
        summary="convert audio to .wav or .mp3",
        doing="Converting",
        media=_audio(_SOUNDS),
        options=(
            Option(
                name="target_extension",
                word="target",
                label="Convert to",
                choices=(OptionChoice("wav", ".wav"), OptionChoice("mp3", ".mp3")),
                default="wav",
                example="mp3",
            ),
        ),
        streams=True,
    ),
    Capability(
        operation=CallOperation.AUDIO_EXTRACTION,
        verb="extract-audio",
        label="Extract audio",
        title="Extract audio",
        summary="take the sound of a video, at most 600 seconds long, as a .wav file",
        doing="Extracting the sound",
        media=Media(kind=MediaKind.VIDEO, file="video_file", url="video_url", formats=_VIDEOS, max_seconds=600),
        options=(
            Option(
                name="sample_rate",
                word="rate",
                label="Samples per second",
                choices=_numbers(16000, 22050, 44100, 48000),
                default="44100",
                example="16000",
            ),
            Option(
                name="sample_width",
                word="width",
                label="Bits per sample",
                choices=_numbers(16, 32, unit=" bit"),
                default="32",
                example="16",
            ),
            Option(
                name="n_channels",
                word="channels",
                label="Channels",
                choices=(OptionChoice("1", "1 (mono)"), OptionChoice("2", "2 (stereo)")),
                default="1",
                example="2",
            ),
        ),
        streams=True,
    ),
    Capability(
        operation=CallOperation.TRANSCRIPTION,
        verb="transcribe",
        label="Transcribe",
        title="Transcribe",
        summary="write down what is said in a recording",
        doing="Writing down what is said",
        media=_audio(_SPEECH, is_closed=False),
        options=(_LOCALE,),
    ),
    Capability(
        operation=CallOperation.SPEECH_EMOTION,
        verb="emotion",
        label="Emotion",
        title="Emotion in speech",
        summary="recognize the emotion in a recording or a text",
        doing="Listening for the emotion",
        media=_audio(_SPEECH, is_closed=False),
    ),
    Capability(
        operation=CallOperation.PARAPHRASE,
        verb="paraphrase",
        label="Paraphrase",
        title="Paraphrase",
        summary="say an English text in other words",
        doing="Finding other words",
        text_limit=TEXT_LIMIT,
        is_english=True,
        options=(_STATED,),
    ),
    Capability(
        operation=CallOperation.SUMMARY,
        verb="summarize",
        label="Summarize",
        title="Summarize",
        summary="shorten an English text that is long enough for it",
        doing="Summarizing",
        text_limit=TEXT_LIMIT,
        is_english=True,
        options=(_STATED,),
    ),
    Capability(
        operation=CallOperation.TRANSLATION,
        verb="translate",
        label="Translate",
        title="Translate",
        summary="translate a text; from= says its language, unless its letters can be of one alone",
        doing="Translating",
        text_limit=TEXT_LIMIT,
        options=(
            _SOURCE,
            Option(
                name="target_lang", word="to", label="To", accepts=Accepts.LANGUAGE, choices=LANGUAGES, default="es"
            ),
        ),
    ),
    Capability(
        operation=CallOperation.TRANSLITERATION,
        verb="transliterate",
        label="Transliterate",
        title="Transliterate",
        summary="write a text of another script in English letters",
        doing="Writing it in English letters",
        text_limit=TEXT_LIMIT,
        options=(_SOURCE,),
    ),
    Capability(
        operation=CallOperation.SPEECH,
        verb="speak",
        label="Speak",
        title="Speak a text",
        summary="make speech of a text, as an audio file",
        doing="Speaking",
        text_limit=TEXT_LIMIT,
        options=(
            _LOCALE,
            Option(
                name="gender",
                word="gender",
                label="Voice",
                choices=(OptionChoice("female", "Female"), OptionChoice("male", "Male")),
                default="female",
                example="male",
            ),
            Option(
                name="speaker_id",
                word="speaker",
                label="Speaker's id at the service",
                accepts=Accepts.WORD,
                example="speaker-2",
            ),
            Option(name="speed", word="speed", label="Speed", accepts=Accepts.NUMBER, example="1.2"),
            Option(name="pitch", word="pitch", label="Pitch", accepts=Accepts.NUMBER, example="0.9"),
            Option(name="volume", word="volume", label="Volume", accepts=Accepts.NUMBER, example="1"),
        ),
        streams=True,
    ),
    Capability(
        operation=CallOperation.TEXT_EMOTION,
        verb="emotion",
        label="Emotion",
        title="Emotion in a text",
        summary="recognize the emotion in a recording or a text",
        doing="Reading for the emotion",
        text_limit=TEXT_LIMIT,
    ),
    Capability(
        operation=CallOperation.TEXT_EXTRACTION,
        verb="extract-text",
        label="Extract text",
        title="Extract text",
        summary="read the text of a document",
        doing="Reading the document",
        media=Media(kind=MediaKind.DOCUMENT, file="file", url="file_url", formats=_DOCUMENTS, is_closed=False),
        options=(
            Option(
                name="language",
                word="language",
                label="Language of the document",
                accepts=Accepts.LANGUAGE,
                choices=LANGUAGES,
                default="en",
            ),
        ),
    ),
)

_BY_OPERATION: Mapping[CallOperation, Capability] = MappingProxyType({one.operation: one for one in CAPABILITIES})


def capability(operation: CallOperation) -> Capability:
    return _BY_OPERATION[operation]
