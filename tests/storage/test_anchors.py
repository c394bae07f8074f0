"""The file of anchors: added to, never changed, whatever was left in it."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain.anchors import Anchor
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import KEY, NOW


def anchor(seq: int) -> Anchor:
    return Anchor(at=NOW + timedelta(seconds=seq), seq=seq, head=f"{seq:064x}")


@pytest.fixture
def file(tmp_path: Path) -> AnchorFile:
    return AnchorFile(tmp_path / "s.db.anchors", key=KEY)


def test_it_lies_beside_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert anchors_path(f"sqlite+aiosqlite:///{tmp_path}/s.db") == tmp_path / "s.db.anchors"
    monkeypatch.chdir(tmp_path)
    assert anchors_path("postgresql://u:p@host/name") == tmp_path / "switchboard.anchors"


def test_what_is_added_is_there(file: AnchorFile) -> None:
    assert file.last() is None
    assert file.read().held == ()
    for seq in range(1, 101):
        file.append(anchor(seq))
        assert file.last() == anchor(seq)
    assert file.read().held == tuple(anchor(seq) for seq in range(1, 101))
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_two_processes_may_add(file: AnchorFile) -> None:
    other = AnchorFile(file.path, key=KEY)
    file.append(anchor(1))
    other.append(anchor(2))
    file.append(anchor(3))
    assert other.read().held == (anchor(1), anchor(2), anchor(3))


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_half_a_line_that_a_power_cut_left_harms_no_other(file: AnchorFile, cut: int) -> None:
    file.append(anchor(1))
    file.append(anchor(2))
    os.truncate(file.path, file.path.stat().st_size - cut)
    assert file.last() == (anchor(2) if cut == 1 else anchor(1))
    file.append(anchor(3))
    whole = (anchor(1), anchor(2), anchor(3)) if cut == 1 else (anchor(1), anchor(3))
    assert file.read().held == whole
    assert file.read().torn == (() if cut == 1 else (2,))
    assert file.read().unreadable == ()


def test_only_the_last_line_may_end_in_the_middle(file: AnchorFile) -> None:
    file.append(anchor(1))
    whole = file.path.stat().st_size
    file.append(anchor(2))
    os.truncate(file.path, whole + 40)
    assert (file.read().torn, file.read().unreadable) == ((2,), ())
    file.append(anchor(3))
    halved = file.path.read_bytes()
    assert (file.read().torn, file.read().unreadable) == ((2,), ())
    for changed in (
        halved.replace(b"\n", b"\r", 1),
        halved[: whole + 20] + b"x" + halved[whole + 21 :],  # another half than the one that was there
        halved[: whole + 40] + b"\n" + halved[whole + 40 :],
        halved[:whole] + b"garbage\n" + halved[whole:],
        halved + b"garbage\n",
    ):
        file.path.write_bytes(changed)
        found = file.read()
        assert found.unreadable or found.forged, changed
        assert len(found.held) >= 1
    file.path.write_bytes(halved + b"half of a li")
    assert (file.read().torn, file.read().unreadable) == ((2, 4), ())


def test_anchors_stand_beside_the_file_and_not_beside_a_link(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "real.db").touch()
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "real.db")
    url = f"sqlite+aiosqlite:///{tmp_path / 'link.db'}"
    assert anchors_path(url) == tmp_path / "data" / "real.db.anchors"


def test_bytes_that_are_no_text_are_no_anchor(file: AnchorFile) -> None:
    file.append(anchor(1))
    with file.path.open("ab") as out:
        out.write(b"\xff\xfe\n")
    assert file.read().unreadable == (2,)
    assert file.last() == anchor(1)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        AnchorFile(tmp_path / "nowhere" / "a", key=KEY).append(anchor(1))
