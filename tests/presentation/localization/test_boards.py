"""What people see of a localization call in each of its states, of each kind of result, and what one person is told."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from inline_snapshot import snapshot

from bot.domain.content import Content
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallProgress, CallState, CallView, Order
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.outcome import NotExecuted
from bot.domain.reasons import Exchange, OfCall, Reason
from bot.domain.troubles import failed
from bot.presentation import localization as calls
from tests.presentation.checks import alike, check_message, check_view, lines_of, seen

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def call(state: CallState, operation: CallOperation = CallOperation.TRANSCRIPTION, **changes: Any) -> CallView:
    """A call about a file that has run for 75 seconds; ``changes`` of the sight, and of its progress."""
    told = {name: changes.pop(name) for name in ("reason", "words", "again", "started_at", "result") if name in changes}
    order = Order(request=Request(operation=operation, file="F1").complete(), file_name="song.mp3")
    values = {"order": order, "elapsed": 75.0, "progress": CallProgress(by="U0ADA", **told), **changes}
    return CallView(id="01J", state=state, requester="U0MARIA", **values)


VOCALS = Track(name="vocals", url="", extension="mp3")
SILENT = Reason(OfCall.UNKNOWN, why=Reason(Exchange.NO_ANSWER, failure="timed out"))
MOMENTS = {
    "about to begin": call(CallState.WAITING, elapsed=None),
    "waiting": call(CallState.WAITING, position=2, elapsed=None),
    "waiting for the service": call(CallState.WAITING, elapsed=None, silent_since=NOW),
    "sending the file": call(CallState.RUNNING, percent=45),
    "running": call(CallState.RUNNING, percent=100),
    "handing over": call(CallState.HANDING_OVER),
    "done": call(CallState.DONE),
    "unread": call(CallState.UNREAD, reason=Reason(Exchange.UNEXPECTED, status=200)),
    "unread in part": call(
        CallState.UNREAD, CallOperation.TRANSCRIPTION, result=Tracks(tracks=(VOCALS,), missing=("music",))
    ),
    "failed": call(CallState.FAILED, reason=Reason(Exchange.REFUSED, status=422, fields=()), words="too noisy"),
    "failed, run again": call(CallState.FAILED, reason=Reason(OfCall.RESULT_LOST), again="01K"),
    "unknown": call(CallState.UNKNOWN, reason=SILENT),
    "canceled": call(CallState.CANCELED, elapsed=None),
    "canceled under way": call(CallState.CANCELED, started_at=NOW),
    "interrupted": call(CallState.INTERRUPTED),
    "interrupted, run again": call(CallState.INTERRUPTED, again="01K"),
}
RESULTS: dict[CallOperation, Result] = {
    CallOperation.GENDER: Gender(gender="female", percent=Decimal("93.00")),
    CallOperation.TEXT_EMOTION: Emotion(label="Joy"),
    CallOperation.SPEECH_EMOTION: Emotion(
        label="Joy", percent=Decimal(80), others=(("Love", Decimal("15.25")), ("<Fear>", None))
    ),
    CallOperation.PARAPHRASE: Phrases(sentences=("Hello there.", "Good day & <all>.")),
    CallOperation.TRANSLATION: Written(text="Hola"),
    CallOperation.TRANSCRIPTION: Written(text="la la"),
    CallOperation.SEPARATION: Tracks(tracks=(VOCALS,), missing=("music",)),
}


NAMES = {"U0MARIA": "Maria Silva", "U0ADA": "Ada Okafor"}
ABOUT = "\n:paperclip: song.mp3\nRequested by Maria Silva · language: English (United States)"


def test_boards() -> None:
    """Without what was asked for, and by whom."""
    found = {}
    for name, one in MOMENTS.items():
        board = calls.board(one, NAMES)
        check_message(board)
        assert ABOUT in seen(board)
        found[name] = seen(board).replace(ABOUT, "")
    assert {one.state for one in MOMENTS.values()} == set(CallState)
    assert lines_of(found) == snapshot("""\
about to begin: :hourglass_flowing_sand: *Transcribe* · Starting… ⏎ [Stop]
waiting: :hourglass_flowing_sand: *Transcribe* · Queued, number 2 ⏎ [Stop]
waiting for the service: :hourglass_flowing_sand: *Transcribe* · Queued. Localization hasn't answered since 2026-11-20 \
09:00 UTC. ⏎ [Stop]
sending the file: :hourglass_flowing_sand: *Transcribing…* 1 min 15 s ⏎ █████████░░░░░░░░░░░ 45 % uploaded ⏎ [Stop]
running: :hourglass_flowing_sand: *Transcribing…* 1 min 15 s ⏎ [Stop]
handing over: :hourglass_flowing_sand: *Transcribe* · Uploading…
done: :white_check_mark: *Transcribe* · Done in 1 min 15 s.
unread: :warning: *Transcribe* · Done, but I can't read the answer yet. The answer is saved and won't be billed again; \
*Details* shows how it begins. Ask an admin to check `/switchboard unread`, then press *Read again*. ⏎ [Read again] \
[Details]
unread in part: :warning: *Transcribe* · Done in 1 min 15 s. File in thread. Missing: *music*. The answer is saved and \
won't be billed again; *Details* shows how it begins. Ask an admin to check `/switchboard unread`, then press *Read \
again*. ⏎ [Read again] [Details]
failed: :x: *Transcribe* · Failed. The provider rejected the request. ⏎ [Run again] [Details]
failed, run again: :x: *Transcribe* · Failed. The result was lost in a restart. It was run again. ⏎ [Details]
unknown: :grey_question: *Transcribe* · Not confirmed. I got no clear answer, so it may have been done and billed. ⏎ \
[Run again] [Details]
canceled: :no_entry_sign: *Transcribe* · Stopped by Ada Okafor. ⏎ [Run again]
canceled under way: :no_entry_sign: *Transcribe* · Stopped by Ada Okafor. It may still be billed. ⏎ [Run again]
interrupted: :arrows_counterclockwise: *Transcribe* · Interrupted by a restart. It may still be billed. ⏎ [Run again] \
[Details]
interrupted, run again: :arrows_counterclockwise: *Transcribe* · Interrupted by a restart. It may still be billed. It \
was run again. ⏎ [Details]\
""")


def test_ends_without_a_result_are_told_in_the_thread_as_on_the_board() -> None:
    ends = (CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED)
    for one in (one for one in MOMENTS.values() if one.state in ends):
        sign, said = calls.failure(one, NAMES).text.split(" <@U0MARIA> ")
        assert calls.board(one, NAMES).text.splitlines()[0] == f"{sign} {said}"


def test_results() -> None:
    found = {}
    for operation, result in RESULTS.items():
        one = call(CallState.DONE, operation, result=result)
        one = replace(one, order=replace(one.order, request=Request(operation=operation, text="Hello").complete()))
        board = seen(calls.board(one, NAMES)).replace("\n>Hello\nRequested by Maria Silva", "")
        found[operation.value] = f"{board}\n→ {seen(calls.result(one))}"
    assert lines_of(found) == snapshot("""\
gender_detection: :white_check_mark: *Detect gender* · *Female* (93 % sure) ⏎ → <@U0MARIA> *Detect gender*: *Female* \
(93 % sure)
text_emotion: :white_check_mark: *Emotion in a text* · :smile: *Joy* ⏎ → <@U0MARIA> *Emotion in a text*: :smile: *Joy*
speech_emotion: :white_check_mark: *Emotion in speech* · :smile: *Joy* (80 % sure) ⏎ Love 15.2 % · &lt;Fear&gt; ⏎ → \
<@U0MARIA> *Emotion in speech*: :smile: *Joy* (80 % sure) ⏎ Love 15.2 % · &lt;Fear&gt;
paraphrase: :white_check_mark: *Paraphrase* · Done in 1 min 15 s. Text in thread. ⏎ → <@U0MARIA> *Paraphrase* ⏎ 1. \
Hello there. ⏎ 2. Good day & <all>.
translation: :white_check_mark: *Translate* · Done in 1 min 15 s. ⏎ Hola · to Spanish ⏎ → <@U0MARIA> *Translate* ⏎ Hola
speech_to_text: :white_check_mark: *Transcribe* · Done in 1 min 15 s. ⏎ la la · language: English (United States) ⏎ → \
<@U0MARIA> *Transcribe* ⏎ la la
music_source_separation: :warning: *Separate vocals and music* · Done in 1 min 15 s. File in thread. Missing: *music*. \
It wasn't in the answer. ⏎ → \
""")


ORDER = Order(request=Request(operation=CallOperation.PARAPHRASE, text="Hello").complete(), file_name="")
SIGHT = CallView(
    id="01J", order=ORDER, state=CallState.RUNNING, progress=CallProgress(by="U0ADA"), requester="U0MARIA", position=2,
    elapsed=1.0, percent=0,
)  # fmt: skip


def test_what_is_told_of_a_call() -> None:
    options = {"source_lang": "en", "target_lang": "fr"}
    translated = Request(operation=CallOperation.TRANSLATION, text="Hello", options=options).complete()
    german = Request(operation=CallOperation.TRANSLATION, text="Hallo", options={"source_lang": "de"}).complete()
    found = [
        calls.asked(ORDER, position=0, member=True),
        calls.asked(ORDER, position=3, member=False),
        calls.asked(Order(request=translated, file_name=""), position=0, member=True),
        calls.asked(Order(request=german, guessed=True), position=0, member=True),
        calls.asked_several(3),
        calls.not_yours("U0MARIA", NAMES),
        calls.no_again(replace(SIGHT, progress=CallProgress(by="U0ADA", again="01K")), NAMES),
    ]
    assert lines_of([one.text for one in found]) == snapshot("""\
:hourglass_flowing_sand: Paraphrasing…
:hourglass_flowing_sand: Paraphrasing… Number 3 in the queue. I'm not in this channel, so I'll message you. To add me: \
`/invite @Switchboard`
:hourglass_flowing_sand: Translating to French…
:hourglass_flowing_sand: Translating from German to Spanish…
:hourglass_flowing_sand: Working on 3 files. I'm not in this channel, so I'll message you. To add me: `/invite \
@Switchboard`
:no_entry_sign: Only Maria Silva or an admin can stop this.
:information_source: Ada Okafor already ran it again.\
""")
    too_late = {str(state): calls.no_cancel(replace(SIGHT, state=state)).text for state in CallState}
    assert lines_of(alike({"none": calls.no_cancel(None).text, **too_late})) == snapshot("""\
none: :warning: This button is out of date.
waiting, failed, unknown, interrupted: :information_source: It has already ended.
running: :information_source: It's already stopping.
handing_over, done, unread: :information_source: It's already done.
canceled: :information_source: It's already stopped.\
""")


TRANSLATED = Order(
    request=Request(
        operation=CallOperation.TRANSLATION,
        text="Wo ist der <!channel> Bahnhof?",
        options={"source_lang": "de", "target_lang": "fr"},
    ),
    guessed=True,
    private=True,
)


def whispered(state: CallState, **told: Any) -> CallView:
    progress, places = CallProgress(**told), ("U0MARIA", "C0FINANCE", "localization.text")
    one = CallView(id="01J", order=TRANSLATED, state=state, progress=progress, requester=places[0], elapsed=4.0)
    return replace(one, channel=places[1], lane=places[2])


TOO_SHORT = "text: The input is not long enough to summarize."
REFUSED = failed(
    NotExecuted(reason=Reason(Exchange.REFUSED, status=422, fields=()), again=False), service="localization"
)


def test_a_private_answer() -> None:
    done = whispered(CallState.DONE, result=Written(text="Où est la *gare* ?"))
    long = whispered(CallState.DONE, result=Written(text="la " * 2_900))
    found = {
        "done": calls.private(done),
        "posted": calls.private(done, posted_in="C0FINANCE"),
        "in a conversation with the bot": calls.private(replace(done, channel="D0MARIA")),
        "for all": calls.shared(done, NAMES),
        "refused": calls.private(whispered(CallState.FAILED, reason=REFUSED, words="text: This is not for us.")),
    }
    for content in (*found.values(), calls.private(long)):
        check_message(content, longest=40_000)
    assert not calls.is_long(long)
    assert calls.is_long(whispered(CallState.DONE, result=Written(text="la " * 3_001)))
    texts = {name: seen(one).replace(">Wo ist der &lt;!channel&gt; Bahnhof?", "(text)") for name, one in found.items()}
    assert lines_of(texts) == snapshot("""\
done: *Translate* · German (detected) → French ⏎ (text) ⏎ Où est la *gare* ? ⏎ [Post in channel] [Another language]
posted: *Translate* · German (detected) → French ⏎ (text) ⏎ Où est la *gare* ? ⏎ Posted in <#C0FINANCE> ⏎ [Another \
language]
in a conversation with the bot: *Translate* · German (detected) → French ⏎ (text) ⏎ Où est la *gare* ? ⏎ [Another \
language]
for all: Maria Silva · *Translate* · German (detected) → French ⏎ (text) ⏎ Où est la *gare* ?
refused: :x: *Translate* · Failed. Localization declined it: “text: This is not for us.” ⏎ (text) ⏎ [Run again] \
[Details]\
""")


def test_details_hold_what_the_message_leaves_out() -> None:
    one = whispered(CallState.FAILED, reason=REFUSED, words=TOO_SHORT, started_at=NOW, ended_at=NOW)
    view = calls.details(one)
    check_view(view)
    assert seen(Content(text="", blocks=view["blocks"])) == snapshot("""\
*Problem*: Localization rejected the request. Nothing was done.
*Answer*: text: The input is not long enough to summarize.
*HTTP status*: 422
*Started*: 2026-11-20 09:00 UTC
*Ended*: 2026-11-20 09:00 UTC
*ID*: `01J`\
""")
