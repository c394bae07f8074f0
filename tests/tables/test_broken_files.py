"""Each broken file gets one clear answer, the same each time."""

import io
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from bot.domain.files.tables import Flaw, Limits, TableProblem
from bot.presentation.table_problems import table_problem
from bot.tables.reading import read_table
from tests.tables.corpus import BOOKS, CORPUS, TEXTS, Broken
from tests.tables.workbooks import packed, parts, workbook

SMALL_BOOKS = [broken for broken in BOOKS if "bomb" not in broken.name]


def refused(broken: Broken) -> TableProblem:
    with pytest.raises(TableProblem) as refusal:
        read_table(io.BytesIO(broken.content()), name=broken.file, limits=broken.limits)
    return refusal.value


@pytest.mark.parametrize("broken", CORPUS, ids=lambda broken: broken.name)
def test_a_broken_file_is_answered_with_its_sentence(broken: Broken) -> None:
    assert table_problem(refused(broken)) == broken.sentence


def test_the_corpus_is_large_and_every_flaw_of_reading_is_in_it() -> None:
    assert len(CORPUS) >= 60
    assert len({broken.sentence for broken in CORPUS}) >= 40
    elsewhere = {Flaw.MISSING_COLUMNS, Flaw.AMBIGUOUS_COLUMN, Flaw.TOO_COMPLEX}
    assert {refused(broken).flaw for broken in CORPUS} == set(Flaw) - elsewhere


class Counted(io.BytesIO):
    """Says how far it was read."""

    furthest = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.furthest = max(self.furthest, self.tell())
        return data


def test_too_many_rows_are_refused_before_the_file_is_held_in_memory() -> None:
    content = b"email,amount\n" + b"ana@example.com,25.00\n" * 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(TableProblem) as refusal:
            read_table(io.BytesIO(content), name="a.csv", limits=Limits(size=10**9, rows=1_000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refusal.value.flaw is Flaw.TOO_MANY_ROWS
    assert peak < 4 * 1024 * 1024


def test_a_cell_at_the_far_corner_claims_no_memory() -> None:
    far = '<row r="9999999"><c r="ZZZ9999999"><v>1</v></c></row>'
    files = parts([["email"], ["a@b.co"]])
    files["xl/worksheets/sheet1.xml"] = files["xl/worksheets/sheet1.xml"].replace("</sheetData>", f"{far}</sheetData>")
    tracemalloc.start()
    try:
        with pytest.raises(TableProblem):
            read_table(io.BytesIO(packed(files)), name="a.xlsx")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * 1024 * 1024


def cuts(content: bytes) -> Iterator[bytes]:
    step = max(1, len(content) // 40)
    for end in range(0, min(len(content), 4_000), step):
        yield content[:end]
        yield content[:end] + b"\xff" + content[end + 1 :]


def answer(content: bytes, broken: Broken) -> str:
    try:
        read_table(io.BytesIO(content), name=broken.file, limits=broken.limits)
    except TableProblem as problem:
        return table_problem(problem)
    return "read"


@pytest.mark.parametrize("broken", [*TEXTS, *SMALL_BOOKS], ids=lambda broken: broken.name)
def test_whatever_is_cut_or_changed_is_read_or_refused_with_a_sentence(broken: Broken) -> None:
    assert all(answer(content, broken) for content in cuts(broken.content()))


@pytest.mark.parametrize(("rows", "flaw"), [(3, None), (4, Flaw.TOO_MANY_ROWS)])
def test_the_limit_of_rows_is_the_last_number_that_is_allowed(rows: int, flaw: Flaw | None) -> None:
    content = io.BytesIO(b"email,amount\n" + b"ana@example.com,25.00\n" * rows)
    if flaw is None:
        assert len(read_table(content, name="a.csv", limits=Limits(size=10**6, rows=3)).rows) == 3
        return
    with pytest.raises(TableProblem) as refusal:
        read_table(content, name="a.csv", limits=Limits(size=10**6, rows=3))
    assert refusal.value.flaw is flaw


@pytest.mark.parametrize("make", [lambda rows: "\n".join(map(",".join, rows)).encode(), workbook])
def test_the_limit_of_columns_is_the_last_number_that_is_allowed(make: Callable[[list[list[str]]], bytes]) -> None:
    limits = Limits(size=10**6, columns=3)
    assert read_table(io.BytesIO(make([["a", "b", "c"], ["x", "", ""]])), name="a", limits=limits).header == (
        "a",
        "b",
        "c",
    )
    with pytest.raises(TableProblem) as refusal:
        read_table(io.BytesIO(make([["a", "b", "c", "d"], ["x", "", "", ""]])), name="a", limits=limits)
    assert (refusal.value.flaw, refusal.value.allowed) == (Flaw.TOO_MANY_COLUMNS, 3)
