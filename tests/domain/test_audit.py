from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.audit import GENESIS, Entry, Row, link, verify
from tests.domain.made import NOW

KEY = b"k" * 32


def entry(n: int, **changes: object) -> Entry:
    values: dict[str, object] = {
        "at": NOW + timedelta(seconds=n),
        "instruction_id": "01KAGT00000000000000000000",
        "actor": "U0ADA",
        "action": "approve",
        "before": "awaiting",
        "after": "approved",
        "detail": {"n": n},
    }
    return Entry(**{**values, **changes})  # type: ignore[arg-type]


def chain(length: int, key: bytes = KEY) -> list[Row]:
    rows: list[Row] = []
    previous = GENESIS
    for seq in range(1, length + 1):
        made = link(key=key, previous=previous, seq=seq, entry=entry(seq))
        rows.append(Row(seq=seq, entry=entry(seq), previous=previous, hash=made))
        previous = made
    return rows


def test_an_untouched_chain_holds() -> None:
    rows = chain(5)
    verdict = verify(key=KEY, rows=rows)
    assert (verdict.rows, verdict.head, verdict.bad_seq) == (5, rows[-1].hash, None)


def test_an_empty_chain_holds() -> None:
    assert verify(key=KEY, rows=[]).head == GENESIS


@pytest.mark.parametrize(
    "change",
    [
        {"at": NOW},
        {"instruction_id": "other"},
        {"actor": "U0EVE"},
        {"action": "reject"},
        {"before": "new"},
        {"after": "rejected"},
        {"detail": {"n": 2}},
    ],
)
def test_a_change_of_any_field_is_found_at_its_row(change: dict[str, object]) -> None:
    rows = chain(5)
    rows[2] = replace(rows[2], entry=entry(3, **change))
    assert verify(key=KEY, rows=rows).bad_seq == 3


@given(st.integers(min_value=0, max_value=5), st.data())
def test_removed_inserted_and_swapped_rows_are_found(at: int, data: st.DataObject) -> None:
    rows = chain(6)
    damage = data.draw(st.sampled_from(["remove", "repeat", "swap"]))
    if damage == "remove" and at < 5:
        del rows[at]
    elif damage == "repeat":
        rows.insert(at, rows[at])
    elif damage == "swap" and at < 5:
        rows[at], rows[at + 1] = rows[at + 1], rows[at]
    else:
        return
    assert verify(key=KEY, rows=rows).bad_seq is not None


def test_rows_cut_off_at_the_end_show_in_the_head_alone() -> None:
    rows = chain(6)
    verdict = verify(key=KEY, rows=rows[:4])
    assert verdict.bad_seq is None
    assert verdict.head != rows[-1].hash


def test_without_the_key_nothing_can_be_forged() -> None:
    assert verify(key=KEY, rows=chain(3, key=b"x" * 32)).bad_seq == 1
