"""What people see of a list of e-mail addresses: its board, its thread, its forms, within Slack's limits."""

from types import MappingProxyType
from typing import Any

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
from tests.presentation.checks import calls_in, check_message, check_view, lines_of, seen
from tests.presentation.drawn import foreign

COUNT = RunCount(
    total=10_000, taken=5_000, rows=12_000, skipped=7,
    outcomes=MappingProxyType({Outcome.ANSWERED: 4_000, Outcome.NO_ANSWER: 3}),
)  # fmt: skip
FULL = RunCount(total=1, taken=1, rows=1, outcomes=MappingProxyType({Outcome.ANSWERED: 1}), repeated=1)


def progress(state: RunState, **changes: Any) -> ListProgress:
    facts = {"file": "people.csv", "column": "email", "whole": False, "requester": "U0MARIA", "count": COUNT}
    return ListProgress(id="01J", state=state, **{**facts, **changes})


_UNPAID = OperatorError(Reason(Exchange.PAYMENT_REQUIRED, status=402), service="email", mend="top up the account")
UNPAID = failed(_UNPAID)
NOT_WORKING = Reason(OfList.NOT_WORKING, why=Reason(Exchange.ANSWERED, status=500))
NO_ADDRESSES = own_words("the column “name” hardly holds e-mail addresses")
WHOLE: dict[str, Any] = {"whole": True, "count": RunCount(rows=12_000)}
MOMENTS = {
    "preparing": progress(RunState.PREPARING, count=RunCount()),
    "running": progress(RunState.RUNNING),
    "paused": progress(RunState.PAUSED),
    "paused by a failure": progress(RunState.PAUSED, reason=NOT_WORKING),
    "paused by the account": progress(RunState.PAUSED, reason=Reason(OfList.ACCOUNT, why=UNPAID)),
    "stopping": progress(RunState.STOPPING),
    "stopped": progress(RunState.STOPPED),
    "failed": progress(RunState.FAILED, count=RunCount(), reason=NO_ADDRESSES),
    "done": progress(RunState.DONE, count=FULL),
    "done after a restart": progress(RunState.DONE, count=RunCount(total=99, rows=99, repeated=37)),
    "whole, sending": progress(RunState.SENDING, **WHOLE),
    "whole, unknown": progress(RunState.UNKNOWN, **WHOLE, reason=Reason(OfList.ANSWER_LOST)),
    "whole, done": progress(RunState.DONE, **WHOLE),
    "whole, with a receipt": progress(RunState.DONE, **WHOLE, receipt="R-77", said=(("status", "queued"),)),
    "whole, not fetched": progress(
        RunState.DONE, **WHOLE, reason=Reason(OfList.EMPTY_RESULT), said=(("result", "https://results.example.com/77"),)
    ),
    "whole, with an answer": progress(RunState.DONE, **WHOLE, said=(("valid", "9"), ("invalid", "1"))),
}


SILENCE = Reason(Exchange.NO_ANSWER, failure="timed out")


HEAD = "Process e-mails: people.csv\n"
ABOUT = {
    False: "\nColumn “email” · row by row · Requested by Maria Silva",
    True: "\nColumn “email” · whole file · Requested by Maria Silva",
}


SO_FAR = (
    "\n`████████░░░░░░░░░░░░ 40 %` 4,003 of 10,000 addresses checked"
    "\n4,000 answered · 3 no answer · 12,000 rows, 1,993 repeated, 7 without an address"
)


def test_boards() -> None:
    """Below its headline, and without what it is about."""
    found = {}
    for name, one in MOMENTS.items():
        board = emails.board(one, {"U0MARIA": "Maria Silva"})
        check_message(board)
        text = seen(board)
        assert text.startswith(HEAD)
        assert ABOUT[one.whole] in text
        found[name] = text.removeprefix(HEAD).replace(ABOUT[one.whole], "").replace(SO_FAR, "\n(so far)")
    assert {one.state for one in MOMENTS.values()} == set(RunState)
    assert lines_of(found) == snapshot("""\
preparing: :hourglass_flowing_sand: Reading the file… ⏎ [Stop]
running: :arrow_forward: In progress ⏎ (so far) ⏎ [Pause] [Stop]
paused: :double_vertical_bar: Paused. ⏎ (so far) ⏎ [Resume] [Stop]
paused by a failure: :double_vertical_bar: Paused. ⏎ The e-mail check isn't working right now. Resume in a few \
minutes. ⏎ (so far) ⏎ [Resume] [Stop] [Details]
paused by the account: :double_vertical_bar: Paused. There's a problem with our e-mail check account. An admin has to \
fix it. ⏎ *Go on* checks the 5,997 addresses left, none twice. ⏎ (so far) ⏎ [Go on] [Stop] [Details]
stopping: :octagonal_sign: Stopping… ⏎ (so far)
stopped: :octagonal_sign: Stopped. Results so far are in the thread. ⏎ `████████░░░░░░░░░░░░ 40 %` 4,003 of 10,000 \
addresses checked ⏎ 4,000 answered · 3 no answer · 5,997 not asked · 12,000 rows, 1,993 repeated, 7 without an address
failed: :x: Failed. Nothing was checked. ⏎ The column “name” hardly holds e-mail addresses. ⏎ [Details]
done: :white_check_mark: Done. File in thread. ⏎ `████████████████████ 100 %` 1 of 1 address checked ⏎ 1 answered · 1 \
row ⏎ :arrows_counterclockwise: A restart made me check 1 address again.
done after a restart: :white_check_mark: Done. File in thread. ⏎ `░░░░░░░░░░░░░░░░░░░░ 0 %` 0 of 99 addresses checked \
⏎ 99 rows ⏎ :arrows_counterclockwise: A restart made me check 37 addresses again.
whole, sending: :hourglass_flowing_sand: In progress. This can take a few minutes. ⏎ 12,000 rows
whole, unknown: :grey_question: Not confirmed. I got no clear answer, so I didn't send the file again. Check the \
provider's dashboard first; to send it again, drop the file again. ⏎ 12,000 rows ⏎ [Details]
whole, done: :white_check_mark: Done. File in thread. ⏎ 12,000 rows
whole, with a receipt: :receipt: Sent, receipt `R-77`. The result doesn't come here: ask the provider for it with this \
receipt. ⏎ status: queued ⏎ 12,000 rows
whole, not fetched: :warning: Done, but the result couldn't be fetched: ⏎ result: https://results.example.com/77 ⏎ \
12,000 rows ⏎ [Details]
whole, with an answer: :white_check_mark: Done. The answer: ⏎ valid: 9 ⏎ invalid: 1 ⏎ 12,000 rows\
""")


def test_news_are_the_state_of_the_board_and_call_who_asked() -> None:
    for one in MOMENTS.values():
        sign, said = emails.news(one).text.split(" <@U0MARIA> ")
        assert f"\n{sign} {said}" in emails.board(one).text
        assert sign.startswith(":")


def test_answers_about_a_few_addresses() -> None:
    answers = [
        ("ana@example.com", Answer(outcome=Outcome.ANSWERED, result="valid", pairs=(("score", "9"), ("mx", "")))),
        ("ben@example.com", Answer(outcome=Outcome.ANSWERED, text="fine <here>")),
        ("eli@example.com", Answer(outcome=Outcome.ANSWERED, result="risky", pairs=(("status", "risky"),))),
        ("nobody", Answer(outcome=Outcome.NO_ADDRESS)),
        ("eve@example.com", Answer(outcome=Outcome.NO_ANSWER, why=Reason(OfList.TRY_AGAIN, why=SILENCE))),
    ]
    content = emails.checked(answers)
    assert all(
        line.startswith(f"{email}: *") for (email, _), line in zip(answers, content.text.splitlines(), strict=True)
    )
    assert seen(content) == snapshot("""\
Address | Result | Details
ana@example.com | valid | score: 9
ben@example.com | answered | fine <here>
eli@example.com | risky | –
nobody | no address | –
eve@example.com | no answer | no answer (timed out); try again in a minute\
""")


ROW_BY_ROW = [state for state in RunState if state not in (RunState.SENDING, RunState.UNKNOWN)]


def test_presses_that_come_too_late() -> None:
    assert lines_of({state: emails.refused_press(state) for state in (*ROW_BY_ROW, None)}) == snapshot("""\
preparing: :information_source: Still reading the file.
running: :information_source: It's already in progress.
paused: :information_source: It's already paused.
stopping: :information_source: It's already stopping.
done: :information_source: It's already done.
stopped: :information_source: It's already stopped.
failed: :information_source: It has already ended.
None: :warning: This button is out of date.\
""")


@given(
    st.sampled_from(list(RunState)),
    foreign(),
    foreign(),
    foreign(),
    foreign(),
    st.booleans(),
    st.lists(st.tuples(foreign(), foreign()), max_size=60),
)
def test_any_board(
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
    view = emails.details(MOMENTS["paused by the account"])
    check_view(view)
    assert "402" in str(view["blocks"])
    assert "402" not in emails.board(MOMENTS["paused by the account"]).text


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
