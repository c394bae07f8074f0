"""The form of each operation as Slack gets it: what it takes, and every option with its choices and its default."""

from inline_snapshot import snapshot

from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import Option, OptionChoice
from bot.presentation.localization_forms import Carried, _option, form
from tests.presentation.checks import form_of, lines_of


def test_choices_over_a_hundred_need_a_second_list() -> None:
    many = tuple(OptionChoice(value=str(n), label=f"{'AZ'[n % 2]} {n}") for n in range(101))
    [short, long] = [_option(Option("rate", "rate", "Rate", choices=few), {})["element"] for few in (many[:100], many)]
    assert len(short["options"]) == 100
    halves = long["option_groups"]
    assert [(one["label"]["text"], len(one["options"])) for one in halves] == [("A – A", 51), ("Z – Z", 50)]


def test_each_localization_has_its_form() -> None:
    found = {}
    for one in CAPABILITIES:
        view = form([one], Carried(verb=one.verb, operations=(one.operation.value,), channel="C0FINANCE"))
        assert Carried.load(view["private_metadata"]).verb == one.verb
        found[one.operation.value] = form_of(view)
    assert lines_of(found) == snapshot("""\
gender_detection: Detect gender [Start] ⏎ Detect the gender of a speaker in English, Indian and other languages. \
Choose a file or paste a link. ⏎ Audio file (mp3, wav, optional) ⏎ Or a link to an audio file (up to 2000, optional)
music_source_separation: Separate [Start] ⏎ Split a song into vocals and music. Choose a file or paste a link. ⏎ Audio \
file (mp3, wav, optional) ⏎ Or a link to an audio file (up to 2000, optional)
audio_conversion: Convert audio [Start] ⏎ Convert audio to .wav or .mp3. Choose a file or paste a link. ⏎ Audio file \
(mp3, wav, flac, ogg, aiff, aif, optional) ⏎ Or a link to an audio file (up to 2000, optional) ⏎ Convert to (.wav / \
.mp3) = .wav
audio_extraction: Extract audio [Start] ⏎ Extract the audio of a video, up to 10 minutes. Choose a file or paste a \
link. ⏎ Video (mp4, mov, mkv, webm, mpeg, mpg, avi, flv, m4v, optional) ⏎ Or a link to a video (up to 2000, optional) \
⏎ Preset (Speech (16 kHz mono) / Music (44.1 kHz stereo) / Custom) = Custom ⏎ Sample rate (4 choices) = 44100 ⏎ Bit \
depth (16 bit / 32 bit) = 32 bit ⏎ Channels (1 (mono) / 2 (stereo)) = 1 (mono)
speech_to_text: Transcribe [Start] ⏎ Turn speech into text. Choose a file or paste a link. ⏎ Audio file (mp3, wav, \
flac, ogg, aiff, m4a, aac, opus, aif, optional) ⏎ Or a link to an audio file (up to 2000, optional) ⏎ Language (57 \
choices) = English (United States)
speech_emotion: Emotion in speech [Start] ⏎ Detect the emotion in speech or in a text. Choose a file or paste a link. \
⏎ Audio file (mp3, wav, flac, ogg, aiff, m4a, aac, opus, aif, optional) ⏎ Or a link to an audio file (up to 2000, \
optional)
paraphrase: Paraphrase [Start] ⏎ Rephrase an English text. ⏎ English text (up to 3000) ⏎ Language (117 choices, \
optional)
summary_generation: Summarize [Start] ⏎ Summarize an English text. ⏎ English text (up to 3000) ⏎ Language (117 \
choices, optional)
translation: Translate [Start] ⏎ Translate a text. ⏎ Text (up to 3000) ⏎ From (117 choices, optional) ⏎ To (117 \
choices) = Spanish
transliteration: Transliterate [Start] ⏎ Write a text in Latin letters. ⏎ Text (up to 3000) ⏎ From (117 choices, \
optional)
text_to_speech: Speak a text [Start] ⏎ Turn a text into speech. ⏎ Text (up to 3000) ⏎ Language (57 choices) = English \
(United States) ⏎ Voice (Female / Male) = Female ⏎ Speaker ID (up to 100, optional) ⏎ Speed (up to 100, optional) ⏎ \
Pitch (up to 100, optional) ⏎ Volume (up to 100, optional)
text_emotion: Emotion in a text [Start] ⏎ Detect the emotion in speech or in a text. ⏎ Text (up to 3000)
text_extraction: Extract text [Start] ⏎ Extract the text of a document. Choose a file or paste a link. ⏎ Document \
(pdf, docx, doc, odt, rtf, pptx, txt, html, epub, md, optional) ⏎ Or a link to a document (up to 2000, optional) ⏎ \
Document language (117 choices) = English\
""")
