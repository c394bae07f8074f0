"""Calls that take long: a queue, a message that is edited, Cancel, restarts, and outcomes that nobody knows."""

import re
from pathlib import Path

import pytest

from bot.domain.localization.progress import CallState
from bot.playground.faults import Fault, FaultKind
from bot.presentation.localization import AGAIN, CANCEL
from storage.rows import Job
from tests.flow.localizing import DONE, ENGLISH, Localizer
from tests.support import media
from tests.support.rig import ADA, FINANCE, MARIA, OLGA, Rig
from tests.support.rows import jobs_of
from tests.support.shown import shown

LONG = 60.0
SITE = "https://files.example.com"


async def with_quick_beats(database_url: str) -> Rig:
    rig = await Rig.open(database_url=database_url)
    rig.switchboard.context.localization.calls.beat_seconds = 0.2
    return rig


pytestmark = pytest.mark.rig(on="both", opened_by=with_quick_beats)


async def separate(maria: Localizer, number: int = 1) -> None:
    await maria.type(f"separate {SITE}/song-{number}.mp3")


async def jobs(rig: Rig) -> list[Job]:
    return await rig.switchboard.context.store.read(lambda tx: jobs_of(tx, MARIA))


async def test_cancel_really_stops_waiting(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = LONG
    await separate(maria)
    board = await maria.board("Separating vocals and music…", number=0)
    await maria.rig.localization.until(lambda: maria.rig.localization.calls)
    await maria.press(board, CANCEL)
    board = await maria.board("Stopped by Maria Silva", "It may still be billed")
    assert [button.text for button in board.buttons] == ["Run again"]
    await maria.rig.switchboard.context.workers.finished(lasting=True)  # nobody waits for the answer any more
    (job,) = await jobs(maria.rig)
    assert (job.state, job.lease_owner, job.closed_at is not None) == (CallState.CANCELED, "", True)
    await maria.press(board, AGAIN)
    again = await maria.board("Separating", number=1)
    await maria.press(again, CANCEL)
    assert len(maria.rig.localization.calls) <= 2


async def test_queued_work_is_canceled_without_cost(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = LONG
    for number in range(5):
        await separate(maria, number)
    fourth = await maria.board("Queued, number 1", number=3)
    fifth = await maria.board("Queued, number 2", number=4)
    await maria.press(fourth, CANCEL)
    board = await maria.board("Stopped by Maria Silva", number=3)
    assert board.text.splitlines()[0] == ":no_entry_sign: *Separate vocals and music* · Stopped by Maria Silva."
    await maria.board("Queued, number 1", number=4)
    first = maria.boards()[0]
    await maria.press(first, CANCEL)
    await maria.board("Separating", number=4)
    assert fifth.ts == maria.boards()[4].ts
    await maria.rig.localization.until(lambda: len(maria.rig.localization.calls) == 4)
    assert not any(body and "song-3" in str(body) for body in (call.body for call in maria.rig.localization.calls))


async def test_only_requester_or_admin_cancels(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = LONG
    await separate(maria)
    board = await maria.board("Separating")
    await maria.press(board, CANCEL, user=ADA)
    await maria.told("Only Maria Silva or an admin can stop this.", user=ADA)
    await maria.press(board, CANCEL, user=OLGA)
    await maria.board("Stopped by Olga Reis")


async def test_too_late_to_cancel(maria: Localizer) -> None:
    await maria.type(f"gender {SITE}/voice.mp3")
    board = await maria.board(DONE)
    ack = await maria.rig.workspace.click(
        MARIA, FINANCE, board.ts, CANCEL, value=(await jobs(maria.rig))[0].id, force=True
    )
    assert ack.status == 200
    await maria.told("already done")


async def test_calls_of_people_alternate(maria: Localizer) -> None:
    maria.rig.switchboard.context.localization.calls.beat_seconds = LONG  # a minute's edits are for the states alone
    maria.rig.localization.work_seconds["music_source_separation"] = LONG
    for number in range(6):
        await separate(maria, number)
    await maria.board("Queued, number 3", number=5)
    ada = Localizer(maria.rig, user=ADA)
    await separate(ada, 9)
    await ada.board("Queued, number 1", number=6)
    await maria.board("Queued, number 4", number=5)
    await maria.press(maria.boards()[0], CANCEL)
    await ada.board("Separating", number=6)
    await maria.board("Queued, number 3", number=5)


async def test_elapsed_time_updates_one_message(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = 5.0
    await separate(maria)
    await maria.rig.workspace.until(
        lambda: any(re.search(r"\*Separating vocals and music…\* [1-9] s", board.text) for board in maria.boards())
    )
    await maria.board(DONE, "Done in ", " s. 2 files in thread.")
    roots = [m for m in maria.messages() if m.bot_id and m.thread_ts in ("", m.ts)]
    assert len(roots) == 1


async def test_gateway_timeout_is_unknown_and_not_resent(maria: Localizer) -> None:
    maria.rig.localization.faults.arm(Fault(FaultKind.DONE_500, "music_source_separation"))
    await separate(maria)
    board = await maria.board("Not confirmed")
    assert board.text.startswith(":grey_question:")
    assert not [one for one in maria.messages(thread=board.ts) if one.bot_id], "its message is in sight"
    await maria.type("emotion I am so glad")
    await maria.answer(":smile: *Joy*")
    assert [call.operation for call in maria.rig.localization.calls] == ["music_source_separation", "text_emotion"]
    assert "Both may be billed." in str(board.blocks)
    await maria.press(board, AGAIN)
    await maria.board(DONE, "2 files", number=1)
    first = await maria.board("It was run again", number=0)
    assert [one.text for one in first.buttons] == ["Details"]


async def test_outcomes(maria: Localizer) -> None:
    for number, (kind, ended, why) in enumerate(
        [
            (FaultKind.TOO_MANY, "Failed. Localization is busy.", "Too many requests"),
            (FaultKind.REFUSED, "Failed. Localization declined it", "The request cannot be processed"),
            (FaultKind.DONE_DROPPED, "Not confirmed. ", "connection dropped"),
            (FaultKind.GARBAGE, "Not confirmed. ", "200"),
            (FaultKind.ERROR_500, "Not confirmed. ", "500"),
        ]
    ):
        maria.rig.localization.faults.arm(Fault(kind, "*"))
        await maria.type(f"paraphrase {ENGLISH}")
        told = await maria.answer(ended, number=number)
        assert [one.text for one in told.buttons] == ["Run again", "Details"], kind
        await maria.rig.workspace.click(MARIA, FINANCE, told.ts, told.buttons[1].action_id)
        assert why in shown(maria.form), kind
        await maria.rig.workspace.close(MARIA)
        assert len(maria.rig.localization.calls) == number + 1, kind


async def test_service_words_are_quoted(maria: Localizer) -> None:
    await maria.type("summarize Too short.")
    await maria.answer("Failed. Localization declined it: “text: The input is not long enough to summarize”")


async def test_results_that_have_expired_have_failed(maria: Localizer) -> None:
    maria.rig.localization.switches.expire_at_once = True
    await separate(maria)
    board = await maria.board("Failed", "It was done, but I couldn't fetch the result.")
    assert maria.files(maria.messages(thread=board.ts)) == []
    await maria.type("speak Welcome aboard")
    board = await maria.board("Failed", "It was done, but I couldn't fetch the result.", number=1)
    maria.rig.localization.switches.expire_at_once = False
    await maria.press(board, AGAIN)
    board = await maria.board(DONE)
    assert maria.files(await maria.results(board))[0].name.endswith(".mp3")


@pytest.mark.parametrize(
    ("missing", "why", "there"),
    [
        ("music", "It wasn't in the answer.", "vocals"),
        ("vocals", "It was done, but I couldn't fetch the result.", "music"),
    ],
)
async def test_one_track_without_the_other(maria: Localizer, missing: str, why: str, there: str) -> None:
    """The service gives one alone; or the first of two cannot be fetched any more."""
    if missing == "music":
        maria.rig.localization.switches.lacks_music = True
    else:
        maria.rig.localization.faults.arm(Fault(FaultKind.REFUSED, "result"))
    await separate(maria)
    board = await maria.board(f"File in thread. Missing: *{missing}*. {why}")
    assert board.text.startswith(":warning:")
    results = await maria.results(board)
    assert [file.name.split("-")[-2] for file in maria.files(results)] == [there]
    (job,) = await jobs(maria.rig)
    assert (job.state, job.closed_at is not None) == (CallState.DONE, True)


async def test_result_file_has_the_right_extension(maria: Localizer, tmp_path: Path) -> None:
    maria.rig.localization.switches.instead = media.make(tmp_path, "ogg")
    maria.rig.switchboard.context.localization.calls.look_seconds = 0.5
    maria.rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "files.completeUploadExternal"))
    await maria.type("speak Welcome aboard")  # the service calls it speech.mp3
    results = await maria.results(await maria.board(DONE))
    (file,) = maria.files(results)
    assert file.name.endswith(".ogg")
    assert results[0].text.endswith(", .ogg")


async def test_busy_result_host_is_retried(maria: Localizer) -> None:
    maria.rig.localization.faults.arm(Fault(FaultKind.ERROR_500, "result"))
    await maria.type("speak Welcome aboard")
    board = await maria.board(DONE)
    assert len(maria.files(await maria.results(board))) == 1
    assert len(maria.rig.localization.calls) == 1


async def test_file_deleted_before_reading_is_ignored(maria: Localizer, tmp_path: Path) -> None:
    sample = media.make(tmp_path, "mp3")
    file = maria.rig.workspace.upload(MARIA, sample.name, sample)
    maria.rig.localization.work_seconds["*"] = LONG
    for number in range(3):
        await separate(maria, number)
    await maria.board("Separating", number=2)
    await maria.type("gender")
    await maria.submit({"file": [file]})
    await maria.board("Queued, number 1", number=3)
    await maria.rig.workspace.delete_file(MARIA, file)
    await maria.press(maria.boards()[0], CANCEL)
    await maria.board("Failed. This file was deleted.", number=3)


async def test_restart_announces_the_interruption(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = LONG
    await separate(maria)
    await maria.board("Separating")
    await maria.rig.localization.until(lambda: maria.rig.localization.calls)
    await maria.rig.switchboard.stop()
    await maria.rig.start()
    board = await maria.board("Interrupted by a restart. It may still be billed.")
    assert [button.text for button in board.buttons] == ["Run again", "Details"]
    assert len(maria.rig.localization.calls) == 1
    maria.rig.localization.work_seconds["*"] = 0
    await maria.press(board, AGAIN)
    done = await maria.board(DONE, number=1)
    assert len(maria.files(await maria.results(done, 2))) == 2
    assert len(maria.rig.localization.calls) == 2
    ack = await maria.rig.workspace.click(
        MARIA, FINANCE, board.ts, AGAIN, value=(await jobs(maria.rig))[-1].id, force=True
    )
    assert ack.status == 200
    await maria.told("Maria Silva already ran it again.")
    assert len(maria.boards()) == 2


async def test_waiting_work_resumes_after_a_restart(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = LONG
    for number in range(4):
        await separate(maria, number)
    await maria.board("Queued, number 1", number=3)
    await maria.rig.switchboard.stop()
    maria.rig.localization.work_seconds["*"] = 0
    await maria.rig.start()
    for number in range(3):
        await maria.board("Interrupted by a restart", number=number)
    await maria.board(DONE, number=3)


async def test_texts_and_results_mention_nobody(maria: Localizer) -> None:
    await maria.type("paraphrase <!channel> and <@U0ADA> *look* here")
    told = await maria.answer("*Paraphrase*")
    assert re.findall(r"<[@!]\w+>", told.text) == []
    await maria.rig.workspace.click(MARIA, FINANCE, told.ts, told.buttons[0].action_id)
    (posted,) = await maria.rig.workspace.until(lambda: [m for m in maria.messages() if m.bot_id])
    assert re.findall(r"<[@!]\w+>", posted.text) == []


async def test_paraphrases_are_a_list(maria: Localizer) -> None:
    await maria.type(f"paraphrase {ENGLISH}")
    told = await maria.answer("*Paraphrase*")
    assert [line[:2] for line in told.text.splitlines()[2:]] == ["1.", "2.", "3."]
