"""The thirteen operations: formats, values, defaults and limits of the interface document, or else of the service."""

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
"""Option with which a person states that a text is English although it looks like another language."""

CAPABILITIES: tuple[Capability, ...] = (
    Capability(
        *(CallOperation.GENDER, "gender", "Detect gender"),
        summary="tell the gender of the speaker of a recording (English, Indian languages, and others too)",
        doing="Listening to who speaks",
        media=Media(formats=_CLIPS),
    ),
    Capability(
        *(CallOperation.SEPARATION, "separate", "Separate vocals and music"),
        summary="split a song into its vocals and its music, two .mp3 files",
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
        summary="take the sound of a video, at most 600 seconds long, as a .wav file",
        doing="Extracting the sound",
        media=Media(kind=MediaKind.VIDEO, file="video_file", url="video_url", formats=_VIDEOS, max_seconds=600),
        options=(
            Option("sample_rate", "rate", "Samples per second", choices=_RATES, default="44100", example="16000"),
            Option("sample_width", "width", "Bits per sample", choices=_WIDTHS, default="32", example="16"),
            Option("n_channels", "channels", "Channels", choices=_CHANNELS, default="1", example="2"),
        ),
        streams=True,
    ),
    Capability(
        *(CallOperation.TRANSCRIPTION, "transcribe", "Transcribe"),
        summary="write down what is said in a recording",
        doing="Writing down what is said",
        media=Media(formats=_SPEECH, is_closed=False),
        options=(_LOCALE,),
    ),
    Capability(
        *(CallOperation.SPEECH_EMOTION, "emotion", "Emotion"),
        heading="Emotion in speech",
        summary="recognize the emotion in a recording or a text",
        doing="Listening for the emotion",
        media=Media(formats=_SPEECH, is_closed=False),
    ),
    Capability(
        *(CallOperation.PARAPHRASE, "paraphrase", "Paraphrase"),
        summary="say an English text in other words; more than 50 sentences are sent in parts",
        doing="Finding other words",
        is_english=True,
        most_elements=50,
        options=(_STATED,),
    ),
    Capability(
        *(CallOperation.SUMMARY, "summarize", "Summarize"),
        summary="shorten an English text that is long enough for it",
        doing="Summarizing",
        is_english=True,
        options=(_STATED,),
    ),
    Capability(
        *(CallOperation.TRANSLATION, "translate", "Translate"),
        summary="translate a text; from= says its language where it is not recognized",
        doing="Translating",
        options=(
            _SOURCE,
            Option("target_lang", "to", "To", accepts=Accepts.LANGUAGE, choices=LANGUAGES, default="es"),
        ),
    ),
    Capability(
        *(CallOperation.TRANSLITERATION, "transliterate", "Transliterate"),
        summary="write a text of another script in English letters",
        doing="Writing it in English letters",
        options=(_SOURCE,),
    ),
    Capability(
        *(CallOperation.SPEECH, "speak", "Speak"),
        heading="Speak a text",
        summary="make speech of a text, as an audio file",
        doing="Speaking",
        options=(
            _LOCALE,
            Option(
                "gender", "gender", "Voice", choices=listed("female Female|male Male"), default="female", example="male"
            ),
            Option("speaker_id", "speaker", "Speaker's id at the service", accepts=Accepts.WORD, example="speaker-2"),
            Option("speed", "speed", "Speed", accepts=Accepts.NUMBER, example="1.2"),
            Option("pitch", "pitch", "Pitch", accepts=Accepts.NUMBER, example="0.9"),
            Option("volume", "volume", "Volume", accepts=Accepts.NUMBER, example="1"),
        ),
        streams=True,
    ),
    Capability(
        *(CallOperation.TEXT_EMOTION, "emotion", "Emotion"),
        heading="Emotion in a text",
        summary="recognize the emotion in a recording or a text",
        doing="Reading for the emotion",
    ),
    Capability(
        *(CallOperation.TEXT_EXTRACTION, "extract-text", "Extract text"),
        summary="read the text of a document",
        doing="Reading the document",
        media=Media(kind=MediaKind.DOCUMENT, file="file", url="file_url", formats=_DOCUMENTS, is_closed=False),
        options=(
            Option(
                *("language", "language", "Language of the document"),
                accepts=Accepts.LANGUAGE,
                choices=LANGUAGES,
                default="en",
            ),
        ),
    ),
)


def capability(operation: CallOperation) -> Capability:
    return next(one for one in CAPABILITIES if one.operation is operation)
