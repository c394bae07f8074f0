"""Somebody who may write to the database and has no key: every column, in every state, with everything done besides."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import as_completed

from bot.domain.payments.instruction import Kind
from tests.campaigns.results import Ledger, Piece
from tests.support.crews import Processes, only_work
from tests.support.databases import statements_compiled_once
from tests.support.threadless import without_threads
from tests.writer.attacks import Attack, attacks
from tests.writer.scenes import NotThereError, Result, batches, run
from tests.writer.states import SCENES, Scene

CAMPAIGN = "malicious writer"
_BULK_TABLES = frozenset({"bulk_item", "bulk_flight"})
_MANY = frozenset({Kind.BULK, Kind.BULK_CANCEL})


def campaign(ledger: Ledger, *, share: float, at_once: int) -> None:
    """Run the scenes that are not done yet, a piece each, each batch in a process of its own."""
    done, first = ledger.done(CAMPAIGN), 0
    with Processes(at_once, prepare=_prepare) as pool:
        for scene in SCENES:
            chosen = chosen_for(scene, share)
            if first not in done:
                began = time.monotonic()
                parts = [pool.submit(play, scene, batch) for batch in batches(scene, chosen)]
                results = [result for part in as_completed(parts) for result in part.result()]
                ledger.add(_piece(scene, first, results, time.monotonic() - began))
            first += len(chosen)


def _prepare() -> None:
    only_work(without_threads(), statements_compiled_once())


def play(scene: Scene, batch: Sequence[Attack]) -> list[Result]:
    """One batch. Where the database refuses to go on at all, nothing is sent.

    On a busy machine fewer requests are under way at a time: what does not come to its state together does in halves.
    """
    try:
        return asyncio.run(run(scene, batch))
    except NotThereError:
        half = len(batch) // 2
        if not half:
            raise
        return [*play(scene, batch[:half]), *play(scene, batch[half:])]


def chosen_for(scene: Scene, share: float) -> list[Attack]:
    """One attack on each column and one of each deed at least, then others up to the share; drawn by the scene."""
    chance = random.Random(str(scene))  # noqa: S311 - it is to be repeatable
    by_column: dict[tuple[str, str], list[Attack]] = {}
    for one in attacks():
        if scene.kind in _MANY or one.table not in _BULK_TABLES:
            by_column.setdefault((one.table, one.column), []).append(one)
    chosen: list[Attack] = []
    others: list[Attack] = []
    for every in by_column.values():
        chance.shuffle(every)
        chosen.append(every[0])
        others += every[1:]
    more = round((len(chosen) + len(others)) * share) - len(chosen)
    return chosen + chance.sample(others, max(0, more))


def _piece(scene: Scene, first: int, results: Sequence[Result], seconds: float) -> Piece:
    counts = Counter({"taken by the database": sum(one.done for one in results)})
    counts["held and alerted"] = sum(one.held for one in results)
    counts["sent as approved"] = sum(one.sent for one in results)
    violations = tuple(str(one) for one in results if one.violation)
    return Piece(
        campaign=CAMPAIGN, first=first, runs=len(results), seconds=seconds, violations=violations, counts=dict(counts)
    )
