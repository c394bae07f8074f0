"""Somebody who may write to the database and has no key: every column, in every state, with everything done besides."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import as_completed

from tests.campaigns.kills import keep
from tests.campaigns.results import Ledger, Piece
from tests.support.crews import Processes
from tests.writer.attacks import Attack, attacks
from tests.writer.scenes import SCENES, Result, Scene, batches, run

CAMPAIGN = "malicious writer"
_BULK_TABLES = frozenset({"bulk_item", "bulk_flight"})


def campaign(ledger: Ledger, *, share: float, at_once: int) -> None:
    """Run the scenes that are not done yet, each batch in a process of its own.

    Args:
        ledger: where the results go; a scene is one piece.
        share: of the attacks of a scene that are run, drawn by the scene; 1.0: all.
        at_once: how many processes.
    """
    done, first = ledger.done(CAMPAIGN), 0
    with Processes(at_once) as pool:
        for number, scene in enumerate(SCENES):
            chosen = _chosen(scene, number, share)
            if first not in done:
                began = time.monotonic()
                parts = [pool.submit(play, scene, batch) for batch in batches(scene, chosen)]
                results = [result for part in as_completed(parts) for result in part.result()]
                keep(ledger, _piece(scene, first, results, time.monotonic() - began))
            first += len(chosen)


def play(scene: Scene, batch: Sequence[Attack]) -> list[Result]:
    """One batch. Where the database refuses to go on at all, nothing is sent."""
    return asyncio.run(run(scene, batch))


def _chosen(scene: Scene, number: int, share: float) -> list[Attack]:
    bulk = scene.kind.value == "bulk"
    possible = [one for one in attacks() if bulk or one.table not in _BULK_TABLES]
    chance = random.Random(number)  # noqa: S311 - it is to be repeatable
    return chance.sample(possible, max(1, round(len(possible) * share)))


def _piece(scene: Scene, first: int, results: Sequence[Result], seconds: float) -> Piece:
    counts = Counter({"taken by the database": sum(one.done for one in results)})
    counts["held and alerted"] = sum(one.held for one in results)
    counts["sent as approved"] = sum(one.sent for one in results)
    violations = tuple(str(one) for one in results if one.violation)
    return Piece(
        campaign=CAMPAIGN, first=first, runs=len(results), seconds=seconds, violations=violations, counts=dict(counts)
    )
