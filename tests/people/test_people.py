"""What requesters and approvers do by chance: the law of people holds, and each shortcut in the product is found."""

from collections.abc import Iterator

import pytest

from tests.people.play import play, silence
from tests.people.shortcuts import SHORTCUTS
from tests.support.postgres import PostgresServer


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with silence():
        yield


def test_histories_of_people_break_no_law() -> None:
    seeds = {5, *(shortcut.seeds[0] for shortcut in SHORTCUTS.values())}
    assert [str(one) for one in map(play, sorted(seeds)) if one.broken] == []


@pytest.mark.postgres
def test_histories_of_people_break_no_law_on_postgres(postgres: PostgresServer, migrated_postgres: str) -> None:
    for seed in (7, 12):
        database = postgres.create_database(like=migrated_postgres)
        outcome = play(seed, postgres.url(database))
        postgres.drop_database(database)
        assert outcome.broken == (), str(outcome)


@pytest.mark.parametrize("name", SHORTCUTS)
def test_shortcut_in_the_protocol_is_found(name: str) -> None:
    shortcut = SHORTCUTS[name]
    with shortcut.plant():
        played = (play(seed) for seed in shortcut.seeds)
        assert any(one.startswith(f"{shortcut.breaks}:") for outcome in played for one in outcome.broken)
