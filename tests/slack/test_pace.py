"""Forty-eight edits a minute, evenly; progress leaves some to changes, and those to last states."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.slack.pace import EditRank, Pace
from tests.support.clock import ManualClock


@pytest.fixture
def pace(clock: ManualClock) -> Pace:
    return Pace(monotonic=clock.boottime)


def test_edits_burst_to_eighteen_then_one_per_two_seconds(clock: ManualClock, pace: Pace) -> None:
    assert [pace.take(EditRank.LAST) for _ in range(19)] == [*[0.0] * 18, 2.0]
    for _ in range(5):
        clock.advance(2.0)
        assert [pace.take(EditRank.LAST), pace.take(EditRank.LAST)] == [0.0, 2.0]


def test_progress_edits_leave_room_for_changes_and_last_states(clock: ManualClock, pace: Pace) -> None:
    assert [pace.take(EditRank.PROGRESS) for _ in range(7)] == [*[0.0] * 6, 2.0]
    assert [pace.take(EditRank.CHANGE) for _ in range(7)] == [*[0.0] * 6, 2.0]
    assert [pace.take(EditRank.LAST) for _ in range(7)] == [*[0.0] * 6, 2.0]


def test_progress_edits_use_half_of_an_idle_pace(clock: ManualClock, pace: Pace) -> None:
    for _ in range(18):
        pace.take(EditRank.LAST)
    clock.advance(1)
    assert [pace.take(edit) for edit in (EditRank.CHANGE, EditRank.PROGRESS)] == [3.0, 3.0]
    for _ in range(6):
        clock.advance(4)
        assert [pace.take(EditRank.PROGRESS), pace.take(EditRank.PROGRESS)] == [0.0, 4.0]
    assert [pace.take(EditRank.LAST) for _ in range(7)] == [*[0.0] * 6, 1.0]


def test_pace_reports_when_no_edit_is_possible(clock: ManualClock, pace: Pace) -> None:
    for _ in range(18):
        assert not pace.is_used_up
        pace.take(EditRank.LAST)
    assert pace.is_used_up
    clock.advance(1.9)
    assert pace.is_used_up
    clock.advance(0.1)
    assert not pace.is_used_up


@given(st.lists(st.tuples(st.floats(0, 30), st.sampled_from(EditRank)), max_size=200))
def test_no_minute_ever_holds_more_than_slack_documents(steps: list[tuple[float, EditRank]]) -> None:
    clock = ManualClock()
    pace = Pace(monotonic=clock.boottime)
    sent: list[float] = []
    for pause, edit in steps:
        clock.advance(pause)
        waits = 0
        while wait := pace.take(edit):
            clock.advance(wait)
            waits += 1
        assert waits <= 2, "the wait it names is long enough, but for the last bit of a float"
        sent.append(clock.boottime())
        assert len([at for at in sent if at > clock.boottime() - 60]) <= 48


def test_429_slows_its_method_until_a_quiet_minute(clock: ManualClock, pace: Pace) -> None:
    assert not any(pace.begin("users.info") for _ in range(500)), "as fast as Slack takes it"
    pace.refused("users.info", "", retry_after=30)
    assert pace.begin("users.info") == 30.0
    assert pace.begin("views.open") == 0.0, "another method is free"
    clock.advance(30)
    assert [pace.begin("users.info"), pace.begin("users.info")] == [0.0, 1.0]
    clock.advance(1)
    assert pace.begin("users.info") == 0.0
    clock.advance(58.9)
    assert [pace.begin("users.info"), pace.wait("users.info") > 0] == [0.0, True]
    assert (pace.is_slowed("users.info"), pace.is_slowed("usergroups.list")) == (True, False)
    clock.advance(0.2)
    assert not pace.is_slowed("users.info")
    assert not any(pace.begin("users.info") for _ in range(50))


def test_another_429_restarts_the_quiet_minute(clock: ManualClock, pace: Pace) -> None:
    pace.refused("users.info", "", retry_after=1)
    clock.advance(50)
    pace.refused("users.info", "", retry_after=10)
    clock.advance(20)
    assert [pace.begin("users.info"), pace.begin("users.info")] == [0.0, 1.0]


def test_shorter_wait_keeps_a_longer_one(pace: Pace) -> None:
    pace.refused("users.info", "", retry_after=30)
    pace.refused("users.info", "", retry_after=1)
    assert pace.begin("users.info") == 30.0


def test_posts_are_paced_by_channel_and_others_by_method(pace: Pace) -> None:
    for method in ("chat.postMessage", "chat.postEphemeral"):
        pace.refused(method, "C1", retry_after=5)
    assert (pace.wait("chat.postMessage", "C1"), pace.wait("chat.postMessage", "C2")) == (5.0, 0.0)
    assert (pace.wait("chat.postEphemeral", "C1"), pace.wait("chat.postEphemeral", "C2")) == (5.0, 5.0)


def test_edits_pause_as_long_as_slack_says(clock: ManualClock, pace: Pace) -> None:
    pace.take(EditRank.LAST)
    pace.refused("chat.update", "", retry_after=7)
    assert pace.is_used_up
    assert [pace.take(edit) for edit in (EditRank.LAST, EditRank.CHANGE, EditRank.PROGRESS)] == [7.0, 7.0, 7.0]
    clock.advance(7)
    assert not pace.is_used_up
    assert pace.take(EditRank.LAST) == 0.0
