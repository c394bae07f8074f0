"""The thirteen operations, with formats, values, defaults and limits from the interface document or the service."""

from bot.domain.localization.declaration import Accepts, CallOperation, Capability, Media, MediaKind, Option
from bot.domain.localization.languages import LANGUAGES, LOCALES, listed

_CLIPS = ("mp3", "wav")
_SOUNDS = ("mp3", "wav", "flac", "ogg", "aiff")
_VIDEOS = ("mp4", "mov", "mkv", "webm", "mpeg", "mpg", "avi", "flv", "m4v")
_SPEECH = (*_SOUNDS, "m4a", "aac", "opus")
_DOCUMENTS = ("pdf", "docx", "doc", "odt", "rtf", "pptx", "txt", "html", "epub", "md")

_TARGETS = listed("wav .wav|mp3 .mp3")
_RATES = listed("16000 16000|22050 22050|44100 44100|48000 48000")
_WIDTHS = listed("16 16 bit|32 32 bit")
_CHANNELS = listed("1 1 (mono)|2 2 (stereo)")

_LOCALE = Option("locale", "locale", "Language", accepts=Accepts.LANGUAGE, choices=LOCALES, default="en-US")
_SOURCE = Option("source_lang", "from", "From", accepts=Accepts.LANGUAGE, choices=LANGUAGES, example="en")
_STATED = Option(
    "language", "language", "Language", accepts=Accepts.LANGUAGE, choices=LANGUAGES, example="en", is_sent=False
)
"""Lets a person state that a text is English although it looks like another language."""

CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        *(CallOperation.GENDER, "gender", "Detect gender"),
        summary="detect the gender of a speaker in English, Indian and other languages",
        doing="Detecting gender",
        media=Media(formats=_CLIPS),
    ),
    Capability(
        *(CallOperation.SEPARATION, "separate", "Separate vocals and music"),
        summary="split a song into vocals and music",
        doing="Separating vocals and music",
        media=Media(formats=_CLIPS),
    ),
    Capability(
        *(CallOperation.CONVERSION, "convert", "Convert"),
        heading="Convert audio",
        summary="convert audio to .wav or .mp3",
        doing="Converting",
        media=Media(formats=_SOUNDS),
        options=(Option("target_extension", "target", "Convert to", choices=_TARGETS, default="wav", example="mp3"),),
        streams=True,
    ),
    Capability(
        *(CallOperation.AUDIO_EXTRACTION, "extract-audio", "Extract audio"),
        summary="extract the audio of a video, up to 10 minutes",
        doing="Extracting audio",
        media=Media(kind=MediaKind.VIDEO, file="video_file", url="video_url", formats=_VIDEOS, max_seconds=600),
        options=(
            Option("sample_rate", "rate", "Sample rate", choices=_RATES, default="44100", example="16000"),
            Option("sample_width", "width", "Bit depth", choices=_WIDTHS, default="32", example="16"),
            Option("n_channels", "channels", "Channels", choices=_CHANNELS, default="1", example="2"),
        ),
        streams=True,
    ),
    Capability(
        *(CallOperation.TRANSCRIPTION, "transcribe", "Transcribe"),
        summary="turn speech into text",
        doing="Transcribing",
        media=Media(formats=_SPEECH, is_closed=False),
        options=(_LOCALE,),
    ),
    Capability(
        *(CallOperation.SPEECH_EMOTION, "emotion", "Emotion"),
        heading="Emotion in speech",
        summary="detect the emotion in speech or in a text",
        doing="Detecting emotion",
        media=Media(formats=_SPEECH, is_closed=False),
    ),
    Capability(
        *(CallOperation.PARAPHRASE, "paraphrase", "Paraphrase"),
        summary="rephrase an English text",
        doing="Paraphrasing",
        is_english=True,
        most_elements=50,
        options=(_STATED,),
    ),
    Capability(
        *(CallOperation.SUMMARY, "summarize", "Summarize"),
        summary="summarize an English text",
        doing="Summarizing",
        is_english=True,
        options=(_STATED,),
    ),
    Capability(
        *(CallOperation.TRANSLATION, "translate", "Translate"),
        summary="translate a text; add from= if I can't tell its language",
        doing="Translating",
        options=(
            _SOURCE,
            Option("target_lang", "to", "To", accepts=Accepts.LANGUAGE, choices=LANGUAGES, default="es"),
        ),
    ),
    Capability(
        *(CallOperation.TRANSLITERATION, "transliterate", "Transliterate"),
        summary="write a text in Latin letters",
        doing="Transliterating",
        options=(_SOURCE,),
    ),
    Capability(
        *(CallOperation.SPEECH, "speak", "Speak"),
        heading="Speak a text",
        summary="turn a text into speech",
        doing="Creating speech",
        options=(
            _LOCALE,
            Option(
                "gender", "gender", "Voice", choices=listed("female Female|male Male"), default="female", example="male"
            ),
            Option("speaker_id", "speaker", "Speaker ID", accepts=Accepts.WORD, example="speaker-2"),
            Option("speed", "speed", "Speed", accepts=Accepts.NUMBER, example="1.2"),
            Option("pitch", "pitch", "Pitch", accepts=Accepts.NUMBER, example="0.9"),
            Option("volume", "volume", "Volume", accepts=Accepts.NUMBER, example="1"),
        ),
        streams=True,
    ),
    Capability(
        *(CallOperation.TEXT_EMOTION, "emotion", "Emotion"),
        heading="Emotion in a text",
        summary="detect the emotion in speech or in a text",
        doing="Detecting emotion",
    ),
    Capability(
        *(CallOperation.TEXT_EXTRACTION, "extract-text", "Extract text"),
        summary="extract the text of a document",
        doing="Extracting text",
        media=Media(kind=MediaKind.DOCUMENT, file="file", url="file_url", formats=_DOCUMENTS, is_closed=False),
        options=(
            Option(
                *("language", "language", "Document language"),
                accepts=Accepts.LANGUAGE,
                choices=LANGUAGES,
                default="en",
            ),
        ),
    ),
)


def capability(operation: CallOperation) -> Capability:
    return next(one for one in CAPABILITIES if one.operation is operation)
