"""What people see of a localization call in each of its states, of each kind of result, and what one person is told."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
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
from tests.presentation.checks import check_message, check_view, seen

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def call(state: CallState, operation: CallOperation = CallOperation.TRANSCRIPTION, **changes: Any) -> CallView:
    """A call about a file that has run for 75 seconds; ``changes`` of the sight, and of its progress."""
    told = {name: changes.pop(name) for name in ("reason", "words", "again", "started_at", "result") if name in changes}
    order = Order(request=Request(operation=operation, file="F1").complete(), file_name="song.mp3")
    values = {"order": order, "elapsed": 75.0, "progress": CallProgress(by="U0ADA", **told), **changes}
    return CallView(id="01J", state=state, requester="U0MARIA", **values)


VOCALS = Track(name="vocals", url="", extension="mp3")
SURE = Emotion(label="Joy", percent=Decimal(80), others=(("Love", Decimal("15.25")), ("<Fear>", None)))
PART = {"result": Tracks(tracks=(VOCALS,), missing=("music",))}
SILENT = Reason(OfCall.UNKNOWN, why=Reason(Exchange.NO_ANSWER, failure="timed out"))
REJECTED = {"reason": Reason(Exchange.REFUSED, status=422, fields=()), "words": "too noisy"}
NAMES = {"U0MARIA": "Maria Silva", "U0ADA": "Ada Okafor"}


@pytest.mark.parametrize(("state", "changes", "words", "buttons"), [
    ("waiting", {"elapsed": None}, "Starting…", ["Stop"]),
    ("waiting", {"elapsed": None, "position": 2}, "Queued, number 2", ["Stop"]),
    ("waiting", {"elapsed": None, "silent_since": NOW}, "hasn't answered since 2026-11-20 09:00 UTC", ["Stop"]),
    ("running", {"percent": 45}, "*Transcribing…* 1 min 15 s\n█████████░░░░░░░░░░░ 45 % uploaded", ["Stop"]),
    ("running", {"percent": 100}, "*Transcribing…* 1 min 15 s", ["Stop"]),
    ("handing_over", {}, "Uploading…", []), ("done", {}, "Done in 1 min 15 s.", []),
    ("unread", {"reason": Reason(Exchange.UNEXPECTED, status=200)}, "won't be billed again", ["Read again", "Details"]),
    ("unread", PART, "Missing: *music*. The answer is saved", ["Read again", "Details"]),
    ("failed", REJECTED, "The provider rejected the request.", ["Run again", "Details"]),
    ("failed", {"reason": Reason(OfCall.RESULT_LOST), "again": "01K"}, "It was run again.", ["Details"]),
    ("unknown", {"reason": SILENT}, "it may have been done and billed", ["Run again", "Details"]),
    ("canceled", {"elapsed": None}, "Stopped by Ada Okafor.\n", ["Run again"]),
    ("canceled", {"started_at": NOW}, "Stopped by Ada Okafor. It may still be billed.", ["Run again"]),
    ("interrupted", {}, "It may still be billed.\n", ["Run again", "Details"]),
    ("interrupted", {"again": "01K"}, "It may still be billed. It was run again.", ["Details"]),
])  # fmt: skip
def test_board_tells_state_and_offers_what_it_allows(
    state: str, changes: dict[str, Any], words: str, buttons: list[str]
) -> None:
    one = call(CallState(state), **changes)
    board = calls.board(one, NAMES)
    check_message(board)
    text = seen(board)
    assert "\n:paperclip: song.mp3\nRequested by Maria Silva · language: English (United States)" in text
    assert words in text
    assert re.findall(r"\[([^]]+)\]", text) == buttons
    if state in ("failed", "unknown", "canceled", "interrupted"):  # the thread tells the same
        sign, said = calls.failure(one, NAMES).text.split(" <@U0MARIA> ")
        assert board.text.splitlines()[0] == f"{sign} {said}"


@pytest.mark.parametrize(("operation", "result", "board", "thread"), [
    ("gender_detection", Gender(gender="female", percent=Decimal("93.00")), "*Female* (93 % sure)", "(93 % sure)"),
    ("text_emotion", Emotion(label="Joy"), ":smile: *Joy*", ":smile: *Joy*"),
    ("speech_emotion", SURE, "*Joy* (80 % sure)\nLove 15.2 % · &lt;Fear&gt;", "\nLove 15.2 % · &lt;Fear&gt;"),
    ("paraphrase", Phrases(sentences=("Hello.", "A & <b>.")), "Text in thread.", "\n1. Hello.\n2. A & <b>."),
    ("translation", Written(text="Hola"), "Done in 1 min 15 s.\nHola · to Spanish", "*Translate*\nHola"),
    ("speech_to_text", Written(text="la la"), "\nla la · language: English (United States)", "*Transcribe*\nla la"),
    ("music_source_separation", PART["result"], "File in thread. Missing: *music*. It wasn't in the answer.", ""),
])  # fmt: skip
def test_result_is_on_the_board_and_in_the_thread(operation: str, result: Result, board: str, thread: str) -> None:
    one = call(CallState.DONE, CallOperation(operation), result=result)
    one = replace(one, order=replace(one.order, request=replace(one.order.request, file="", text="Hello").complete()))
    assert board in seen(calls.board(one, NAMES)).replace("\n>Hello\nRequested by Maria Silva", "")
    assert seen(calls.result(one)).endswith(thread)


ORDER = Order(request=Request(operation=CallOperation.PARAPHRASE, text="Hello").complete(), file_name="")
SIGHT = CallView(
    id="01J", order=ORDER, state=CallState.RUNNING, progress=CallProgress(by="U0ADA"), requester="U0MARIA", position=2,
    elapsed=1.0, percent=0,
)  # fmt: skip


@pytest.mark.parametrize(("options", "guessed", "said"), [
    ({"source_lang": "en", "target_lang": "fr"}, False, "Translating to French…"),
    ({"source_lang": "de"}, True, "Translating from German to Spanish…"),
])  # fmt: skip
def test_answer_names_the_languages_of_a_translation(options: dict[str, str], guessed: bool, said: str) -> None:
    translated = Request(operation=CallOperation.TRANSLATION, text="Hallo", options=options).complete()
    assert calls.asked(Order(request=translated, guessed=guessed), position=0, member=True).text.endswith(said)


def test_answer_shows_queue_position_and_invites_the_bot() -> None:
    invited = "I'm not in this channel, so I'll message you. To add me: `/invite @Switchboard`"
    assert calls.asked(ORDER, position=0, member=True).text.endswith(": Paraphrasing…")
    assert calls.asked(ORDER, position=3, member=False).text.endswith(f"Number 3 in the queue. {invited}")
    assert calls.asked_several(3).text.endswith(f"Working on 3 files. {invited}")


def test_only_the_requester_cancels_a_call_and_it_reruns_once() -> None:
    assert "Only Maria Silva or an admin" in calls.not_yours("U0MARIA", NAMES).text
    assert (
        "Ada Okafor already ran it again."
        in calls.no_again(replace(SIGHT, progress=CallProgress(by="U0ADA", again="01K")), NAMES).text
    )
    assert "out of date" in calls.no_cancel(None).text
    ended = {"running": "already stopping", "canceled": "already stopped"}
    ended |= dict.fromkeys(("handing_over", "done", "unread"), "already done")
    for state in CallState:
        assert ended.get(state, "already ended") in calls.no_cancel(replace(SIGHT, state=state)).text


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


@pytest.mark.parametrize(("channel", "posted_in", "ending"), [
    ("C0FINANCE", "", "\n[Post in channel] [Another language]"),
    ("C0FINANCE", "C0FINANCE", "\nPosted in <#C0FINANCE>\n[Another language]"), ("D0MARIA", "", "\n[Another language]"),
])  # fmt: skip
def test_private_answer_can_be_posted_publicly_once(channel: str, posted_in: str, ending: str) -> None:
    done = replace(whispered(CallState.DONE, result=Written(text="Où est la *gare* ?")), channel=channel)
    content = calls.private(done, posted_in=posted_in)
    check_message(content, longest=40_000)
    told = "*Translate* · German (detected) → French\n>Wo ist der &lt;!channel&gt; Bahnhof?\nOù est la *gare* ?"
    assert seen(content) == told + ending
    shared = calls.shared(done, NAMES)
    check_message(shared, longest=40_000)
    assert seen(shared) == f"Maria Silva · {told}"


def test_private_answer_that_failed_quotes_the_service() -> None:
    content = calls.private(whispered(CallState.FAILED, reason=REFUSED, words="text: This is not for us."))
    check_message(content, longest=40_000)
    assert "Localization declined it: “text: This is not for us.”" in content.text
    assert seen(content).endswith("\n[Run again] [Details]")


def test_private_answer_of_more_than_9000_characters_is_long() -> None:
    long = whispered(CallState.DONE, result=Written(text="la " * 2_900))
    check_message(calls.private(long), longest=40_000)
    assert not calls.is_long(long)
    assert calls.is_long(whispered(CallState.DONE, result=Written(text="la " * 3_001)))


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
