"""The form of each operation as Slack gets it: what it takes, and every option with its choices and its default."""

from inline_snapshot import snapshot

from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import Option, OptionChoice
from bot.presentation.localization_forms import Carried, _option, form
from tests.presentation.checks import alike, as_sent, lines_of


def test_up_to_a_hundred_choices_stand_in_one_list_and_more_in_two() -> None:
    many = tuple(OptionChoice(value=str(n), label=f"{'AZ'[n % 2]} {n}") for n in range(101))
    [short, long] = [_option(Option("rate", "rate", "Rate", choices=few), {})["element"] for few in (many[:100], many)]
    assert len(short["options"]) == 100
    halves = long["option_groups"]
    assert [(one["label"]["text"], len(one["options"])) for one in halves] == [("A – A", 51), ("Z – Z", 50)]


def test_the_form_of_each_localization() -> None:
    """Each line of a form behind the operations whose form has it, and the fields of each form in their order."""
    lines: dict[str, list[str]] = {}
    fields = {}
    for one in CAPABILITIES:
        carried = Carried(verb=one.verb, operations=(one.operation.value,), channel="C0FINANCE")
        view = form([one], carried)
        fields[one.operation.value] = " ".join(block["block_id"] for block in view["blocks"][1:])
        assert Carried.load(view["private_metadata"]).verb == one.verb
        for line in as_sent({**view, "private_metadata": ""}).splitlines():
            lines.setdefault(line, []).append(one.operation.value)
    assert lines_of(alike(fields)) == snapshot("""\
gender_detection, music_source_separation, speech_emotion: file url
audio_conversion: file url option.target_extension
audio_extraction: file url preset option.sample_rate option.sample_width option.n_channels
speech_to_text: file url option.locale
paraphrase, summary_generation: text option.language
translation: text option.source_lang option.target_lang
transliteration: text option.source_lang
text_to_speech: text option.locale option.gender option.speaker_id option.speed option.pitch option.volume
text_emotion: text
text_extraction: file url option.language\
""")
    assert lines_of([f"{', '.join(names)}: {line}" for line, names in lines.items()]) == snapshot("""\
gender_detection: callback_id=localization.ask title=Detect gender submit=Start close=Cancel private_metadata=
gender_detection: type=section text=Detect the gender of a speaker in English, Indian and other languages. Choose a \
file or paste a link.
gender_detection, music_source_separation: block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, \
wav] max_files=10 optional=True hint=.mp3 or .wav; up to 10 MB each
gender_detection, music_source_separation, audio_conversion, speech_to_text, speech_emotion: block_id=url label=Or a \
link to an audio file as=plain_text_input action_id=url max_length=2000 placeholder=https://example.com/sample.mp3 \
optional=True hint=The link must open without signing in
music_source_separation: callback_id=localization.ask title=Separate submit=Start close=Cancel private_metadata=
music_source_separation: type=section text=Split a song into vocals and music. Choose a file or paste a link.
audio_conversion: callback_id=localization.ask title=Convert audio submit=Start close=Cancel private_metadata=
audio_conversion: type=section text=Convert audio to .wav or .mp3. Choose a file or paste a link.
audio_conversion: block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav, flac, ogg, aiff, \
aif] max_files=10 optional=True hint=.mp3, .wav, .flac, .ogg or .aiff; up to 10 MB each
audio_conversion: block_id=option.target_extension label=Convert to as=static_select action_id=option.target_extension \
options=[text=.wav value=wav, text=.mp3 value=mp3] initial_option=text=.wav value=wav
audio_extraction: callback_id=localization.ask title=Extract audio submit=Start close=Cancel private_metadata=
audio_extraction: type=section text=Extract the audio of a video, up to 10 minutes. Choose a file or paste a link.
audio_extraction: block_id=file label=Video as=file_input action_id=file filetypes=[mp4, mov, mkv, webm, mpeg, mpg, \
avi, flv, m4v] max_files=10 optional=True hint=.mp4, .mov, .mkv, .webm, .mpeg, .mpg, .avi, .flv or .m4v, up to 10 \
minutes; up to 10 MB each
audio_extraction: block_id=url label=Or a link to a video as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp4 optional=True hint=The link must open without signing in
audio_extraction: block_id=preset label=Preset as=radio_buttons action_id=preset options=[text=Speech (16 kHz mono) \
value=speech, text=Music (44.1 kHz stereo) value=music, text=Custom value=custom] initial_option=text=Custom \
value=custom hint=Custom uses the three values below.
audio_extraction: block_id=option.sample_rate label=Sample rate as=static_select action_id=option.sample_rate \
options=[text=16000 value=16000, text=22050 value=22050, text=44100 value=44100, text=48000 value=48000] \
initial_option=text=44100 value=44100
audio_extraction: block_id=option.sample_width label=Bit depth as=static_select action_id=option.sample_width \
options=[text=16 bit value=16, text=32 bit value=32] initial_option=text=32 bit value=32
audio_extraction: block_id=option.n_channels label=Channels as=static_select action_id=option.n_channels \
options=[text=1 (mono) value=1, text=2 (stereo) value=2] initial_option=text=1 (mono) value=1
speech_to_text: callback_id=localization.ask title=Transcribe submit=Start close=Cancel private_metadata=
speech_to_text: type=section text=Turn speech into text. Choose a file or paste a link.
speech_to_text, speech_emotion: block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav, flac, \
ogg, aiff, m4a, aac, opus, aif] max_files=10 optional=True hint=For example .mp3, .wav, .flac, .ogg, .aiff, .m4a, .aac \
or .opus; up to 10 MB each
speech_to_text, text_to_speech: block_id=option.locale label=Language as=static_select action_id=option.locale \
options=[text=English (United States) value=en-US, text=English (United Kingdom) value=en-GB, …, text=Vietnamese \
value=vi-VN] (57) initial_option=text=English (United States) value=en-US
speech_emotion: callback_id=localization.ask title=Emotion in speech submit=Start close=Cancel private_metadata=
speech_emotion: type=section text=Detect the emotion in speech or in a text. Choose a file or paste a link.
paraphrase: callback_id=localization.ask title=Paraphrase submit=Start close=Cancel private_metadata=
paraphrase: type=section text=Rephrase an English text.
paraphrase, summary_generation: block_id=text label=English text as=plain_text_input action_id=text max_length=3000 \
multiline=True
paraphrase, summary_generation: block_id=option.language label=Language as=static_select action_id=option.language \
option_groups=[label=A – L options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] \
(63), label=M – Z options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] \
optional=True hint=Choose English if I take your text for another language
summary_generation: callback_id=localization.ask title=Summarize submit=Start close=Cancel private_metadata=
summary_generation: type=section text=Summarize an English text.
translation: callback_id=localization.ask title=Translate submit=Start close=Cancel private_metadata=
translation: type=section text=Translate a text.
translation, transliteration, text_to_speech, text_emotion: block_id=text label=Text as=plain_text_input \
action_id=text max_length=3000 multiline=True
translation, transliteration: block_id=option.source_lang label=From as=static_select action_id=option.source_lang \
option_groups=[label=A – L options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] \
(63), label=M – Z options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] \
optional=True hint=Leave empty to detect it
translation: block_id=option.target_lang label=To as=static_select action_id=option.target_lang option_groups=[label=A \
– L options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] (63), label=M – Z \
options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] initial_option=text=Spanish \
value=es
transliteration: callback_id=localization.ask title=Transliterate submit=Start close=Cancel private_metadata=
transliteration: type=section text=Write a text in Latin letters.
text_to_speech: callback_id=localization.ask title=Speak a text submit=Start close=Cancel private_metadata=
text_to_speech: type=section text=Turn a text into speech.
text_to_speech: block_id=option.gender label=Voice as=static_select action_id=option.gender options=[text=Female \
value=female, text=Male value=male] initial_option=text=Female value=female
text_to_speech: block_id=option.speaker_id label=Speaker ID as=plain_text_input action_id=option.speaker_id \
max_length=100 placeholder=speaker-2 optional=True hint=At most 100 letters and digits
text_to_speech: block_id=option.speed label=Speed as=plain_text_input action_id=option.speed max_length=100 \
placeholder=1.2 optional=True hint=A number such as 1.2
text_to_speech: block_id=option.pitch label=Pitch as=plain_text_input action_id=option.pitch max_length=100 \
placeholder=0.9 optional=True hint=A number such as 1.2
text_to_speech: block_id=option.volume label=Volume as=plain_text_input action_id=option.volume max_length=100 \
placeholder=1 optional=True hint=A number such as 1.2
text_emotion: callback_id=localization.ask title=Emotion in a text submit=Start close=Cancel private_metadata=
text_emotion: type=section text=Detect the emotion in speech or in a text.
text_extraction: callback_id=localization.ask title=Extract text submit=Start close=Cancel private_metadata=
text_extraction: type=section text=Extract the text of a document. Choose a file or paste a link.
text_extraction: block_id=file label=Document as=file_input action_id=file filetypes=[pdf, docx, doc, odt, rtf, pptx, \
txt, html, epub, md] max_files=10 optional=True hint=For example .pdf, .docx, .doc, .odt, .rtf, .pptx, .txt, .html, \
.epub or .md; up to 10 MB each
text_extraction: block_id=url label=Or a link to a document as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.pdf optional=True hint=The link must open without signing in
text_extraction: block_id=option.language label=Document language as=static_select action_id=option.language \
option_groups=[label=A – L options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] \
(63), label=M – Z options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] \
initial_option=text=English value=en\
""")
