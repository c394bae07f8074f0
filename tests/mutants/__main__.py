"""Hunt deliberate mistakes: ``python -m tests.mutants [word…]``, each word a part of a name or of a file.

With ``--sample 400 --seed 1`` it hunts random mistakes instead, planted all over the production code.
"""

import argparse
import os
import sys
import time
from collections import Counter

from tests.mutants.catalog import MUTANTS
from tests.mutants.mutant import ROOT
from tests.mutants.runner import Verdict, hunt_all, prove_clean
from tests.mutants.sample.hunting import Limits
from tests.mutants.sample.recorded import Suite
from tests.mutants.sample.run import Wanted, run


def main() -> int:
    """Hunt, print a table; 1 when any mistake was not found, 2 when the tests fail without one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only mutants with one of these in their name or file")
    parser.add_argument("--list", action="store_true", help="print them and do nothing")
    parser.add_argument("--at-once", type=int, default=os.cpu_count() or 1, help="how many are hunted at the same time")
    parser.add_argument("--timeout", type=float, default=180.0, help="seconds for the tests of one mutant")
    parser.add_argument("--trust", action="store_true", help="do not run the tests without a mistake first")
    parser.add_argument("--sample", type=int, metavar="N", help="hunt so many random mistakes instead")
    parser.add_argument("--seed", type=int, default=1, help="which sample; the same ones for the same seed")
    parser.add_argument("--fresh", action="store_true", help="with --sample: hunt again what was found before")
    parser.add_argument("--patience", type=float, default=25.0, help="with --sample: seconds of tests for one mistake")
    parser.add_argument("--goal", type=float, default=92.0, help="with --sample: percent that have to be found")
    given = parser.parse_args()
    if given.sample:
        words = tuple(given.words)
        limits = Limits(patience=given.patience)
        wanted = Wanted(given.sample, given.seed, words, given.at_once, limits, given.fresh, given.goal)
        return run(Suite(ROOT), wanted)
    chosen = [one for one in MUTANTS if not given.words or any(w in f"{one.name} {one.file}" for w in given.words)]
    if not chosen:
        say("No mutant has such a word in its name or file; --list shows them all.")
        return 2
    if given.list:
        for one in chosen:
            say(f"{one.name:<60}{one.file}\n    {one.breaks}")
        return 0
    if not given.trust and (problem := prove_clean(chosen, timeout=given.timeout)):
        say(f"{problem}\nThese tests fail without any mistake, so they could prove nothing.")
        return 2
    started = time.monotonic()
    counted: Counter[Verdict] = Counter()
    for result in hunt_all(chosen, at_once=given.at_once, timeout=given.timeout):
        counted[result.verdict] += 1
        say(f"{result.verdict:<15}{result.seconds:>6.1f} s  {result.mutant.name:<58}{result.by}")
    told = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
    say(f"{len(chosen)} mutants: {told}, {time.monotonic() - started:.0f} s")
    return 0 if set(counted) <= {Verdict.KILLED} else 1


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
