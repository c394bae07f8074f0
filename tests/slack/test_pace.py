"""Fifty edits a minute, of which progress leaves some for what people wait for."""

from hypothesis import given
from hypothesis import strategies as st

from bot.slack.pace import Pace


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_cards_may_use_them_all_and_then_wait_for_the_oldest_to_leave_the_minute() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds, edits=3, for_cards=1)
    for _ in range(3):
        assert pace.take(progress=False) == 0
        seconds.now += 1
    assert pace.take(progress=False) == 57.0
    seconds.now += 57.0
    assert pace.take(progress=False) == 0
    assert pace.take(progress=False) == 1.0


def test_progress_leaves_some_for_cards() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds, edits=3, for_cards=1)
    assert [pace.take(progress=True) for _ in range(3)] == [0, 0, 60.0]
    assert pace.take(progress=False) == 0
    assert pace.take(progress=False) == 60.0
    assert pace.take(progress=True) == 60.0


def test_it_says_when_no_edit_at_all_may_go_out() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds, edits=3, for_cards=1)
    for _ in range(3):
        assert not pace.is_used_up
        pace.take(progress=False)
    assert pace.is_used_up
    seconds.now += 60.0
    assert not pace.is_used_up


@given(st.lists(st.tuples(st.floats(0, 30), st.booleans()), max_size=200))
def test_no_minute_ever_holds_more(steps: list[tuple[float, bool]]) -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds, edits=10, for_cards=4)
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


def test_a_method_that_was_never_refused_is_as_fast_as_slack_takes_it() -> None:
    pace = Pace(monotonic=Seconds())
    assert not any(pace.begin("users.info") for _ in range(500))


def test_a_429_holds_its_method_then_one_a_second_until_a_calm_minute() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds)
    pace.refused("users.info", "", retry_after=30)
    assert pace.begin("users.info") == 30.0
    assert pace.begin("views.open") == 0.0, "another method is free"
    seconds.now += 30
    assert [pace.begin("users.info"), pace.begin("users.info")] == [0.0, 1.0]
    seconds.now += 1
    assert pace.begin("users.info") == 0.0
    seconds.now += 58.9
    assert [pace.begin("users.info"), pace.wait("users.info") > 0] == [0.0, True]
    seconds.now += 0.2
    assert not any(pace.begin("users.info") for _ in range(50))


def test_a_method_is_slowed_until_a_calm_minute_has_passed() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds)
    pace.refused("users.info", "", retry_after=5.0)
    seconds.now += 64.9
    assert (pace.is_slowed("users.info"), pace.is_slowed("usergroups.list")) == (True, False)
    seconds.now += 0.1
    assert not pace.is_slowed("users.info")


def test_another_429_within_the_minute_begins_it_anew() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds)
    pace.refused("users.info", "", retry_after=1)
    seconds.now += 50
    pace.refused("users.info", "", retry_after=10)
    seconds.now += 20
    assert [pace.begin("users.info"), pace.begin("users.info")] == [0.0, 1.0]


def test_a_shorter_wait_does_not_shorten_a_longer_one() -> None:
    pace = Pace(monotonic=Seconds())
    pace.refused("users.info", "", retry_after=30)
    pace.refused("users.info", "", retry_after=1)
    assert pace.begin("users.info") == 30.0


def test_posts_are_held_by_channel_and_everything_else_by_method() -> None:
    pace = Pace(monotonic=Seconds())
    for method in ("chat.postMessage", "chat.postEphemeral"):
        pace.refused(method, "C1", retry_after=5)
    assert (pace.wait("chat.postMessage", "C1"), pace.wait("chat.postMessage", "C2")) == (5.0, 0.0)
    assert (pace.wait("chat.postEphemeral", "C1"), pace.wait("chat.postEphemeral", "C2")) == (5.0, 5.0)


def test_edits_wait_for_what_slack_asked_as_well_as_for_their_minute() -> None:
    seconds = Seconds()
    pace = Pace(monotonic=seconds, edits=2, for_cards=0)
    pace.refused("chat.update", "", retry_after=7)
    assert pace.is_used_up
    assert pace.take(progress=False) == 7.0
    seconds.now += 7
    assert not pace.is_used_up
    assert [pace.take(progress=False) for _ in range(3)] == [0.0, 0.0, 60.0]
