"""Two faults in one run, on the way from the approval to the posted completion. Long: ``pytest -m campaign``.

There are too many pairs to run all, so a sample is drawn. ``CHAOS_SEED`` repeats a sample, ``CHAOS_PAIRS`` is its
size.
"""

import os
import random
import secrets
import sys

import pytest

from tests.world.campaign import Crew, second_faults
from tests.world.plans import Plan, Point, Side, singles

_FIRST = "person/block_actions:payout.approve#1"
_PAIRS = 1500


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_pairs_of_faults_on_the_commit_path(capsys: pytest.CaptureFixture[str]) -> None:
    seed = int(os.environ.get("CHAOS_SEED") or secrets.randbelow(2**32))
    count = int(os.environ.get("CHAOS_PAIRS") or _PAIRS)
    with Crew() as crew:
        [reference] = crew.run([Plan("callback")]).outcomes
        points = [Point.parse(text) for text in reference.trace[reference.trace.index(_FIRST) :]]
        assert Point(Side.PAYMENTS, "commit_payout", 1) in points
        first = crew.run(singles("callback", points))
        pairs = second_faults(first.outcomes)
        drawn = random.Random(seed).sample(pairs, min(count, len(pairs)))  # noqa: S311 - it is to be repeatable
        report = crew.run(drawn)
    with capsys.disabled():
        sys.stdout.write(f"\n{len(drawn)} of {len(pairs)} pairs, CHAOS_SEED={seed}\n{report.table()}\n")
    assert not report.broken
