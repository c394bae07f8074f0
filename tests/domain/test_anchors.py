from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.anchors import Anchor, Anchors, is_due, line, read_lines
from tests.domain.made import NOW

EVERY = timedelta(minutes=15)
EVERY_ROWS = 100

KEY = b"k" * 32


def anchor(seq: int) -> Anchor:
    return Anchor(at=NOW + timedelta(seconds=seq), seq=seq, head=f"{seq:064x}")


TEXT = "".join(line(anchor(seq), key=KEY) + "\n" for seq in (100, 200, 300))


def test_anchor_round_trips_with_utc_times() -> None:
    assert read_lines(TEXT, key=KEY) == Anchors(held=(anchor(100), anchor(200), anchor(300)))
    assert read_lines("", key=KEY) == Anchors()
    abroad = Anchor(at=NOW.astimezone(timezone(timedelta(hours=-3))), seq=1, head="0" * 64)
    assert "+00:00" in line(abroad, key=KEY)
    assert read_lines(line(abroad, key=KEY), key=KEY).held == (abroad,)


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 6))
def test_anchor_with_a_changed_byte_is_refused(at: int, bit: int) -> None:
    changed = TEXT[:at] + chr(ord(TEXT[at]) ^ (1 << bit)) + TEXT[at + 1 :]
    found = read_lines(changed, key=KEY)
    assert set(found.held) <= {anchor(100), anchor(200), anchor(300)}
    if changed.strip() != TEXT.strip():  # a blank after the last line says nothing
        assert found.unreadable or found.forged or len(found.held) < 3


def test_partial_anchor_line_differs_from_forgery() -> None:
    other = line(anchor(400), key=b"x" * 32)
    found = read_lines(f"{TEXT}{TEXT[:80]}\n{other}\n[]\nnull\n{line(anchor(500), key=KEY)}", key=KEY)
    assert found.held == (anchor(100), anchor(200), anchor(300), anchor(500))
    assert found.unreadable == (4, 6, 7)
    assert found.forged == (5,)


@given(st.text())
def test_anchor_reader_accepts_any_text(text: str) -> None:
    assert read_lines(text, key=KEY).held == ()


@pytest.mark.parametrize(("last", "seq", "seconds", "due"), [
    (None, 0, 0, False), (None, 1, 0, True), (100, 100, 10 * EVERY.total_seconds(), False),
    (100, 100 + EVERY_ROWS - 1, EVERY.total_seconds() - 1, False), (100, 100 + EVERY_ROWS, 0, True),
    (100, 101, EVERY.total_seconds(), True), (100, 101, -1, True), (100, 99, 0, True), (100, 0, 0, False),
])  # fmt: skip
def test_when_an_anchor_is_due(last: int | None, seq: int, seconds: float, due: bool) -> None:
    known = None if last is None else anchor(last)
    now = NOW if known is None else known.at + timedelta(seconds=seconds)
    assert is_due(known, seq=seq, now=now) is due
