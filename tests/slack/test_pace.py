"""Fifty edits a minute, of which progress leaves some for what people wait for."""

from hypothesis import given
from hypothesis import strategies as st

from bot.slack.pace import EditPace


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_cards_may_use_them_all_and_then_wait_for_the_oldest_to_leave_the_minute() -> None:
    seconds = Seconds()
    pace = EditPace(monotonic=seconds, edits=3, for_cards=1)
    for _ in range(3):
        assert pace.take(progress=False) == 0
        seconds.now += 1
    assert pace.take(progress=False) == 57.0
    seconds.now += 57.0
    assert pace.take(progress=False) == 0
    assert pace.take(progress=False) == 1.0


def test_progress_leaves_some_for_cards() -> None:
    seconds = Seconds()
    pace = EditPace(monotonic=seconds, edits=3, for_cards=1)
    assert [pace.take(progress=True) for _ in range(3)] == [0, 0, 60.0]
    assert pace.take(progress=False) == 0
    assert pace.take(progress=False) == 60.0
    assert pace.take(progress=True) == 60.0


def test_it_says_when_no_edit_at_all_may_go_out() -> None:
    seconds = Seconds()
    pace = EditPace(monotonic=seconds, edits=3, for_cards=1)
    for _ in range(3):
        assert not pace.is_used_up
        pace.take(progress=False)
    assert pace.is_used_up
    seconds.now += 60.0
    assert not pace.is_used_up


@given(st.lists(st.tuples(st.floats(0, 30), st.booleans()), max_size=200))
def test_no_minute_ever_holds_more(steps: list[tuple[float, bool]]) -> None:
    seconds = Seconds()
    pace = EditPace(monotonic=seconds, edits=10, for_cards=4)
    sent: list[tuple[float, bool]] = []
    for pause, progress in steps:
        seconds.now += pause
        waits = 0
        while wait := pace.take(progress=progress):
            seconds.now += wait
            waits += 1
        assert waits <= 2, "the wait it names is long enough, but for the last bit of a float"
        sent.append((seconds.now, progress))
        minute = [one for one in sent if one[0] > seconds.now - 60]
        assert len(minute) <= 10
        assert not progress or len(minute) <= 6
