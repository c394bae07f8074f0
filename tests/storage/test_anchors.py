"""The file of anchors: added to, never changed, whatever was left in it."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain.anchors import Anchor
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import KEY, NOW
from tests.support.fixtures import Patch


def anchor(seq: int) -> Anchor:
    return Anchor(at=NOW + timedelta(seconds=seq), seq=seq, head=f"{seq:064x}")


@pytest.fixture
def file(tmp_path: Path) -> AnchorFile:
    return AnchorFile(tmp_path / "s.db.anchors", key=KEY)


def test_anchors_are_beside_the_real_database_file(tmp_path: Path, monkeypatch: Patch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "real.db").touch()
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "real.db")
    assert anchors_path(f"sqlite+aiosqlite:///{tmp_path / 'link.db'}") == tmp_path / "data" / "real.db.anchors"
    monkeypatch.chdir(tmp_path)
    assert anchors_path("postgresql://u:p@host/name") == tmp_path / "switchboard.anchors"


def test_anchor_file_keeps_lines_of_two_processes(file: AnchorFile) -> None:
    assert (file.last(), file.read().held) == (None, ())
    other = AnchorFile(file.path, key=KEY)
    for seq in range(1, 101):
        (other if seq % 2 else file).append(anchor(seq))
        assert file.last() == anchor(seq)
    assert file.read().held == tuple(anchor(seq) for seq in range(1, 101))
    assert file.path.stat().st_mode & 0o777 == 0o600


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
        halved + b"\xff\xfe\n",
    ):
        file.path.write_bytes(changed)
        found = file.read()
        assert found.unreadable or found.forged, changed
        assert (len(found.held) >= 1, file.last()) == (True, anchor(3))
    file.path.write_bytes(halved + b"half of a li")
    assert (file.read().torn, file.read().unreadable) == ((2, 4), ())
