"""Files dropped at once: one offer, one progress, one archive; limits, failures, stops, kills and other people."""

import csv
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from tests.flow.localizing import Localizer, menu
from tests.support import media
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.support.shown import lacking

pytestmark = pytest.mark.rig(clock=None)


def wavs(tmp_path: Path, count: int) -> list[tuple[str, bytes]]:
    content = media.make(tmp_path, "wav").read_bytes()
    return [(f"take-{number}.wav", content) for number in range(1, count + 1)]


async def offered(maria: Localizer, *words: str) -> Message:
    def there() -> Message | None:
        found = [m for m in maria.messages() if m.bot_id and all(word in m.text for word in words)]
        return found[0] if found else None

    return await maria.rig.workspace.until(there, timeout=20)


async def press(maria: Localizer, offer: Message, label: str) -> None:
    button = next((one for one in offer.buttons if one.text == label), None)
    if button is not None:
        await maria.rig.workspace.click(maria.user, FINANCE, offer.ts, button.action_id, value=button.value)
        return
    value = next(option["value"] for option in menu(offer) if option["text"]["text"] == label)
    action = "use_all" if "all" in label else "use"
    await maria.rig.workspace.click(maria.user, FINANCE, offer.ts, action, value=value)


async def archive(maria: Localizer, *, number: int = 0) -> Mapping[str, bytes]:
    def there() -> bytes | None:
        files = [file for file in maria.files(maria.messages()) if file.name.endswith(".zip")]
        return files[number].content if len(files) > number else None

    content = await maria.rig.workspace.until(there, timeout=30)
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert packed.testzip() is None
        return {name: packed.read(name) for name in packed.namelist()}


def rows(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))


async def test_files_of_one_message_have_one_offer_one_progress_and_one_archive(
    maria: Localizer, tmp_path: Path
) -> None:
    files = [*wavs(tmp_path, 4), ("take-1.wav", wavs(tmp_path, 1)[0][1]), ("../../etc/notes.wav", b"RIFF no sound")]
    dropped = await maria.rig.workspace.drop_many(MARIA, FINANCE, files)
    offer = await offered(maria, "5 audio files")
    assert offer.thread_ts == dropped.ts
    assert not lacking(offer.text, "Convert all", "*../../etc/notes.wav* doesn't look like audio")
    await press(maria, offer, "Convert all")
    await maria.submit({"option.target_extension": "mp3"})
    board = await offered(maria, "Archive in thread")
    assert board.ts == offer.ts
    assert "5 of 5 done" in board.text
    packed = await archive(maria)
    assert sorted(packed) == ["take-1 (2).mp3", *(f"take-{number}.mp3" for number in range(1, 5))]
    assert all(media.heard(content, tmp_path).codec == "mp3float" for content in packed.values())
    assert len([m for m in maria.messages(thread=dropped.ts) if m.bot_id]) == 2, "the offer and the archive"


def hundred(tmp_path: Path) -> bytes:
    """A short sound, so that thirty are done soon."""
    return media.make(tmp_path, "wav", seconds=0.2).read_bytes()


async def drop_thirty(maria: Localizer, tmp_path: Path) -> Message:
    """Three messages within a moment: Slack takes ten files in each."""
    content = hundred(tmp_path)
    for first in (1, 11, 21):
        files = [(f"take-{number}.wav", content) for number in range(first, first + 10)]
        await maria.rig.workspace.drop_many(MARIA, FINANCE, files)
    return await offered(maria, "30 audio files")


async def test_thirty_files_are_processed_and_the_failed_ones_run_again(maria: Localizer, tmp_path: Path) -> None:
    await maria.rig.workspace.drop(MARIA, FINANCE, "pay.csv", b"email,amount\nana@example.com,1.00\n")
    offer = await drop_thirty(maria, tmp_path)
    maria.rig.localization.faults.arm(Fault(FaultKind.REFUSED, "gender_detection", times=2))
    maria.rig.localization.faults.arm(Fault(FaultKind.DONE_DROPPED, "gender_detection"))
    await press(maria, offer, "Detect gender (all)")
    board = await offered(maria, "30 audio files", "27 of 30 done · 3 failed", "Archive in thread")
    assert len(maria.rig.localization.calls) == 30
    packed = await archive(maria)
    assert sorted(packed) == ["problems.csv", "results.csv"]
    assert len(rows(packed["results.csv"])) == 28
    assert rows(packed["results.csv"])[0] == ["file", "result", "confidence"]
    assert [why.partition(",")[0] for why in sorted(why for _, why in rows(packed["problems.csv"])[1:])] == [
        *("No answer", "The request cannot be processed", "The request cannot be processed")
    ]
    assert [one.text for one in board.buttons] == ["Run the failed ones again"]
    again = board.buttons[0]
    await maria.rig.workspace.click(MARIA, FINANCE, board.ts, again.action_id, value=again.value)
    board = await offered(maria, "Detect gender: 2 audio files", "2 of 2 done", "Archive in")
    assert len(maria.rig.localization.calls) == 32, "what may have been done is not sent again"
    assert len(rows((await archive(maria, number=1))["results.csv"])) == 3
    assert (board.ts, board.text.count("Detect gender: ")) == (offer.ts, 1)
    assert len([m for m in maria.messages() if m.bot_id]) == 4, "an offer for the table, one for the rest, two archives"


async def test_stop_cancels_queued_work_and_kill_loses_nothing(rig: Rig, tmp_path: Path) -> None:
    maria = Localizer(rig)
    offer = await drop_thirty(maria, tmp_path)
    await press(maria, offer, "Separate vocals and music (all)")
    await rig.workspace.until(lambda: len(rig.localization.calls) >= 3, timeout=20)
    await rig.start_again()
    await rig.workspace.until(lambda: len(rig.localization.calls) >= 8, timeout=20)
    running = await offered(maria, "Separate vocals and music: 30 audio files")
    stop = next(one for one in running.buttons if one.text == "Stop")
    await rig.workspace.click(ADA, FINANCE, running.ts, stop.action_id, value=stop.value)
    await rig.workspace.until(lambda: [m for m in rig.workspace.ephemerals(ADA) if "Only" in m.text] or None)
    await rig.workspace.click(MARIA, FINANCE, running.ts, stop.action_id, value=stop.value)
    done = await offered(maria, "Stopped", "not begun", "Archive in thread")
    assert done.ts == offer.ts
    packed = await archive(maria)
    sounds = [name for name in packed if name.endswith(".mp3")]
    assert 4 <= len(sounds) < 60
    assert {name.split("-", 2)[2] for name in sounds} == {"vocals.mp3", "music.mp3"}
    count = len(sounds) // 2
    assert f"{count} of 30 done" in done.text
    assert len(rows(packed["problems.csv"])) == 31 - count
    kept = await rig.switchboard.context.read(lambda uow: uow.results.size(stop.value))
    assert kept == 0, "what is in the archive is not kept twice"


async def test_texts_come_back_translated_under_their_own_names(maria: Localizer) -> None:
    said = "The meeting was moved to Friday because the room was taken. Everybody was told in time."
    files = [("a.txt", said.encode()), ("b.srt", f"1\n00:00:01,000 --> 00:00:02,000\n{said}\n".encode())]
    await maria.rig.workspace.drop_many(MARIA, FINANCE, [*files, ("c.txt", b"12 34")])
    offer = await offered(maria, "3 texts")
    await press(maria, offer, "Translate all")
    await maria.submit({"option.source_lang": "en", "option.target_lang": "fr"})
    await offered(maria, "Archive in thread")
    packed = await archive(maria)
    assert sorted(packed) == ["a-fr.txt", "b-fr.srt", "c-fr.txt"]
    assert packed["b-fr.srt"].decode() == f"1\n00:00:01,000 --> 00:00:02,000\n[en → fr] {said}\n"


async def test_incomplete_file_of_a_group_is_named(maria: Localizer) -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\nGood morning.\n"
    files = [("a.srt", cue.encode()), ("b.srt", f"{cue}\n2\n00:00:0x --> 1\nLost.\n".encode())]
    await maria.rig.workspace.drop_many(MARIA, FINANCE, files)
    await press(maria, await offered(maria, "2 texts"), "Translate all")
    await maria.submit({"option.source_lang": "en", "option.target_lang": "fr"})
    board = await offered(maria, "Archive in thread", "2 of 2 done")
    assert "b.srt: Not done: line 6" in board.text
    packed = await archive(maria)
    assert sorted(packed) == ["a-fr.srt", "b-fr.srt", "problems.csv"]


async def test_results_beyond_one_archive_are_named(
    maria: Localizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.workflows.localization.archive.MOST_BYTES", 629_146)
    files = [(f"take-{n}.wav", media.make(tmp_path, "wav", seconds=3.0).read_bytes()) for n in range(3)]
    await maria.rig.workspace.drop_many(MARIA, FINANCE, files)
    await press(maria, await offered(maria, "3 audio files"), "Convert all")
    await maria.submit({"option.target_extension": "wav"})
    done = await offered(maria, "Archive in thread")
    assert "1 of 3 done · 2 failed" in done.text
    assert done.text.count("One run can return 0.6 MB in total.") == 2
    packed = await archive(maria)
    assert len([name for name in packed if name.endswith(".wav")]) == 1


async def test_early_press_starts_with_the_first_files(maria: Localizer, tmp_path: Path) -> None:
    one, two, three = wavs(tmp_path, 3)
    root = (await maria.rig.workspace.say(MARIA, FINANCE, "All takes")).ts
    await maria.rig.workspace.drop(MARIA, FINANCE, *one, thread_ts=root)
    await press(maria, await offered(maria, "take-1.wav"), "Detect gender")
    await maria.rig.workspace.drop(MARIA, FINANCE, *two, thread_ts=root)
    await maria.rig.workspace.drop(MARIA, FINANCE, *three, thread_ts=root)
    later = await offered(maria, "2 audio files")
    assert "take-1" not in str(later.blocks)
    await maria.rig.workspace.delete_file(MARIA, next(m for m in maria.messages() if m.files).files[0])
    await maria.rig.workspace.delete_file(MARIA, [m for m in maria.messages() if m.files][1].files[0])
    alone = await offered(maria, "take-3.wav")
    assert "2 audio files" not in alone.text


async def test_offer_appears_in_the_thread_of_its_own_file(maria: Localizer, tmp_path: Path) -> None:
    dropped = [await maria.rig.workspace.drop(MARIA, FINANCE, *one) for one in wavs(tmp_path, 2)]
    for number, file in enumerate(dropped, 1):
        assert (await offered(maria, f"take-{number}.wav")).thread_ts == file.ts
