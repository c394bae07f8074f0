"""Sealed secrets: bound to their row, their column and their key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.sealing import Sealer, SealError

SEALER = Sealer(key=b"k" * 32)


@given(st.text(max_size=200))
def test_sealed_value_opens_in_its_column(text: str) -> None:
    sealed = SEALER.seal(text, row="1", column="store.sealed_key")
    assert SEALER.open(sealed, row="1", column="store.sealed_key") == text
    assert len(text) < 8 or text not in sealed
    assert SEALER.seal(text, row="1", column="store.sealed_key") != sealed
    assert sealed.split(".")[1] == SEALER.key_id


def test_sealed_value_opens_in_its_column_only() -> None:
    sealed = SEALER.seal("secret", row="1", column="store.sealed_key")
    for row, column in (("2", "store.sealed_key"), ("1", "store.other"), ("", "")):
        with pytest.raises(SealError):
            SEALER.open(sealed, row=row, column=column)
    with pytest.raises(SealError, match="another key"):
        Sealer(key=b"j" * 32).open(sealed, row="1", column="store.sealed_key")


@pytest.mark.parametrize("position", [0, 3, 12, 30, -1])
def test_every_change_is_noticed(position: int) -> None:
    sealed = SEALER.seal("a longer secret than that", row="1", column="c")
    letters = list(sealed)
    letters[position] = "A" if letters[position] != "A" else "B"
    with pytest.raises(SealError):
        SEALER.open("".join(letters), row="1", column="c")


@pytest.mark.parametrize("text", ["", "1", "1.", "x.y.z", "1.\u00e9.\u00e9"])
def test_invalid_seal_does_not_open(text: str) -> None:
    with pytest.raises(SealError):
        SEALER.open(text, row="1", column="c")


def test_key_has_a_fixed_length() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Sealer(key=b"short")
