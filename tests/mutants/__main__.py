"""Plant random mistakes all over the production code and report which share the tests find.

``python -m tests.mutants --sample 400 --seed 1 [word…]``: each word is part of a file's path.
"""

import argparse
import os
import sys
from pathlib import Path

from tests.mutants.sample.hunting import Limits
from tests.mutants.sample.recorded import Suite
from tests.mutants.sample.run import Wanted, run

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run a sample and print its report; return 1 if fewer mistakes were found than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only files with one of these in their path")
    parser.add_argument("--sample", type=int, metavar="N", default=400, help="number of random mistakes")
    parser.add_argument("--seed", type=int, default=1, help="which sample; the same seed draws the same mistakes")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="mistakes tried in parallel")
    parser.add_argument("--fresh", action="store_true", help="try again the mistakes that were found before")
    parser.add_argument("--patience", type=float, default=25.0, help="seconds of tests for one mistake")
    parser.add_argument("--goal", type=float, default=92.0, help="percentage that must be found")
    given = parser.parse_args()
    limits = Limits(patience=given.patience)
    wanted = Wanted(given.sample, given.seed, tuple(given.words), given.at_once, limits, given.fresh, given.goal)
    return run(Suite(ROOT), wanted)


if __name__ == "__main__":
    sys.exit(main())
