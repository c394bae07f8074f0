"""The chain and everything that breaks it; the audit as a file, for a spreadsheet and for a program."""

import hmac
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import audit
from bot.domain.anchors import Anchor
from tests.domain.made import NOW
from tests.support.rows import verify

KEY = b"k" * 32


def entry(n: int, **changes: object) -> audit.Entry:
    values: dict[str, object] = {
        "at": NOW + timedelta(seconds=n), "instruction_id": "01KAGT00000000000000000000", "actor": "U0ADA",
        "action": "approve", "before": "awaiting", "after": "approved", "detail": {"n": n},
    }  # fmt: skip
    return audit.Entry(**{**values, **changes})  # type: ignore[arg-type]


def chain(*entries: audit.Entry, key: bytes = KEY) -> list[audit.ChainRow]:
    rows: list[audit.ChainRow] = []
    for seq, one in enumerate(entries, start=1):
        previous = rows[-1].hash if rows else audit.GENESIS
        made = audit.link(key=key, previous=previous, seq=seq, entry=one)
        rows.append(audit.ChainRow(seq=seq, entry=one, previous=previous, hash=made))
    return rows


def test_untouched_chain_verifies_and_truncated_one_has_another_head() -> None:
    rows = chain(*map(entry, range(6)))
    whole, cut = verify(key=KEY, rows=rows), verify(key=KEY, rows=rows[:4])
    assert (whole.rows, whole.head, whole.bad_seq) == (6, rows[-1].hash, None)
    assert (cut.bad_seq, cut.head) == (None, rows[3].hash)
    assert verify(key=KEY, rows=chain(entry(1), key=b"x" * 32)).bad_seq == 1, "without the key nothing can be forged"


def test_hashed_form_is_sorted_json() -> None:
    odd = entry(1, actor='"\\ \u2028 \x00 é', detail={"b": [1, 2.5, None], "a": {"ü": '"}'}})
    content = {
        "seq": 7, "at": odd.at.isoformat(), "instruction": odd.instruction_id, "actor": odd.actor, "action": odd.action,
        "before": odd.before, "after": odd.after, "detail": odd.detail,
    }  # fmt: skip
    text = audit.GENESIS + json.dumps(content, sort_keys=True, separators=(",", ":"))
    made = audit.link(key=KEY, previous=audit.GENESIS, seq=7, entry=odd)
    assert made == hmac.digest(KEY, text.encode(), "sha256").hex()


def test_audit_hash_ignores_the_time_zone() -> None:
    abroad = entry(1, at=entry(1).at.astimezone(timezone(timedelta(hours=5, minutes=30))))
    here, there = (audit.link(key=KEY, previous=audit.GENESIS, seq=1, entry=one) for one in (entry(1), abroad))
    assert here == there
    assert audit.stored(audit.ChainRow(seq=1, entry=abroad, previous="", hash="")).entry() == replace(
        abroad, at=abroad.at.astimezone(UTC)
    )


def test_stored_audit_row_equals_the_original() -> None:
    row = chain(entry(1), entry(2))[1]
    assert audit.stored(row).entry() == row.entry
    assert audit.seal(audit.stored(row), key=KEY) == row.hash


# what somebody with the database and without the key can do; rows are read in the order of their numbers


LENGTH = 8


def lying() -> list[audit.Stored]:
    return [audit.stored(row) for row in chain(*map(entry, range(1, LENGTH + 1)))]


END = (LENGTH, lying()[-1].hash)


def looked_at(rows: Sequence[audit.Stored], **known: object) -> audit.Verdict:
    return audit.check(keys=audit.Keys(KEY), rows=iter(rows), **{"end": END, **known})  # type: ignore[arg-type]


@pytest.mark.parametrize("field", audit.Stored._fields)
@pytest.mark.parametrize("value", [b"blob", None, 1.5, "\udcff", 10**30, "x"])
def test_foreign_audit_rows_are_found(field: str, value: object) -> None:
    rows = lying()
    rows[2] = rows[2]._replace(**{field: value})  # type: ignore[arg-type]
    verdict = looked_at(rows)
    assert verdict.bad_seq == 3
    assert verdict.damage is not None


def test_rewritten_equal_detail_is_a_change() -> None:
    rows = lying()
    for written in ('{"n": 3}', '{"n":3,"n":3}', '{"n":3}\n', '{"\\u006e":3}'):
        assert json.loads(written) == json.loads(rows[2].detail)
        changed = [*rows[:2], rows[2]._replace(detail=written), *rows[3:]]
        verdict = looked_at(changed)
        assert (verdict.bad_seq, verdict.rows, verdict.found) == (3, 2, changed[2])


def test_detail_cannot_imitate_other_columns() -> None:
    real = entry(1, detail={"n": 1}, instruction_id="real")
    row = audit.stored(chain(real)[0])
    text = '{"n":1},"instruction":"real"'
    for forged in (row._replace(detail=text), row._replace(detail=text, instruction_id="")):
        assert looked_at([forged], end=(1, row.hash)).bad_seq == 1


@given(st.integers(min_value=0, max_value=LENGTH), st.booleans())
def test_inserted_rows_are_found(at: int, chained: bool) -> None:
    rows = lying()
    before = rows[at - 1].hash if at else audit.GENESIS
    forged = audit.stored(chain(entry(1), key=b"x" * 32)[0])._replace(previous=before if chained else "f" * 64)
    verdict = looked_at([row._replace(seq=seq) for seq, row in enumerate([*rows[:at], forged, *rows[at:]], start=1)])
    assert (verdict.bad_seq, verdict.rows) == (at + 1, at)
    assert verdict.damage is audit.ChainDamage.INSERTED or (at == LENGTH and not chained)


def test_renumbered_row_is_found() -> None:
    rows = lying()
    last = looked_at([*rows[:3], *rows[4:], rows[3]._replace(seq=99)])
    assert (last.bad_seq, last.damage, last.problem) == (4, audit.ChainDamage.REORDERED, "it has the number 99 now")
    first = looked_at([rows[3]._replace(seq=-1), *rows[:3], *rows[4:]])
    assert (first.bad_seq, first.damage) == (-1, audit.ChainDamage.INSERTED)


@given(st.integers(min_value=0, max_value=LENGTH - 1), st.sampled_from(["end", "anchor", "both"]))
def test_truncated_chain_is_found(left: int, witness: str) -> None:
    rows = lying()
    head = rows[left - 1].hash if left else audit.GENESIS
    known = {
        "end": END if witness != "anchor" else (left, head),
        "anchors": [Anchor(at=NOW, seq=LENGTH, head=rows[-1].hash)] if witness != "end" else [],
    }
    verdict = looked_at(rows[:left], **known)
    assert (verdict.bad_seq, verdict.damage, verdict.rows) == (left + 1, audit.ChainDamage.CUT_OFF, left)


def test_forged_head_of_the_chain_is_found() -> None:
    rows = lying()
    for end in ((LENGTH, "f" * 64), (LENGTH - 1, rows[-2].hash), (0, audit.GENESIS), ("x", "")):
        verdict = looked_at(rows, end=end)
        assert (verdict.bad_seq, verdict.damage) == (LENGTH, audit.ChainDamage.CHANGED)


def test_another_chain_with_the_same_key_is_found_by_the_anchors() -> None:
    other = lying()
    replaced = [audit.stored(row) for row in chain(*map(entry, (1, 1, *range(3, LENGTH + 1))))]
    end = (LENGTH, replaced[-1].hash)
    assert looked_at(replaced, end=end).bad_seq is None
    anchors = [Anchor(at=NOW, seq=seq, head=other[seq - 1].hash) for seq in (1, 4, 6)]
    verdict = looked_at(replaced, end=end, anchors=anchors)
    assert (verdict.bad_seq, verdict.damage) == (4, audit.ChainDamage.REPLACED)
    # Two histories in one file of anchors: no chain can satisfy both.
    both = [*anchors, Anchor(at=NOW, seq=4, head=replaced[3].hash)]
    assert looked_at(lying(), anchors=both).damage is audit.ChainDamage.REPLACED
    # A tail of the other history behind rows of this one.
    spliced = looked_at([*lying()[:4], *replaced[4:]], end=end)
    assert (spliced.bad_seq, spliced.damage) == (5, audit.ChainDamage.REPLACED)


def exported(**changes: Any) -> audit.Stored:
    return audit.Stored(
        seq=7, at=1_795_165_200_000_001, instruction_id="i-1", actor="U0ADA", action="approve", before="awaiting",
        after="approved", detail='{"round":1}', previous="aa", hash="bb",
    )._replace(**changes)  # fmt: skip


def csv_of(*rows: audit.Stored, head: bool = False) -> str:
    out = io.StringIO(newline="")
    assert audit.write_csv(rows, out, head=head) == len(rows)
    return out.getvalue()


def json_of(*rows: audit.Stored) -> str:
    out = io.StringIO()
    assert audit.write_json_lines(rows, out) == len(rows)
    return out.getvalue()


HEAD = '"seq","at","instruction","actor","action","before","after","detail","previous","hash"\r\n'
LINE = (
    '"7","2026-11-20T09:00:00.000001+00:00","i-1","U0ADA","approve","awaiting","approved","{""round"":1}","aa","bb"\r\n'
)


def test_audit_row_exports_safely_to_a_spreadsheet() -> None:
    assert csv_of(exported(), exported(), head=True) == HEAD + LINE + LINE
    assert csv_of(exported()) == LINE
    out = io.StringIO(newline="")
    audit.write_csv([], out)
    assert out.getvalue() == HEAD


def test_exported_cells_never_begin_a_formula() -> None:
    for first in ("=", "+", "-", "@", "\t", "\r", "\n"):
        assert f'"\'{first}1+1"' in csv_of(exported(actor=f"{first}1+1"))
    assert '"no time"' in csv_of(exported(at="no time"))
    assert '"at": "no time"' in json_of(exported(at="no time"))
    assert '"detail": "{"' in json_of(exported(detail="{"))
    assert "U\\ud800" in csv_of(exported(actor="U\ud800"))
    assert r"""b'\xff'""" in json_of(exported(actor=b"\xff")).replace("\\\\", "\\")
