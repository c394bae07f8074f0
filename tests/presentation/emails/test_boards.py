"""What people see of a list of e-mail addresses: its board, its thread, its forms, within Slack's limits."""

import re
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.emails.lists import Answer, ListProgress, Outcome, RunCount, RunState
from bot.domain.errors import OperatorError
from bot.domain.files.columns import ColumnSummary
from bot.domain.files.tables import Flaw, Marks, TableProblem
from bot.domain.reasons import Exchange, OfList, Reason
from bot.domain.reasons import given as own_words
from bot.domain.troubles import failed
from bot.presentation import emails
from bot.presentation.table_problems import table_problem
from tests.presentation.checks import calls_in, check_message, check_view, seen
from tests.presentation.drawn import foreign

COUNT = RunCount(
    total=10_000, taken=5_000, rows=12_000, skipped=7,
    outcomes=MappingProxyType({Outcome.ANSWERED: 4_000, Outcome.NO_ANSWER: 3}),
)  # fmt: skip
ONE = RunCount(total=1, taken=1, rows=1, outcomes=MappingProxyType({Outcome.ANSWERED: 1}), repeated=1)


def progress(state: RunState, **changes: Any) -> ListProgress:
    facts = {"file": "people.csv", "column": "email", "whole": False, "requester": "U0MARIA", "count": COUNT}
    return ListProgress(id="01J", state=state, **{**facts, **changes})


UNPAID = failed(
    OperatorError(Reason(Exchange.PAYMENT_REQUIRED, status=402), service="email", mend="top up the account")
)
ACCOUNT = {"reason": Reason(OfList.ACCOUNT, why=UNPAID)}
NOT_WORKING = {"reason": Reason(OfList.NOT_WORKING, why=Reason(Exchange.ANSWERED, status=500))}
WHOLE: dict[str, Any] = {"whole": True, "count": RunCount(rows=12_000)}
NOT_FETCHED = {"reason": Reason(OfList.EMPTY_RESULT), "said": (("result", "https://results.example.com/77"),)}
SO_FAR = "40 %` 4,003 of 10,000 addresses checked\n4,000 answered · 3 no answer · 12,000 rows, 1,993 repeated"


@pytest.mark.parametrize(("state", "changes", "words", "buttons"), [
    ("preparing", {"count": RunCount()}, "Reading the file…", ["Stop"]),
    ("running", {}, SO_FAR, ["Pause", "Stop"]),
    ("paused", {}, "Paused.", ["Resume", "Stop"]),
    ("paused", NOT_WORKING, "The e-mail check isn't working right now.", ["Resume", "Stop", "Details"]),
    ("paused", ACCOUNT, "*Go on* checks the 5,997 addresses left, none twice.", ["Go on", "Stop", "Details"]),
    ("stopping", {}, "Stopping…", []), ("stopped", {}, "3 no answer · 5,997 not asked", []),
    ("failed", {"count": RunCount(), "reason": own_words("the column is empty")}, "The column is empty.", ["Details"]),
    ("done", {"count": ONE}, "100 %` 1 of 1 address checked\n1 answered · 1 row\n", []),
    ("done", {"count": ONE}, "A restart made me check 1 address again.", []),
    ("done", {"count": RunCount(total=99, rows=99, repeated=37)}, "A restart made me check 37 addresses again.", []),
    ("sending", WHOLE, "12,000 rows", []),
    ("unknown", {**WHOLE, "reason": Reason(OfList.ANSWER_LOST)}, "I didn't send the file again.", ["Details"]),
    ("done", WHOLE, "12,000 rows", []),
    ("done", {**WHOLE, "receipt": "R-77", "said": (("status", "queued"),)}, "`R-77`", []),
    ("done", {**WHOLE, **NOT_FETCHED}, "result: https://results.example.com/77", ["Details"]),
    ("done", {**WHOLE, "said": (("valid", "9"), ("invalid", "1"))}, "The answer:\nvalid: 9\ninvalid: 1", []),
])  # fmt: skip
def test_board_tells_state_and_offers_what_it_allows(
    state: str, changes: dict[str, Any], words: str, buttons: list[str]
) -> None:
    one = progress(RunState(state), **changes)
    board = emails.board(one, {"U0MARIA": "Maria Silva"})
    check_message(board)
    text = seen(board)
    assert text.startswith("Process e-mails: people.csv\n")
    assert f"Column “email” · {'whole file' if one.whole else 'row by row'} · Requested by Maria Silva" in text
    assert words in text
    assert re.findall(r"\[([^]]+)\]", text) == buttons
    sign, said = emails.news(one).text.split(" <@U0MARIA> ")
    assert f"\n{sign} {said}" in emails.board(one).text


def test_answers_about_a_few_addresses() -> None:
    silence = Reason(Exchange.NO_ANSWER, failure="timed out")
    answers = [
        ("ana@example.com", Answer(outcome=Outcome.ANSWERED, result="valid", pairs=(("score", "9"), ("mx", "")))),
        ("ben@example.com", Answer(outcome=Outcome.ANSWERED, text="fine <here>")),
        ("eli@example.com", Answer(outcome=Outcome.ANSWERED, result="risky", pairs=(("status", "risky"),))),
        ("nobody", Answer(outcome=Outcome.NO_ADDRESS)),
        ("eve@example.com", Answer(outcome=Outcome.NO_ANSWER, why=Reason(OfList.TRY_AGAIN, why=silence))),
    ]
    content = emails.checked(answers)
    assert [line.partition(": *")[0] for line in content.text.splitlines()] == [email for email, _ in answers]
    assert seen(content) == snapshot("""\
Address | Result | Details
ana@example.com | valid | score: 9
ben@example.com | answered | fine <here>
eli@example.com | risky | –
nobody | no address | –
eve@example.com | no answer | no answer (timed out); try again in a minute\
""")


@pytest.mark.parametrize(("state", "words"), [
    (RunState.PREPARING, "reading"), (RunState.RUNNING, "already in progress"), (RunState.PAUSED, "already paused"),
    (RunState.STOPPING, "already stopping"), (RunState.DONE, "already done"), (RunState.STOPPED, "already stopped"),
    (RunState.FAILED, "already ended"), (None, "out of date"),
])  # fmt: skip
def test_late_press_is_answered_with_the_state(state: RunState | None, words: str) -> None:
    assert words in emails.refused_press(state)


SAID = st.lists(st.tuples(foreign(), foreign()), max_size=60)


@given(st.sampled_from(list(RunState)), st.lists(foreign(), min_size=4, max_size=4), st.booleans(), SAID)
def test_any_board(state: RunState, texts: list[str], whole: bool, said: list[tuple[str, str]]) -> None:
    file, column, reason, receipt = texts
    shown = progress(
        state, file=file, column=column, reason=own_words(reason), receipt=receipt, whole=whole, said=tuple(said)
    )
    for content in (emails.board(shown), emails.news(shown)):
        check_message(content)
        assert calls_in(content) <= {"@U0MARIA"}


@given(st.lists(st.tuples(foreign(), foreign(), SAID), min_size=1, max_size=20))
def test_any_answers_about_addresses(found: list[tuple[str, str, list[tuple[str, str]]]]) -> None:
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
def test_column_form_lists_columns(
    columns: list[tuple[str, list[str]]], name: str, lacking: dict[str, list[str]]
) -> None:
    looks = [
        ColumnSummary(name=column, filled=10, addresses=at % 11, samples=tuple(samples))
        for at, (column, samples) in enumerate(columns)
    ]
    view = emails.list_form(
        looks, rows=10, before={"how": "whole"},
        marks=Marks(hidden_columns=tuple(column for column, _ in columns[:20])), file="F0", name=name, channel="C0",
        thread_ts="1.0", lacking=lacking,
    )  # fmt: skip
    check_view(view)
    how = next(block["element"] for block in view["blocks"] if block.get("block_id") == "how")
    assert how["initial_option"]["value"] == ("rows" if "whole" in lacking else "whole")
    options = next(block["element"]["options"] for block in view["blocks"] if block.get("block_id") == "column")
    for at, option in enumerate(options):
        assert emails.chosen(option["value"])[0] == at


def test_details_hold_what_the_message_leaves_out() -> None:
    paused = progress(RunState.PAUSED, **ACCOUNT)
    view = emails.details(paused)
    check_view(view)
    assert "402" in str(view["blocks"])
    assert "402" not in emails.board(paused).text


def test_our_columns_never_take_the_name_of_a_given_one() -> None:
    assert emails.result_header(("Result", "processing", "answer: a"), ["a", "b"]) == (
        "Result", "processing", "answer: a", "processing (2)", "result (2)", "answer: a (2)", "answer: b", "answer",
    )  # fmt: skip


@given(
    st.sampled_from(list(Flaw)),
    st.lists(foreign(), min_size=3, max_size=6),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=10),
)
def test_every_problem_of_a_table_is_a_sentence(flaw: Flaw, names: list[str], rows: list[int]) -> None:
    names = names if flaw is not Flaw.MISSING_COLUMNS else ["email", "amount"]  # ours, never foreign
    problem = TableProblem(flaw, rows=rows, names=names, allowed=(128 * 1024), counts=dict.fromkeys(rows, 2), more=3)
    said = table_problem(problem)
    assert said.endswith((".", "Ana.", "email,amount,note"))
    assert len(said) < 2_900
    assert any(
        word in said for word in ("for example", "Example", "upload", "Rename", "Remove", "Split", "Add", "Save")
    )
