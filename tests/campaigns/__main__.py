"""Long campaigns: ``python -m tests.campaigns plans --count 20000 --out results.jsonl``; without a name, all of them.

Finished runs are recorded in the file and not repeated, so a campaign can be stopped and continued at any time.
"""

import argparse
import sys
from pathlib import Path

from tests.campaigns import kills, people, plans, writer
from tests.campaigns.results import Ledger, table

MONEY_FLOWS = ("callback", "polling", "one step")
"""Flows of which every pair is run; after the request that moves money, the other flows do the same."""


def main() -> int:
    """Run the named campaigns and print the table of the file; 1 when an invariant was violated."""
    given = parsed()
    if given.seed:
        return 0 if people.show(given.seed) else 1
    ledger = Ledger(given.out)
    _run(ledger, given)
    pieces = ledger.pieces()
    sys.stdout.write(f"{table(pieces)}\n")
    return 1 if any(piece.violations for piece in pieces) else 0


def _run(ledger: Ledger, given: argparse.Namespace) -> None:
    chosen = given.campaigns or ["singles", "pairs", "plans", "people", "kills", "fleet", "still", "writer"]
    if "singles" in chosen:
        plans.every_single(ledger, workers=given.workers)
    if "pairs" in chosen:
        plans.every_pair(ledger, flows=given.flows, workers=given.workers)
    seeds = {"first": given.first, "workers": given.workers}
    drawn = {"plans": (plans.random_plans, 20_000), "people": (people.campaign, 2_000)}
    for run, usual in (drawn[name] for name in drawn if name in chosen):
        run(ledger, count=given.count or usual, **seeds)
    if "kills" in chosen:
        kills.campaign(ledger, kills=given.kills, at_once=given.workers or 3, first=given.first)
    if "fleet" in chosen:
        for processes in given.processes:
            kills.campaign(ledger, kills=given.fleet_kills, processes=processes, first=given.first)
    if "still" in chosen:
        for processes in given.processes:
            kills.stand_still(ledger, times=given.times, processes=processes, first=given.first)
    if "writer" in chosen:
        writer.campaign(ledger, share=given.share, at_once=given.workers or 2)


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """Options of the command line, or of other arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "campaigns",
        nargs="*",
        choices=["singles", "pairs", "plans", "people", "kills", "fleet", "still", "writer", "told"],
    )
    parser.add_argument("--out", type=Path, default=Path("campaigns.jsonl"), help="the file of results")
    parser.add_argument("--workers", type=int, help="processes (plans, people) or scenes (kills) at the same time")
    parser.add_argument("--first", type=int, default=0, help="plans, people: the first seed")
    parser.add_argument("--count", type=int, help="plans, people: how many seeds (20,000 and 2,000)")
    parser.add_argument("--seed", type=int, nargs="+", help="people: play these, print them, and record nothing")
    parser.add_argument("--kills", type=int, default=1_000, help="kills: how many")
    parser.add_argument("--fleet-kills", type=int, default=300, help="fleet: how many for each number of processes")
    parser.add_argument("--times", type=int, default=6, help="still: how often one stands still")
    parser.add_argument("--processes", type=int, nargs="+", default=[4, 2], help="fleet, still: how many processes")
    parser.add_argument("--flows", nargs="+", default=list(MONEY_FLOWS), help="pairs: of which flows")
    parser.add_argument("--share", type=float, default=1.0, help="writer: share of the attacks in each state")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
