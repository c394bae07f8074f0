"""Random histories of requesters and approvers by their seeds: on SQLite, and one in four on PostgreSQL."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.campaigns.plans import missing, pieces
from tests.campaigns.results import Ledger, Piece
from tests.people.play import Outcome, play
from tests.support.crews import Processes, only_work
from tests.support.databases import migrated_database, statements_compiled_once
from tests.support.postgres import PostgresServer, postgres_server

CAMPAIGN = "people"
_PIECE = 40
"""Ten databases on PostgreSQL at a time."""
_BATCH = 4


def campaign(ledger: Ledger, *, first: int, count: int, workers: int | None) -> None:
    with postgres_server() as server, Processes(workers or 2, prepare=_prepare) as pool:
        template = migrated_database(server)
        for seeds in pieces(missing(range(first, first + count), ledger.done(CAMPAIGN)), _PIECE):
            began = time.monotonic()
            with _addresses(server, template, seeds) as addressed:
                batches = [addressed[at : at + _BATCH] for at in range(0, len(seeds), _BATCH)]
                parts = [pool.submit(_play, batch) for batch in batches]
                outcomes = [outcome for part in parts for outcome in part.result()]
            ledger.add(_piece(seeds[0], outcomes, time.monotonic() - began))


def show(seeds: Sequence[int]) -> bool:
    """Play these histories and print them; whether they broke no law."""
    _prepare()
    with postgres_server() as server, _addresses(server, migrated_database(server), seeds) as addressed:
        outcomes = _play(addressed)
    for outcome in outcomes:
        print(outcome)  # noqa: T201
    return not any(outcome.broken for outcome in outcomes)


def _prepare() -> None:
    only_work(statements_compiled_once())


@contextmanager
def _addresses(server: PostgresServer, template: str, seeds: Sequence[int]) -> Iterator[list[tuple[int, str]]]:
    """Each seed with the address of its database on PostgreSQL, or with none: on SQLite.

    One in four of each theme is on PostgreSQL; the number of themes is even.
    """
    made = {seed: server.create_database(like=template) for seed in seeds if seed // 6 % 4 == 3}
    yield [(seed, server.url(made[seed]) if seed in made else "") for seed in seeds]
    for name in made.values():
        server.drop_database(name)


def _play(addressed: Sequence[tuple[int, str]]) -> list[Outcome]:
    return [play(seed, address) for seed, address in addressed]


def _piece(first: int, outcomes: Sequence[Outcome], seconds: float) -> Piece:
    counts = Counter({"paid": sum(one.paid for one in outcomes), "requests": sum(one.requests for one in outcomes)})
    counts.update(law for one in outcomes for law in {f"broke {told.partition(':')[0]}" for told in one.broken})
    repeat = "python -m tests.campaigns people --seed"
    broken = tuple(f"{repeat} {one.seed}\n{one}" for one in outcomes if one.broken)
    return Piece(
        campaign=CAMPAIGN, first=first, runs=len(outcomes), seconds=seconds, violations=broken, counts=dict(counts)
    )
