"""Repeated ``kill -9`` at random instants while people pay; ``make chaos ARGS="kills"`` has more of them."""

import pytest

from tests.campaigns import kills


@pytest.mark.timeout(300)
def test_random_kills_lose_and_double_nothing() -> None:
    piece = kills.play(0, 5)
    assert piece.violations == ()
    assert piece.counts["killed"] == 5
    assert piece.counts["paid"] > 0
