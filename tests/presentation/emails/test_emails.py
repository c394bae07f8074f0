"""What is shown of e-mail processing is within Slack's limits, calls nobody but the requester, and says what is so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.emails.lists import Answer, Outcome, RunState
from bot.domain.files.columns import ColumnSummary
from bot.domain.files.tables import Flaw, Marks, TableProblem
from bot.domain.reasons import given as own_words
from bot.presentation.emails import forms as email_forms
from bot.presentation.emails import lists as emails
from bot.presentation.table_problems import table_problem
from tests.presentation.checks import calls_in, check_message, check_view
from tests.presentation.drawn import foreign
from tests.presentation.emails.moments import progress

CELL_LIMIT = 128 * 1024


@pytest.mark.parametrize("receipt", ["", "a receipt"])
def test_a_long_answer_about_a_whole_file_is_shown_in_several_paragraphs(receipt: str) -> None:
    said = tuple((f"field {n}", f"{n} " + "&" * 100) for n in range(25))
    shown = progress(RunState.DONE, whole=True, receipt=receipt, said=said)
    for content in (emails.board(shown), emails.news(shown)):
        check_message(content)
        drawn = "\n".join(block["text"]["text"] for block in content.blocks if block["type"] == "section")
        assert all(f"field {n}: {n} " in drawn for n in range(20))


@given(
    st.sampled_from(list(RunState)),
    foreign(),
    foreign(),
    foreign(),
    foreign(),
    st.booleans(),
    st.lists(st.tuples(foreign(), foreign()), max_size=60),
)
def test_boards(
    state: RunState, file: str, column: str, reason: str, receipt: str, whole: bool, said: list[tuple[str, str]]
) -> None:
    shown = progress(
        state, file=file, column=column, reason=own_words(reason), receipt=receipt, whole=whole, said=tuple(said)
    )
    for content in (emails.board(shown), emails.news(shown)):
        check_message(content)
        assert calls_in(content) <= {"@U0MARIA"}


@given(
    st.lists(
        st.tuples(foreign(), foreign(), st.lists(st.tuples(foreign(), foreign()), max_size=40)), min_size=1, max_size=20
    )
)
def test_answers_about_addresses(found: list[tuple[str, str, list[tuple[str, str]]]]) -> None:
    answers = [
        (address, Answer(outcome=Outcome.ANSWERED, result=result, pairs=tuple(pairs)))
        for address, result, pairs in found
    ]
    content = emails.checked(answers)
    check_message(content, longest=40_000)
    assert calls_in(content) == set()


LACKING: list[dict[str, list[str]]] = [{}, {"rows": ["EMAIL_SINGLE_BASE_URL"]}, {"whole": ["EMAIL_BULK_BASE_URL"]}]


@given(
    st.lists(st.tuples(foreign(), st.lists(foreign(), max_size=3)), min_size=1, max_size=120),
    foreign(),
    st.sampled_from(LACKING),
)
def test_the_form_for_a_column(columns: list[tuple[str, list[str]]], name: str, lacking: dict[str, list[str]]) -> None:
    looks = [
        ColumnSummary(name=column, filled=10, addresses=at % 11, samples=tuple(samples))
        for at, (column, samples) in enumerate(columns)
    ]
    view = email_forms.list_form(
        looks,
        rows=10,
        read_as="UTF-8 with commas",
        marks=Marks(hidden_columns=tuple(column for column, _ in columns[:20])),
        file="F0",
        name=name,
        channel="C0",
        thread_ts="1.0",
        lacking=lacking,
    )
    check_view(view)
    options = next(block["element"]["options"] for block in view["blocks"] if block.get("block_id") == "column")
    for at, option in enumerate(options):
        assert email_forms.chosen(option["value"])[0] == at


def test_the_form_for_a_file_and_the_notices() -> None:
    check_view(email_forms.file_form(channel="C0"))
    check_view(email_forms.reading("<!channel>.csv"))
    check_view(email_forms.unusable("x" * 5_000))


def test_our_columns_never_take_the_name_of_a_given_one() -> None:
    header = emails.result_header(("Result", "processing", "answer: a"), ["a", "b"])
    assert header == (
        "Result",
        "processing",
        "answer: a",
        "processing (2)",
        "result (2)",
        "answer: a (2)",
        "answer: b",
        "answer",
    )


@given(
    st.sampled_from(list(Flaw)),
    st.lists(foreign(), min_size=3, max_size=6),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=10),
)
def test_every_problem_of_a_table_is_a_sentence(flaw: Flaw, names: list[str], rows: list[int]) -> None:
    names = names if flaw is not Flaw.MISSING_COLUMNS else ["email", "amount"]  # ours, never foreign
    problem = TableProblem(flaw, rows=rows, names=names, allowed=CELL_LIMIT, counts=dict.fromkeys(rows, 2), more=3)
    said = table_problem(problem)
    assert said.endswith((".", "Ana."))
    assert len(said) < 2_900
    assert any(word in said for word in ("for example", "drop", "Rename", "Keep", "Split", "Add"))
