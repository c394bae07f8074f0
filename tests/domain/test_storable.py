"""What no database holds is taken out of parsed JSON, in names and values, and nothing else."""

import pytest

from bot.domain.text import storable, without_unstorable

ODD = {"nul": "\x00", "first": "\ud800", "last": "\udfff", "high": "\udbff", "low": "\udc00", "many": "\x00\ud83d\x00"}


@pytest.mark.parametrize("which", ODD)
def test_taken_out_wherever_it_stands(which: str) -> None:
    odd = ODD[which]
    given = {f"na{odd}me": [f"{odd}é", {"x": f"a{odd}b{odd}"}, (1, None, True, 2.5)], "same": "ümlaut 🎉"}
    assert without_unstorable(given) == {"name": ["é", {"x": "ab"}, (1, None, True, 2.5)], "same": "ümlaut 🎉"}


@pytest.mark.parametrize("kept", ["", "\x01\x1f\x7f", "\ud7ff\ue000\uffff", "🎉", "\ufffd"])
def test_nothing_else_is(kept: str) -> None:
    assert (without_unstorable(kept), storable(kept)) == (kept, kept)


def test_a_column_says_where_something_was() -> None:
    assert storable("a\x00b\udfffc") == "a\ufffdb\ufffdc"
