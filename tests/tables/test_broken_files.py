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


def far_corner() -> bytes:
    far = '<row r="9999999"><c r="ZZZ9999999"><v>1</v></c></row>'
    files = parts([["email"], ["a@b.co"]])
    files["xl/worksheets/sheet1.xml"] = files["xl/worksheets/sheet1.xml"].replace("</sheetData>", f"{far}</sheetData>")
    return packed(files)


def million_rows() -> bytes:
    return b"email,amount\n" + b"ana@example.com,25.00\n" * 1_000_000


@pytest.mark.parametrize("make", [million_rows, far_corner])
def test_oversized_workbook_is_refused_before_loading(make: Callable[[], bytes]) -> None:
    content = make()
    tracemalloc.start()
    try:
        with pytest.raises(TableProblem):
            read_table(io.BytesIO(content), name="a", limits=Limits(size=10**9, rows=1_000))
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
def test_damaged_workbook_is_read_or_refused_with_a_sentence(broken: Broken) -> None:
    assert all(answer(content, broken) for content in cuts(broken.content()))


@pytest.mark.parametrize("make", [lambda rows: "\n".join(map(",".join, rows)).encode(), workbook])
def test_row_and_column_limits_are_inclusive(make: Callable[[list[list[str]]], bytes]) -> None:
    limits, names, row = Limits(size=10**6, rows=3, columns=3), ["a", "b", "c"], ["x", "", ""]
    read = read_table(io.BytesIO(make([names, *[row] * 3])), name="a", limits=limits)
    assert (read.header, len(read.rows)) == (("a", "b", "c"), 3)
    for rows, flaw in (([names, *[row] * 4], Flaw.TOO_MANY_ROWS), ([[*names, "d"], row], Flaw.TOO_MANY_COLUMNS)):
        with pytest.raises(TableProblem) as refusal:
            read_table(io.BytesIO(make(rows)), name="a", limits=limits)
        assert (refusal.value.flaw, refusal.value.allowed) == (flaw, 3)
