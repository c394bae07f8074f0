"""Which files were dropped together, and how their results are named in an archive."""

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.files.dropped import DroppedFile, FileInfo, Share, megabytes
from bot.domain.files.sniffing import FileKind
from bot.domain.files.together import Names, belong_together, plain_name

FILE = DroppedFile(
    id="F1", name="a.wav", size=1, mimetype="audio/wav", kind=FileKind.AUDIO, format="wav", channel="C1",
    message_ts="1000.0", thread_ts="1000.0", user="U1",
)  # fmt: skip


@pytest.mark.parametrize(("changes", "together"), [
    ({}, True), ({"message_ts": "1001.0", "thread_ts": "1001.0"}, False),
    ({"message_ts": "980.0", "thread_ts": "980.0"}, True), ({"message_ts": "979.9", "thread_ts": "979.9"}, False),
    ({"message_ts": "1001.0", "thread_ts": "900.0"}, False), ({"user": "U2"}, False), ({"channel": "C2"}, False),
])  # fmt: skip
def test_files_of_continued_messages_belong_together(changes: dict[str, Any], together: bool) -> None:
    other = replace(FILE, id="F2", **changes)
    full = ("980.0", "979.9")
    assert belong_together(FILE, other, full=full) is together
    assert belong_together(other, FILE, full=full) is together


@pytest.mark.parametrize(("name", "plain"), [
    ("talk.mp3", "talk.mp3"), ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
    ("/absolute/one.txt", "one.txt"), ("..", "file"), (" . ", "file"), ("CON.txt", "_CON.txt"), ("com1", "_com1"),
    ("concert.mp3", "concert.mp3"), ('a<b>:"|?*c.wav', "a-b------c.wav"),
    ("new\nline\x00\u202egpj.exe", "new-line--gpj.exe"), ("x" * 200 + ".flac", "x" * 95 + ".flac"),
    ("Entrevista número 3 (final).wav", "Entrevista número 3 (final).wav"),
])  # fmt: skip
def test_archive_names_cannot_leave_the_archive(name: str, plain: str) -> None:
    assert plain_name(name) == plain


@given(st.lists(st.text(max_size=130), max_size=8))
def test_names_are_plain_and_unique(given_names: list[str]) -> None:
    names = Names()
    taken = [names.take(name) for name in given_names]
    assert len({name.casefold() for name in taken}) == len(taken)
    for name in taken:
        assert name not in ("", ".", "..")
        assert PurePosixPath(name).name == name
        assert "\\" not in name
        assert len(name) <= 112


MEGA = 1024 * 1024


@pytest.mark.parametrize(("size", "down", "up"), [
    (0, "0", "0"), (1, "0", "0.1"), (MEGA, "1", "1"), (MEGA + 1, "1", "1.1"), (int(2.5 * MEGA), "2.5", "2.5"),
])  # fmt: skip
def test_file_sizes_are_shown_in_units(size: int, down: str, up: str) -> None:
    assert (megabytes(size), megabytes(size, up=True)) == (down, up)


def test_first_share_in_a_channel_counts() -> None:
    shares = (Share(channel="C1", ts="20.1"), Share(channel="C2", ts="1.0"), Share(channel="C1", ts="9.5"))
    info = FileInfo(id="F1", name="a", size=1, mimetype="", user="U1", url="", shares=shares)
    found = info.share_in("C1")
    assert found is not None
    assert found.ts == "9.5"
    assert info.share_in("C3") is None
