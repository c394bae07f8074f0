"""What people see of a list of e-mail addresses: its board, its thread, its forms, within Slack's limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.emails.lists import Answer, Outcome, RunState
from bot.domain.files.columns import ColumnSummary
from bot.domain.files.tables import Flaw, Marks, TableProblem
from bot.domain.reasons import Exchange, OfList, Reason
from bot.domain.reasons import given as own_words
from bot.presentation import emails
from bot.presentation.table_problems import table_problem
from tests.presentation.checks import calls_in, check_message, check_view, lines_of, seen
from tests.presentation.drawn import foreign
from tests.presentation.emails.moments import MOMENTS, progress

SILENCE = Reason(Exchange.NO_ANSWER, failure="timed out")


HEAD = "Process e-mails: people.csv\n"
ABOUT = {
    False: "\nColumn “email”, row by row, up to 1,000 at a time, asked by <@U0MARIA>",
    True: "\nColumn “email”, the whole file at once, asked by <@U0MARIA>",
}


def test_boards() -> None:
    """Below its headline, and without what it is about."""
    found = {}
    for name, one in MOMENTS.items():
        board = emails.board(one)
        check_message(board)
        text = seen(board)
        assert text.startswith(HEAD)
        assert ABOUT[one.whole] in text
        found[name] = text.removeprefix(HEAD).replace(ABOUT[one.whole], "")
    assert {one.state for one in MOMENTS.values()} == set(RunState)
    assert lines_of(found) == snapshot("""\
preparing: :hourglass_flowing_sand: The file is being read. ⏎ [Stop]
running: :arrow_forward: Under way. ⏎ `████████░░░░░░░░░░░░ 40 %` 4,003 of 10,000 addresses ⏎ 4,000 answered · 3 no \
answer · 12,000 rows, 7 of them without an address ⏎ [Pause] [Stop]
paused: :double_vertical_bar: Paused. What was under way is stored; press *Resume* to go on. ⏎ `████████░░░░░░░░░░░░ \
40 %` 4,003 of 10,000 addresses ⏎ 4,000 answered · 3 no answer · 12,000 rows, 7 of them without an address ⏎ [Resume] \
[Stop]
paused by a failure: :double_vertical_bar: Paused. What was under way is stored; press *Resume* to go on. ⏎ The \
service does not work at the moment: answer 500. ⏎ `████████░░░░░░░░░░░░ 40 %` 4,003 of 10,000 addresses ⏎ 4,000 \
answered · 3 no answer · 12,000 rows, 7 of them without an address ⏎ [Resume] [Stop]
paused by the account: :double_vertical_bar: Paused: the service refuses our account. That is no verdict on an \
address. ⏎ The operator of Switchboard has to mend this: email: the service wants to be paid first (402); top up the \
account. ⏎ *Go on* checks the 5,997 addresses without an answer, none twice. ⏎ `████████░░░░░░░░░░░░ 40 %` 4,003 of \
10,000 addresses ⏎ 4,000 answered · 3 no answer · 12,000 rows, 7 of them without an address ⏎ [Go on] [Stop]
stopping: :octagonal_sign: Stopping: what is under way is waited for. ⏎ `████████░░░░░░░░░░░░ 40 %` 4,003 of 10,000 \
addresses ⏎ 4,000 answered · 3 no answer · 12,000 rows, 7 of them without an address
stopped: :octagonal_sign: Stopped. The result holds what was answered until then. ⏎ `████████░░░░░░░░░░░░ 40 %` 4,003 \
of 10,000 addresses ⏎ 4,000 answered · 3 no answer · 5,997 not asked · 12,000 rows, 7 of them without an address
failed: :x: Nothing was processed. ⏎ The column “name” hardly holds e-mail addresses.
done: :white_check_mark: Done. ⏎ `████████████████████ 100 %` 1 of 1 address ⏎ 1 answered · 1 row ⏎ \
:arrows_counterclockwise: Switchboard was restarted meanwhile: 1 address that had no stored answer yet was asked again.
done after a restart: :white_check_mark: Done. ⏎ `░░░░░░░░░░░░░░░░░░░░ 0 %` 0 of 99 addresses ⏎ 99 rows ⏎ \
:arrows_counterclockwise: Switchboard was restarted meanwhile: 37 addresses that had no stored answer yet were asked \
again.
whole, sending: :outbox_tray: The file is with the service. This may take minutes. ⏎ 12,000 rows
whole, unknown: :grey_question: The service did not say whether it processed the file, so it was *not* sent again. \
Look at the service first; to send it once more, drop the file again. ⏎ Switchboard was restarted while the service \
had the file. ⏎ 12,000 rows
whole, done: :white_check_mark: Done. What the service gave back is in the thread. ⏎ 12,000 rows
whole, with a receipt: :receipt: The service took the file and gave the receipt `R-77`. It has no way to ask for its \
outcome; keep the receipt for the service's own site or support. ⏎ status: queued ⏎ 12,000 rows
whole, not fetched: :warning: The service gave the address of a result, and nothing could be fetched from it: ⏎ \
result: https://results.example.com/77 ⏎ Its result is empty. ⏎ 12,000 rows
whole, with an answer: :white_check_mark: The service answered: ⏎ valid: 9 ⏎ invalid: 1 ⏎ 12,000 rows\
""")


def test_news_are_the_state_of_the_board_and_call_who_asked() -> None:
    for one in MOMENTS.values():
        sign, said = emails.news(one).text.split(" <@U0MARIA> ")
        assert f"\n{sign} {said}" in emails.board(one).text
        assert sign.startswith(":")


def test_results() -> None:
    told = ("stopped", "done", "whole, done")
    about = {name: emails.about_result(MOMENTS[name]) for name in told}
    assert lines_of({name: comment for name, (_, comment) in about.items()}) == snapshot("""\
stopped: <@U0MARIA>: 12,000 rows, 4,000 of 10,000 addresses answered. It was stopped before its end.
done: <@U0MARIA>: 1 row, 1 of 1 address answered
whole, done: <@U0MARIA>: what the service gave back for people.csv""")
    assert {alt for alt, _ in about.values()} == {
        "Table with the rows of people.csv and what the service said about each address"
    }


def test_answers_about_a_few_addresses() -> None:
    answers = [
        ("ana@example.com", Answer(outcome=Outcome.ANSWERED, result="valid", pairs=(("score", "9"), ("mx", "")))),
        ("ben@example.com", Answer(outcome=Outcome.ANSWERED, text="fine <here>")),
        ("eli@example.com", Answer(outcome=Outcome.ANSWERED, result="risky", pairs=(("status", "risky"),))),
        ("kim@example.com", Answer(outcome=Outcome.ANSWERED, result="no", pairs=(("ok", "no"), ("mx", "no")))),
        ("lea@example.com", Answer(outcome=Outcome.ANSWERED, result="valid", text="valid")),
        ("max@example.com", Answer(outcome=Outcome.ANSWERED, pairs=(("email", "max@example.com"), ("mx", "yes")))),
        ("nobody", Answer(outcome=Outcome.NO_ADDRESS)),
        ("eve@example.com", Answer(outcome=Outcome.NO_ANSWER, why=Reason(OfList.TRY_AGAIN, why=SILENCE))),
    ]
    content = emails.checked(answers)
    assert f"{seen(content)}\n{content.text}" == snapshot("""\
Address | Result | What the service says
ana@example.com | valid | score: 9
ben@example.com | answered | fine <here>
eli@example.com | risky | –
kim@example.com | no | mx: no
lea@example.com | valid | –
max@example.com | answered | mx: yes
nobody | no address | –
eve@example.com | no answer | no answer (timed out); try again in a minute
ana@example.com: *valid* score: 9
ben@example.com: *answered* fine &lt;here&gt;
eli@example.com: *risky*
kim@example.com: *no* mx: no
lea@example.com: *valid*
max@example.com: *answered* mx: yes
nobody: *no address*
eve@example.com: *no answer* no answer (timed out); try again in a minute""")


ROW_BY_ROW = [state for state in RunState if state not in (RunState.SENDING, RunState.UNKNOWN)]


def test_presses_that_come_too_late() -> None:
    assert lines_of({state: emails.refused_press(state) for state in (*ROW_BY_ROW, None)}) == snapshot("""\
preparing: This list is being read, so nothing was changed.
running: This list is under way already, so nothing was changed.
paused: This list is paused already, so nothing was changed.
stopping: This list is being stopped already, so nothing was changed.
done: This list is done, so nothing was changed.
stopped: This list was stopped, so nothing was changed.
failed: This list could not be used, so nothing was changed.
None: This list is not known any more, so nothing was changed.""")


def test_stopping_a_list_is_confirmed_with_what_would_be_lost() -> None:
    (actions,) = (block for block in emails.board(MOMENTS["running"]).blocks if block["type"] == "actions")
    confirmed = {one["text"]["text"]: one["confirm"]["text"]["text"] for one in actions["elements"] if "confirm" in one}
    assert lines_of(confirmed) == snapshot("""\
Stop: 4,000 of 10,000 addresses answered when this was drawn. The others will not be asked, and a stopped list cannot \
go on. Pause keeps it.""")


def test_addresses_and_what_is_said_of_them_may_take_several_lines() -> None:
    (drawn,) = emails.checked([("ana@example.com", Answer(outcome=Outcome.ANSWERED, result="valid"))]).blocks
    assert drawn["column_settings"] == [{"align": "left", "is_wrapped": True}] * 3


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
        looks, rows=10, read_as="UTF-8 with commas",
        marks=Marks(hidden_columns=tuple(column for column, _ in columns[:20])), file="F0", name=name, channel="C0",
        thread_ts="1.0", lacking=lacking,
    )  # fmt: skip
    check_view(view)
    options = next(block["element"]["options"] for block in view["blocks"] if block.get("block_id") == "column")
    for at, option in enumerate(options):
        assert emails.chosen(option["value"])[0] == at


def test_the_form_for_a_file_and_the_notices() -> None:
    check_view(emails.file_form(channel="C0"))
    check_view(emails.reading("<!channel>.csv"))
    check_view(emails.unusable("x" * 5_000))


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
    assert said.endswith((".", "Ana."))
    assert len(said) < 2_900
    assert any(word in said for word in ("for example", "drop", "Rename", "Keep", "Split", "Add"))
