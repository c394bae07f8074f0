"""The form of each operation as Slack gets it: what it takes, and every option with its choices and its default."""

from inline_snapshot import snapshot

from bot.domain.localization import CAPABILITIES, OptionChoice
from bot.presentation.localization.forms import Carried, _choices, form
from tests.presentation.checks import as_sent


def test_up_to_a_hundred_choices_stand_in_one_list_and_more_in_two() -> None:
    many = [OptionChoice(value=str(n), label=f"{'AZ'[n % 2]} {n}") for n in range(101)]
    assert len(_choices(many[:100])["options"]) == 100
    halves = _choices(many)["option_groups"]
    assert [(one["label"]["text"], len(one["options"])) for one in halves] == [("A – A", 51), ("Z – Z", 50)]


def test_the_form_of_each_localization() -> None:
    found = {}
    for one in CAPABILITIES:
        carried = Carried(verb=one.verb, operations=(one.operation.value,), channel="C0FINANCE")
        found[one.operation.value] = as_sent(form([one], carried))
    assert found == snapshot(
        {
            "gender_detection": """\
callback_id=localization.ask title=Detect gender submit=Start close=Cancel \
private_metadata={"verb":"gender","operations":["gender_detection"],"channel":"C0FINANCE","thread_ts":"","file":"","fil\
e_name":""}
type=section text=Tell the gender of the speaker of a recording. Give either a file or an address.
block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav] max_files=10 optional=True hint=.mp3 \
or .wav; up to 10 MB each
block_id=url label=Or the address of an audio file as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp3 optional=True hint=The service downloads it, so it must be reachable \
without signing in\
""",
            "music_source_separation": """\
callback_id=localization.ask title=Separate submit=Start close=Cancel \
private_metadata={"verb":"separate","operations":["music_source_separation"],"channel":"C0FINANCE","thread_ts":"","file\
":"","file_name":""}
type=section text=Split a song into its vocals and its music, two .mp3 files. Give either a file or an address.
block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav] max_files=10 optional=True hint=.mp3 \
or .wav; up to 10 MB each
block_id=url label=Or the address of an audio file as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp3 optional=True hint=The service downloads it, so it must be reachable \
without signing in\
""",
            "audio_conversion": """\
callback_id=localization.ask title=Convert audio submit=Start close=Cancel \
private_metadata={"verb":"convert","operations":["audio_conversion"],"channel":"C0FINANCE","thread_ts":"","file":"","fi\
le_name":""}
type=section text=Convert audio to .wav or .mp3. Give either a file or an address.
block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav, flac, ogg, aiff, aif] max_files=10 \
optional=True hint=.mp3, .wav, .flac, .ogg or .aiff; up to 10 MB each
block_id=url label=Or the address of an audio file as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp3 optional=True hint=The service downloads it, so it must be reachable \
without signing in
block_id=option.target_extension label=Convert to as=static_select action_id=option.target_extension \
options=[text=.wav value=wav, text=.mp3 value=mp3] initial_option=text=.wav value=wav\
""",
            "audio_extraction": """\
callback_id=localization.ask title=Extract audio submit=Start close=Cancel \
private_metadata={"verb":"extract-audio","operations":["audio_extraction"],"channel":"C0FINANCE","thread_ts":"","file":\
"","file_name":""}
type=section text=Take the sound of a video, at most 600 seconds long, as a .wav file. Give either a file or an address.
block_id=file label=Video as=file_input action_id=file filetypes=[mp4, mov, mkv, webm, mpeg, mpg, avi, flv, m4v] \
max_files=10 optional=True hint=.mp4, .mov, .mkv, .webm, .mpeg, .mpg, .avi, .flv or .m4v, at most 600 seconds long; up \
to 10 MB each
block_id=url label=Or the address of a video as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp4 optional=True hint=The service downloads it, so it must be reachable \
without signing in
block_id=option.sample_rate label=Samples per second as=static_select action_id=option.sample_rate options=[text=16000 \
value=16000, text=22050 value=22050, text=44100 value=44100, text=48000 value=48000] initial_option=text=44100 \
value=44100
block_id=option.sample_width label=Bits per sample as=static_select action_id=option.sample_width options=[text=16 bit \
value=16, text=32 bit value=32] initial_option=text=32 bit value=32
block_id=option.n_channels label=Channels as=static_select action_id=option.n_channels options=[text=1 (mono) value=1, \
text=2 (stereo) value=2] initial_option=text=1 (mono) value=1\
""",
            "speech_to_text": """\
callback_id=localization.ask title=Transcribe submit=Start close=Cancel \
private_metadata={"verb":"transcribe","operations":["speech_to_text"],"channel":"C0FINANCE","thread_ts":"","file":"","f\
ile_name":""}
type=section text=Write down what is said in a recording. Give either a file or an address.
block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav, flac, ogg, aiff, m4a, aac, opus, aif] \
max_files=10 optional=True hint=For example .mp3, .wav, .flac, .ogg, .aiff, .m4a, .aac or .opus; up to 10 MB each
block_id=url label=Or the address of an audio file as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp3 optional=True hint=The service downloads it, so it must be reachable \
without signing in
block_id=option.locale label=Language as=static_select action_id=option.locale options=[text=English (United States) \
value=en-US, text=English (United Kingdom) value=en-GB, …, text=Vietnamese value=vi-VN] (57) \
initial_option=text=English (United States) value=en-US\
""",
            "speech_emotion": """\
callback_id=localization.ask title=Emotion in speech submit=Start close=Cancel \
private_metadata={"verb":"emotion","operations":["speech_emotion"],"channel":"C0FINANCE","thread_ts":"","file":"","file\
_name":""}
type=section text=Recognize the emotion in a recording or a text. Give either a file or an address.
block_id=file label=Audio file as=file_input action_id=file filetypes=[mp3, wav, flac, ogg, aiff, m4a, aac, opus, aif] \
max_files=10 optional=True hint=For example .mp3, .wav, .flac, .ogg, .aiff, .m4a, .aac or .opus; up to 10 MB each
block_id=url label=Or the address of an audio file as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.mp3 optional=True hint=The service downloads it, so it must be reachable \
without signing in\
""",
            "paraphrase": """\
callback_id=localization.ask title=Paraphrase submit=Start close=Cancel \
private_metadata={"verb":"paraphrase","operations":["paraphrase"],"channel":"C0FINANCE","thread_ts":"","file":"","file_\
name":""}
type=section text=Say an English text in other words.
block_id=text label=Text in English as=plain_text_input action_id=text max_length=3000 multiline=True
block_id=option.language label=Language as=static_select action_id=option.language option_groups=[label=A – L \
options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] (63), label=M – Z \
options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] optional=True hint=Only \
English is understood; choose it where an English text is taken for another language\
""",
            "summary_generation": """\
callback_id=localization.ask title=Summarize submit=Start close=Cancel \
private_metadata={"verb":"summarize","operations":["summary_generation"],"channel":"C0FINANCE","thread_ts":"","file":""\
,"file_name":""}
type=section text=Shorten an English text that is long enough for it.
block_id=text label=Text in English as=plain_text_input action_id=text max_length=3000 multiline=True
block_id=option.language label=Language as=static_select action_id=option.language option_groups=[label=A – L \
options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] (63), label=M – Z \
options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] optional=True hint=Only \
English is understood; choose it where an English text is taken for another language\
""",
            "translation": """\
callback_id=localization.ask title=Translate submit=Start close=Cancel \
private_metadata={"verb":"translate","operations":["translation"],"channel":"C0FINANCE","thread_ts":"","file":"","file_\
name":""}
type=section text=Translate a text.
block_id=text label=Text as=plain_text_input action_id=text max_length=3000 multiline=True
block_id=option.source_lang label=From as=static_select action_id=option.source_lang option_groups=[label=A – L \
options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] (63), label=M – Z \
options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] optional=True hint=Left open \
only where the letters say it, as those of Japanese or Greek do
block_id=option.target_lang label=To as=static_select action_id=option.target_lang option_groups=[label=A – L \
options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] (63), label=M – Z \
options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] initial_option=text=Spanish \
value=es\
""",
            "transliteration": """\
callback_id=localization.ask title=Transliterate submit=Start close=Cancel \
private_metadata={"verb":"transliterate","operations":["transliteration"],"channel":"C0FINANCE","thread_ts":"","file":"\
","file_name":""}
type=section text=Write a text of another script in English letters.
block_id=text label=Text as=plain_text_input action_id=text max_length=3000 multiline=True
block_id=option.source_lang label=From as=static_select action_id=option.source_lang option_groups=[label=A – L \
options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] (63), label=M – Z \
options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] optional=True hint=Left open \
only where the letters say it, as those of Japanese or Greek do\
""",
            "text_to_speech": """\
callback_id=localization.ask title=Speak a text submit=Start close=Cancel \
private_metadata={"verb":"speak","operations":["text_to_speech"],"channel":"C0FINANCE","thread_ts":"","file":"","file_n\
ame":""}
type=section text=Make speech of a text, as an audio file.
block_id=text label=Text as=plain_text_input action_id=text max_length=3000 multiline=True
block_id=option.locale label=Language as=static_select action_id=option.locale options=[text=English (United States) \
value=en-US, text=English (United Kingdom) value=en-GB, …, text=Vietnamese value=vi-VN] (57) \
initial_option=text=English (United States) value=en-US
block_id=option.gender label=Voice as=static_select action_id=option.gender options=[text=Female value=female, \
text=Male value=male] initial_option=text=Female value=female
block_id=option.speaker_id label=Speaker's id at the service as=plain_text_input action_id=option.speaker_id \
max_length=100 placeholder=speaker-2 optional=True hint=At most 100 letters, digits and simple signs
block_id=option.speed label=Speed as=plain_text_input action_id=option.speed max_length=100 placeholder=1.2 \
optional=True hint=A number with at most three decimals
block_id=option.pitch label=Pitch as=plain_text_input action_id=option.pitch max_length=100 placeholder=0.9 \
optional=True hint=A number with at most three decimals
block_id=option.volume label=Volume as=plain_text_input action_id=option.volume max_length=100 placeholder=1 \
optional=True hint=A number with at most three decimals\
""",
            "text_emotion": """\
callback_id=localization.ask title=Emotion in a text submit=Start close=Cancel \
private_metadata={"verb":"emotion","operations":["text_emotion"],"channel":"C0FINANCE","thread_ts":"","file":"","file_n\
ame":""}
type=section text=Recognize the emotion in a recording or a text.
block_id=text label=Text as=plain_text_input action_id=text max_length=3000 multiline=True\
""",
            "text_extraction": """\
callback_id=localization.ask title=Extract text submit=Start close=Cancel \
private_metadata={"verb":"extract-text","operations":["text_extraction"],"channel":"C0FINANCE","thread_ts":"","file":""\
,"file_name":""}
type=section text=Read the text of a document. Give either a file or an address.
block_id=file label=Document as=file_input action_id=file filetypes=[pdf, docx, doc, odt, rtf, pptx, txt, html, epub, \
md] max_files=10 optional=True hint=For example .pdf, .docx, .doc, .odt, .rtf, .pptx, .txt, .html, .epub or .md; up to \
10 MB each
block_id=url label=Or the address of a document as=plain_text_input action_id=url max_length=2000 \
placeholder=https://example.com/sample.pdf optional=True hint=The service downloads it, so it must be reachable \
without signing in
block_id=option.language label=Language of the document as=static_select action_id=option.language \
option_groups=[label=A – L options=[text=Afrikaans value=af, text=Albanian value=sq, …, text=Luxembourgish value=lb] \
(63), label=M – Z options=[text=Macedonian value=mk, text=Maithili value=mai, …, text=Zulu value=zu] (54)] \
initial_option=text=English value=en\
""",
        }
    )
