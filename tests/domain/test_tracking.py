from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.tracking import back_off, jittered, named_or, next_poll

HOUR = timedelta(hours=1)


@given(
    st.floats(min_value=0.01, max_value=3600),
    st.integers(min_value=0, max_value=10**6),
    st.floats(min_value=0, max_value=10**8),
    st.booleans(),
)
def test_polling_pause_is_at_most_2880_intervals(base: float, polls: int, age: float, waiting: bool) -> None:
    pause = next_poll(base=base, polls=polls, age=timedelta(seconds=age), waiting_for_people=waiting)
    assert timedelta(0) < pause <= timedelta(seconds=base * 2_880)


def test_backoff_doubles_up_to_its_ceiling() -> None:
    assert [back_off(first=1, attempts=n, ceiling=10).total_seconds() for n in range(6)] == [1, 2, 4, 8, 10, 10]
    assert back_off(first=1, attempts=10**9, ceiling=60).total_seconds() == 60
    waits = [back_off(first=1, attempts=n, ceiling=10**9).total_seconds() for n in (19, 20, 21, 10**6)]
    assert waits == [524_288, 1_048_576, 1_048_576, 1_048_576]


def test_retry_after_replaces_our_backoff() -> None:
    ours = timedelta(seconds=16)
    assert named_or(1.0, ours) == timedelta(seconds=1)
    assert named_or(3600.0, ours) == timedelta(hours=1)
    assert named_or(None, ours) == ours


def test_poll_interval_grows_by_half_up_to_an_hour() -> None:
    waits = [next_poll(base=30, polls=polls, age=timedelta(0)).total_seconds() for polls in range(7)]
    assert waits == [30, 45, 67.5, 101.25, 151.875, 227.8125, 300]
    for seconds, wait in ((3_599, 300), (3_600, 3_600)):
        assert next_poll(base=30, polls=40, age=timedelta(seconds=seconds)) == timedelta(seconds=wait)
    assert next_poll(base=30, polls=100, age=48 * HOUR, waiting_for_people=True) == timedelta(days=1)


def test_jitter_is_at_most_a_tenth_and_deterministic() -> None:
    minute = timedelta(minutes=1)
    waits = sorted(jittered(minute, seed=str(n)).total_seconds() for n in range(500))
    assert 54 <= waits[0] < 54.2
    assert 65.8 < waits[-1] <= 66
    assert jittered(minute, seed="a") == jittered(minute, seed="a") != jittered(minute, seed="b")
    assert jittered(minute, seed="a", spread=0) == minute
