"""What people see of a localization call in each of its states, of each kind of result, and what one person is told."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.errors import ServiceNever
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallProgress, CallState, CallView, Order
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.reasons import Exchange, OfCall, Reason, Verbatim, given
from bot.presentation import localization as calls
from bot.presentation.reasons import worded
from bot.workflows.localization.results import _not_handed_over
from tests.presentation.checks import check_message, lines_of, seen

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
    CallOperation.TRANSCRIPTION: Written(text="la " * 67),
    CallOperation.SEPARATION: Tracks(tracks=(VOCALS,), missing=("music",)),
}


ABOUT = "\n:paperclip: song.mp3\nasked by <@U0MARIA> · language: English (United States)"


def test_boards() -> None:
    """Without what was asked for, and by whom."""
    found = {}
    for name, one in MOMENTS.items():
        board = calls.board(one)
        check_message(board)
        assert ABOUT in seen(board)
        found[name] = seen(board).replace(ABOUT, "")
    assert {one.state for one in MOMENTS.values()} == set(CallState)
    assert lines_of(found) == snapshot("""\
about to begin: :hourglass_flowing_sand: *Transcribe*: about to begin ⏎ [Cancel]
waiting: :hourglass_flowing_sand: *Transcribe*: waiting, number 2 in the queue ⏎ [Cancel]
waiting for the service: :hourglass_flowing_sand: *Transcribe*: waiting; the service has not answered since \
2026-11-20 09:00 UTC ⏎ [Cancel]
sending the file: :hourglass_flowing_sand: *Transcribe*: writing down what is said, 1:15 ⏎ Sending the file \
█████████░░░░░░░░░░░ 45 % ⏎ [Cancel]
running: :hourglass_flowing_sand: *Transcribe*: writing down what is said, 1:15 ⏎ [Cancel]
handing over: :inbox_tray: *Transcribe*: done, its files are on their way
done: :white_check_mark: *Transcribe*: done after 1:15
unread: :warning: *Transcribe*: answered after 1:15, under names that I do not know. The answer is kept. An admin \
adds the line from the switchboard command `unread` and restarts; then press *Read again*. It is not run or billed \
again. ⏎ [Read again]
unread in part: :warning: *Transcribe*: done after 1:15: a file in the thread. Missing: *music*, under no name that I \
know. The answer is kept. An admin adds the line from the switchboard command `unread` and restarts; then press *Read \
again*. It is not run or billed again. ⏎ [Read again]
failed: :x: *Transcribe*: failed after 1:15. The service refused the request (422). It says: too noisy. ⏎ [Run again]
failed, run again: :x: *Transcribe*: failed after 1:15. A restart lost what the service had made. It was run again.
unknown: :grey_question: *Transcribe*: *unknown* after 1:15. The localization service gave no answer (timed out). The \
service may have done it, and may bill it. It is not sent again by itself. ⏎ [Run again]
canceled: :no_entry_sign: *Transcribe*: canceled by <@U0ADA>. ⏎ [Run again]
canceled under way: :no_entry_sign: *Transcribe*: canceled by <@U0ADA> after 1:15. The service may go on with it, and \
bill it. ⏎ [Run again]
interrupted: :arrows_counterclockwise: *Transcribe*: interrupted; run it again. Switchboard was restarted before the \
answer came. ⏎ [Run again]
interrupted, run again: :arrows_counterclockwise: *Transcribe*: interrupted. Switchboard was restarted before the \
answer came. It was run again.\
""")


def test_ends_without_a_result_are_told_in_the_thread_as_on_the_board() -> None:
    ends = (CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED)
    for one in (one for one in MOMENTS.values() if one.state in ends):
        sign, said = calls.failure(one).text.split(" <@U0MARIA> ")
        assert calls.board(one).text.splitlines()[0] == f"{sign} {said}"


def test_results() -> None:
    found = {}
    for operation, result in RESULTS.items():
        one = call(CallState.DONE, operation, result=result)
        one = replace(one, order=replace(one.order, request=Request(operation=operation, text="Hello").complete()))
        found[operation.value] = f"{seen(calls.board(one))}\n→ {seen(calls.result(one))}"
    assert lines_of(found) == snapshot("""\
gender_detection: :white_check_mark: *Detect gender*: done after 1:15: *Female* (93 % sure) ⏎ >Hello ⏎ asked by \
<@U0MARIA> ⏎ → <@U0MARIA> *Detect gender*: *Female* (93 % sure)
text_emotion: :white_check_mark: *Emotion in a text*: done after 1:15: :smile: *Joy* ⏎ >Hello ⏎ asked by <@U0MARIA> ⏎ \
→ <@U0MARIA> *Emotion in a text*: :smile: *Joy*
speech_emotion: :white_check_mark: *Emotion in speech*: done after 1:15: :smile: *Joy* (80 % sure) ⏎ >Hello ⏎ asked \
by <@U0MARIA> ⏎ → <@U0MARIA> *Emotion in speech*: :smile: *Joy* (80 % sure) ⏎ Love 15.2 % · &lt;Fear&gt;
paraphrase: :white_check_mark: *Paraphrase*: done after 1:15: 2 other ways to say it, in the thread ⏎ >Hello ⏎ asked \
by <@U0MARIA> ⏎ → <@U0MARIA> *Paraphrase* ⏎ 1. Hello there. ⏎ 2. Good day & <all>.
translation: :white_check_mark: *Translate*: done after 1:15: Hola ⏎ >Hello ⏎ asked by <@U0MARIA> · to: Spanish ⏎ → \
<@U0MARIA> *Translate* ⏎ Hola
speech_to_text: :white_check_mark: *Transcribe*: done after 1:15: 201 characters, in the thread ⏎ >Hello ⏎ asked by \
<@U0MARIA> · language: English (United States) ⏎ → <@U0MARIA> *Transcribe* ⏎ la la la la la la la la la la la la la \
la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la la \
la la la la la la la la la la la la la la la
music_source_separation: :warning: *Separate vocals and music*: done after 1:15: a file in the thread. Missing: \
*music*. The service did not give it. ⏎ >Hello ⏎ asked by <@U0MARIA> ⏎ → \
""")


ORDER = Order(request=Request(operation=CallOperation.PARAPHRASE, text="Hello").complete(), file_name="")
SIGHT = CallView(
    id="01J", order=ORDER, state=CallState.RUNNING, progress=CallProgress(by="U0ADA"), requester="U0MARIA", position=2,
    elapsed=1.0, percent=0,
)  # fmt: skip


def test_what_is_told_of_a_call() -> None:
    options = {"source_lang": "en", "target_lang": "fr"}
    translated = Request(operation=CallOperation.TRANSLATION, text="Hello", options=options).complete()
    found = [
        calls.asked(ORDER, position=0, member=True),
        calls.asked(ORDER, position=3, member=False),
        calls.asked(Order(request=translated, file_name=""), position=0, member=True),
        calls.asked_several(3, member=True),
        calls.asked_several(3, member=False),
        *(calls.no_cancel(one) for one in (None, *(replace(SIGHT, state=state) for state in CallState))),
        calls.not_yours("U0MARIA"),
        *map(calls.no_again, (None, SIGHT, replace(SIGHT, progress=CallProgress(by="U0ADA", again="01K")))),
    ]
    assert lines_of([one.text for one in found]) == snapshot("""\
:memo: *Paraphrase*: on it. The answer comes here.
:memo: *Paraphrase*: on it. It is number 3 in the queue. I am not a member of this channel, so the answer comes to \
you directly. `/invite @Switchboard` brings me here.
:memo: *Translate* (from: English · to: French): on it. The answer comes here.
:memo: On it: 3 files. The answers come here.
:memo: On it: 3 files. I am not a member of this channel; the answers come to you.
:warning: This button is out of date.
:warning: There is nothing to cancel: it is over already: waiting.
:warning: There is nothing to cancel: it is over already: running.
:warning: There is nothing to cancel: it is done already; its files are on their way.
:warning: There is nothing to cancel: it is done already.
:warning: There is nothing to cancel: it is done already.
:warning: There is nothing to cancel: it is over already: failed.
:warning: There is nothing to cancel: it is over already: unknown.
:warning: There is nothing to cancel: it is over already: canceled.
:warning: There is nothing to cancel: it is over already: interrupted.
:warning: Only <@U0MARIA>, who asked for it, or an admin can cancel it.
:warning: This button is out of date.
:warning: There is nothing to run again.
:warning: <@U0ADA> has run it again already.\
""")


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ("Slack", "Slack does not take the file (refused the file)"),
        ("localization", "it was done, but the localization service refused the file"),
    ],
)
def test_a_file_that_was_not_handed_over(service: str, said: str) -> None:
    refused = ServiceNever(service, Reason(Verbatim.GIVEN, text="refused the file"))
    assert worded(_not_handed_over(refused)) == said


def test_reasons() -> None:
    found = [
        Reason(OfCall.QUEUE_FULL, most=20),
        Reason(OfCall.UNKNOWN, why=Reason(Exchange.NO_ANSWER, failure="")),
        Reason(OfCall.NOT_HANDED_OVER, why=given("timed out")),
    ]
    assert lines_of([worded(one) for one in found]) == snapshot("""\
you have 20 calls under way or waiting, which is the most; wait for one, or cancel one
the localization service gave no answer
it was done, but its files could not be handed over: timed out""")
