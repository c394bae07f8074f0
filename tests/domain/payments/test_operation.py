import itertools
from collections.abc import Callable

import pytest

from bot.domain.payments.operation import (
    FINAL,
    Operation,
    OperationStatus,
    rank,
    read_status,
)


@pytest.mark.parametrize("status", list(OperationStatus))
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title, lambda text: f"  {text}\n"])
def test_every_spelling_of_a_status_is_read(status: OperationStatus, spell: Callable[[str], str]) -> None:
    assert read_status(spell(status.value)) is status
    assert read_status(spell(status.value.replace("canceled", "cancelled"))) is status


@pytest.mark.parametrize("raw", ["reversed", "", "complete", "committed!", "ſet"])
def test_unknown_status_is_kept_and_not_final(raw: str) -> None:
    operation = Operation(id="op1", status=raw)
    assert (operation.state, operation.is_final, operation.status) == (None, False, raw)
    known = {status: Operation(id="op1", status=status.value.upper()).is_final for status in OperationStatus}
    assert {status for status, is_final in known.items() if is_final} == FINAL


def test_rank_grows_from_created_to_the_final_statuses() -> None:
    path = [OperationStatus.CREATED, OperationStatus.COMMITTED, OperationStatus.PENDING]
    assert all(rank(lower) < rank(higher) for lower, higher in itertools.pairwise(path))
    assert {rank(status) for status in FINAL} == {rank(OperationStatus.PENDING) + 1}
    assert set(path) | FINAL == set(OperationStatus)
    assert rank(None) == rank(OperationStatus.CREATED)
