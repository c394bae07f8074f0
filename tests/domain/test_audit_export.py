"""The audit as a file, as a spreadsheet and a program read it."""

import io
from typing import Any

import pytest

from bot.domain.audit import Stored, write_csv, write_json_lines


def row(**changes: Any) -> Stored:
    return Stored(
        seq=7,
        at=1_795_165_200_000_001,
        instruction_id="i-1",
        actor="U0ADA",
        action="approve",
        before="awaiting",
        after="approved",
        detail='{"round":1}',
        previous="aa",
        hash="bb",
    )._replace(**changes)


def csv_of(*rows: Stored, head: bool = False) -> str:
    out = io.StringIO(newline="")
    assert write_csv(rows, out, head=head) == len(rows)
    return out.getvalue()


def json_of(*rows: Stored) -> str:
    out = io.StringIO()
    assert write_json_lines(rows, out) == len(rows)
    return out.getvalue()


HEAD = '"seq","at","instruction","actor","action","before","after","detail","previous","hash"\r\n'
LINE = (
    '"7","2026-11-20T09:00:00.000001+00:00","i-1","U0ADA","approve","awaiting","approved","{""round"":1}","aa","bb"\r\n'
)


def test_a_row_in_a_spreadsheet() -> None:
    assert csv_of(row(), row(), head=True) == HEAD + LINE + LINE
    assert csv_of(row()) == LINE
    out = io.StringIO(newline="")
    write_csv([], out)
    assert out.getvalue() == HEAD


def test_a_row_for_a_program() -> None:
    assert json_of(row(), row()) == 2 * (
        '{"seq": 7, "at": "2026-11-20T09:00:00.000001+00:00", "instruction": "i-1", "actor": "U0ADA", '
        '"action": "approve", "before": "awaiting", "after": "approved", "detail": {"round": 1}, '
        '"previous": "aa", "hash": "bb"}\n'
    )


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_cell_begins_a_formula(first: str) -> None:
    assert f'"\'{first}1+1"' in csv_of(row(actor=f"{first}1+1"))


def test_a_row_that_cannot_be_read_is_written_as_it_stands() -> None:
    assert '"no time"' in csv_of(row(at="no time"))
    assert '"at": "no time"' in json_of(row(at="no time"))
    assert '"detail": "{"' in json_of(row(detail="{"))
    assert "U\\ud800" in csv_of(row(actor="U\ud800"))
    assert r"""b'\xff'""" in json_of(row(actor=b"\xff")).replace("\\\\", "\\")
