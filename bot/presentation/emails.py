"""E-mail processing for people: answers about addresses, forms, the status card of a list, and its result file.

The service's words are shown unchanged. It is called processing, not verification, because the service doesn't
document how it handles addresses.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.domain.content import Block, Content
from bot.domain.emails.lists import (
    CONCURRENCY,
    CONCURRENCY_LIMIT,
    OVER,
    SAID_CHARACTERS,
    SAID_FIELDS,
    Answer,
    ListProgress,
    Outcome,
    RunCount,
    RunState,
    is_shortened,
)
from bot.domain.files.columns import ColumnSummary, likely_column
from bot.domain.files.tables import Marks
from bot.domain.reasons import Failed, OfList, Reason, has_code
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import Column, actions, button, lines_under, question, table
from bot.presentation.files.columns import MOST, column_names, column_option, mark_lines, option, select
from bot.presentation.reasons import status_in, to_set, worded
from bot.presentation.views import View, field, form, notice, result

FILE_FORM = "email.file"
LIST_FORM = "email.list"
FILE = "file"
COLUMN = "column"
HOW = "how"
CONCURRENT = "concurrent"
WHOLE_FILE = "whole"
ROW_BY_ROW = "rows"
_WAYS = {
    ROW_BY_ROW: ("Row by row", "Check each address; can be paused"),
    WHOLE_FILE: ("Whole file", "Send the file in one piece"),
}
TITLE = "Process e-mails"
_TITLED_LIMIT = 60
NO_NUMBER = f"Enter a whole number from 1 to {CONCURRENCY_LIMIT:,}."
NO_FILE = "Choose a CSV or Excel file (.xlsx) with a column of addresses."
NOT_A_MEMBER = (
    ":hourglass_flowing_sand: Started. I'm not in this channel, so I'll message you. To add me: `/invite @Switchboard`"
)
PAUSE = "email.pause"
RESUME = "email.resume"
STOP = "email.stop"
DETAILS = "email.details"
OUT_OF_DATE = ":warning: This button is out of date."
_NAME_LIMIT = 80
_REASON_LIMIT = 600
_DETAIL_LIMIT = 260
_WORD_LIMIT = 40
_ADDRESS_LIMIT = 120
_WHOLE = 1 << 20
_WHOLE_REASON = 2_500
_NOBODY: Mapping[str, str] = {}
_SURE = "Addresses not yet checked will be skipped. To continue later, use Pause."
_SHORTENED = "Long answers are shortened. *Process e-mails* on a file gives them in full."
_STATES: Mapping[RunState, str] = {
    RunState.PREPARING: ":hourglass_flowing_sand: Reading the file…",
    RunState.RUNNING: ":arrow_forward: In progress",
    RunState.PAUSED: ":double_vertical_bar: Paused.",
    RunState.STOPPING: ":octagonal_sign: Stopping…",
    RunState.SENDING: ":hourglass_flowing_sand: In progress. This can take a few minutes.",
    RunState.DONE: ":white_check_mark: Done. File in thread.",
    RunState.STOPPED: ":octagonal_sign: Stopped. Results so far are in the thread.",
    RunState.FAILED: ":x: Failed. Nothing was checked.",
    RunState.UNKNOWN: (
        ":grey_question: Not confirmed. I got no clear answer, so I didn't send the file again. Check the provider's "
        "dashboard first; to send it again, drop the file again."
    ),
}
_REFUSED = ":double_vertical_bar: Paused. There's a problem with our e-mail check account. An admin has to fix it."
SINGLE_ADDRESSES = "single-address e-mail"
NOT_YOURS = "Only the person who requested this, or an admin, can do that."


def file_form(*, channel: str) -> View:
    element = {"type": "file_input", "action_id": FILE, "filetypes": ["csv", "tsv", "txt", "xlsx"], "max_files": 1}
    hint = "CSV or Excel (.xlsx), column names in the first row. Up to 10 MB."
    block = field(FILE, "List of addresses", element, hint=hint)
    return form(FILE_FORM, TITLE, "Go on", {"channel": channel}, [block])


def reading(file: str) -> View:
    return notice(TITLE, f":hourglass_flowing_sand: Reading {md.quote(file, _TITLED_LIMIT)}…")


def unusable(words: str) -> View:
    return result(TITLE, [md.section(md.plain(md.shorten(words, md.SECTION_LIMIT)))])


def list_form(
    looks: Sequence[ColumnSummary],
    *,
    rows: int,
    marks: Marks,
    file: str,
    name: str,
    channel: str,
    thread_ts: str,
    lacking: Mapping[str, Sequence[str]],
    read_as: str = "",
    before: Mapping[str, str] = _NOBODY,
) -> View:
    """Build the form for column and mode. ``marks`` is hidden content; ``lacking`` has the missing variables per mode.

    ``read_as`` describes unusual parsing. ``before`` has the last mode and column chosen in this channel.
    """
    names = column_names(looks)
    options = []
    for at, look in enumerate(looks[:MOST]):
        percent = int(look.share * 100)
        note, value = f" ({percent}% addresses)", f"{at}|{percent}|{names[at]}"
        options.append(column_option(names[at], look, value=value, note=note))
    about = " · ".join(filter(None, (f"*{md.quote(name, _TITLED_LIMIT)}*", _rows(rows), md.quote(read_as))))
    again = [at for at, look in enumerate(looks[:MOST]) if names[at] == before.get(COLUMN) and look.is_usable]
    how = [option(way, *said) for way, said in _WAYS.items() if way not in lacking]
    begun = next((one for one in how if one["value"] == before.get(HOW)), how[0])
    number = {
        "type": "number_input",
        "action_id": CONCURRENT,
        "is_decimal_allowed": False,
        "min_value": "1",
        "max_value": str(CONCURRENCY_LIMIT),
        "initial_value": str(CONCURRENCY),
    }
    blocks = [
        md.paragraph("\n".join([about, *mark_lines(marks, used="will be checked")])),
        select(
            COLUMN, "Column with the addresses", options, initial=again[0] if again else likely_column(looks[:MOST])
        ),
        field(HOW, "How", {"type": "radio_buttons", "action_id": HOW, "options": how, "initial_option": begun}),
        *(md.section(md.plain(not_configured(way, missing))) for way, missing in lacking.items()),
    ]
    if ROW_BY_ROW not in lacking:
        hint = f"Addresses at a time, 1 to {CONCURRENCY_LIMIT:,}. Row by row only."
        blocks.append(field(CONCURRENT, "Speed (advanced)", number, optional=True, hint=hint))
    metadata = {"file": file, "name": md.shorten(name, 200), "channel": channel, "thread": thread_ts}
    return form(LIST_FORM, TITLE, "Start", metadata, blocks)


def not_configured(way: str, missing: Sequence[str]) -> str:
    return f"“{_WAYS[way][0]}” isn't set up: {to_set(missing, code=False)}."


def hardly_addresses(look_name: str, percent: int) -> str:
    return f"Only {percent}% of “{look_name}” looks like e-mail addresses. Choose another column."


def chosen(value: str) -> tuple[int, int, str]:
    """Parse a column's index, percentage of addresses and name. Raises ValueError for a value that isn't ours."""
    place, percent, name = value.split("|", 2)
    return int(place), int(percent), name


def too_many(most: int, given: int, *, command: str) -> str:
    return f"you can check {most} addresses at a time (you sent {given}); for more, use {command} file"


def checked(answers: Sequence[tuple[str, Answer]]) -> Content:
    rows = []
    for address, answer in answers:
        result = answer.result if answer.outcome is Outcome.ANSWERED else ""
        pairs = [pair for pair in answer.pairs if pair[1] and pair[1] != address]
        said = next((pair for pair in pairs if pair[1] == answer.result), None)
        text = "" if answer.text == answer.result != "" else _text(answer)
        detail = "; ".join(f"{name}: {value}" for name, value in pairs if (name, value) != said) or text
        rows.append((address, result or answer.outcome.value, detail))
    columns = (
        Column(title="Address", most=_ADDRESS_LIMIT, wraps=True),
        Column(title="Result", most=_WORD_LIMIT, wraps=True),
        Column(title="Details", most=_DETAIL_LIMIT, wraps=True),
    )
    lines = [
        f"{md.quote(address, _ADDRESS_LIMIT)}: *{md.quote(word, 60)}* {md.quote(said, _DETAIL_LIMIT)}".rstrip()
        for address, word, said in rows
    ]
    plainer: list[Block] = [md.paragraph(md.shorten(line, 2_900)) for line in lines[:40]]
    is_cut = any(len(word) > _WORD_LIMIT or len(md.quote(detail, _WHOLE)) > _DETAIL_LIMIT for _, word, detail in rows)
    notes: list[Block] = [md.context(_SHORTENED)] if is_cut else []
    text = md.fallback_text([*lines, _SHORTENED] if is_cut else lines)
    return Content(text=text, blocks=[table(columns, rows), *notes], plainer=[*plainer, *notes])


def board(progress: ListProgress, names: Mapping[str, str] = _NOBODY, *, named: bool = True) -> Content:
    """Build the status card of a list, with ``names`` of people, who are not notified.

    Without ``named``, it is part of its file's message, which already shows the file's name.
    """
    how = "whole file" if progress.whole else "row by row"
    title = f"Process e-mails: {md.shorten(clean(progress.file), _NAME_LIMIT)}" if named else "Process e-mails"
    who = md.named(progress.requester, names)
    about = f"Column “{md.quote(progress.column, _NAME_LIMIT)}” · {how} · Requested by {who}"
    state, figures = _state_line(progress).split("\n"), list(_figures(progress))
    head = md.header(title) if named else md.paragraph(f"*{title}*")
    blocks = [head, *md.paragraphs(state), *(md.paragraph(line) for line in figures), md.context(about)]
    blocks += actions(_buttons(progress), f"email:{progress.id}")
    return Content(text=md.fallback_text([f"*{md.escape(title)}*", *state, *figures, about]), blocks=blocks)


def news(progress: ListProgress) -> Content:
    """Build the thread message to the requester about a list that ended without a file, or was paused by a failure."""
    sign, said = _state_line(progress).split(" ", 1)
    return lines_under("", f"{sign} {md.mention(progress.requester)} {said}".split("\n"))


def details(progress: ListProgress) -> View:
    """Build the modal with the service's answer."""
    reason = md.quote_sentence(worded(progress.reason), _WHOLE_REASON) or "Nothing more is known."
    found = [("Problem", reason), ("HTTP status", status_in(progress.reason)), ("ID", f"`{md.escape(progress.id)}`")]
    return result("Details", [md.paragraph(f"*{label}*\n{said}") for label, said in found if said])


def _state_line(progress: ListProgress) -> str:
    said = _returned(progress) if progress.whole and progress.state is RunState.DONE else _STATES[progress.state]
    if _is_refused(progress):
        left = progress.count.total - progress.count.done
        return f"{_REFUSED}\n*Go on* checks the {left:,} {_addresses(left)} left, none twice."
    if progress.reason is None or progress.state is RunState.DONE:
        return said
    if progress.state is RunState.UNKNOWN:
        words = md.quote(progress.reason.words)
        return f"{said} The provider answered: “{words}”." if words else said
    return f"{said}\n{_in_short(progress.reason)}"


def _in_short(reason: Reason) -> str:
    """Return a reason in mrkdwn without details for admins."""
    if has_code(reason, OfList.NOT_WORKING, OfList.ASKED_TO_WAIT):
        return "The e-mail check isn't working right now. Resume in a few minutes."
    if has_code(reason, OfList.GIVEN_UP):
        return "The e-mail check didn't take the file. Try again later."
    if has_code(reason, OfList.RESULT_NOT_FETCHED, OfList.EMPTY_RESULT):
        return "The result couldn't be fetched."
    if has_code(reason, Failed.OPERATOR):
        return "There's a problem with our e-mail check account. An admin has to fix it."
    return md.quote_sentence(worded(reason, brief=True), _REASON_LIMIT)


def _is_refused(progress: ListProgress) -> bool:
    return progress.state is RunState.PAUSED and has_code(progress.reason, OfList.ACCOUNT)


def _returned(progress: ListProgress) -> str:
    first = [(name, md.shorten(clean(value), SAID_CHARACTERS)) for name, value in progress.said[:SAID_FIELDS]]
    said = "\n".join(f"{md.quote(name, _NAME_LIMIT)}: {md.escape(value)}" for name, value in first)
    if is_shortened(progress.said):
        said += "\nThis is shortened; the whole answer is in the thread."
    if progress.receipt:
        head = (
            f":receipt: Sent, receipt `{md.quote(progress.receipt, 120)}`. The result doesn't come here: ask the "
            "provider for it with this receipt."
        )
        return f"{head}\n{said}" if said else head
    if progress.reason:
        return f":warning: Done, but the result couldn't be fetched:\n{said}"
    if said:
        return f":white_check_mark: Done. The answer:\n{said}"
    return _STATES[RunState.DONE]


def _figures(progress: ListProgress) -> Iterator[str]:
    count = progress.count
    if progress.whole:
        if count.rows:
            yield _rows(count.rows)
        return
    if count.total == 0 and progress.state in (RunState.PREPARING, RunState.FAILED):
        return
    yield f"`{md.bar(count.done, count.total)}` {count.done:,} of {count.total:,} {_addresses(count.total)} checked"
    told = [f"{count.outcomes[outcome]:,} {outcome.value}" for outcome in Outcome if count.outcomes.get(outcome)]
    if progress.state is RunState.STOPPED and count.total > count.done:
        told.append(f"{count.total - count.done:,} {Outcome.NOT_ASKED.value}")
    yield " · ".join([*told, _of_rows(count)])
    if count.repeated:
        again = f"{count.repeated:,} {_addresses(count.repeated)}"
        yield f":arrows_counterclockwise: A restart made me check {again} again."


def _of_rows(count: RunCount) -> str:
    """Format as ``500 rows, 20 repeated, 3 without an address``."""
    repeated = count.rows - count.skipped - count.total
    said = [f"{repeated:,} repeated"] if repeated > 0 else []
    said += [f"{count.skipped:,} without an address"] if count.skipped else []
    return ", ".join([_rows(count.rows), *said])


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _addresses(count: int) -> str:
    return "address" if count == 1 else "addresses"


def _buttons(progress: ListProgress) -> list[Block]:
    known = progress.reason is not None
    details = [button("Details", DETAILS, progress.id)] if known else []
    if progress.whole or progress.state in OVER or progress.state is RunState.STOPPING:
        return details
    found = []
    if progress.state is RunState.RUNNING:
        found.append(button("Pause", PAUSE, progress.id))
    if progress.state is RunState.PAUSED:
        again = "Go on" if _is_refused(progress) else "Resume"
        asked = question(f"{again}?", "The check continues.", yes=again, no="Keep it paused")  # replaces Pause
        found.append(button(again, RESUME, progress.id, style="primary", confirm=asked))
    sure = question("Stop for good?", _SURE, yes="Stop", no="Keep going")  # it can't be resumed
    return [*found, button("Stop", STOP, progress.id, style="danger", confirm=sure), *details]


def about_result(progress: ListProgress) -> tuple[str, str]:
    """Return alternative text and comment of the result."""
    who = md.mention(progress.requester)
    if progress.whole:
        return f"Results for {clean(progress.file)}", f"{who} Results for {md.quote(progress.file, _NAME_LIMIT)}"
    count = progress.count
    answered = count.outcomes.get(Outcome.ANSWERED, 0)
    of = "" if answered == count.total else f" of {count.total:,}"
    stopped = "Stopped early: " if progress.state is RunState.STOPPED else ""
    checked = f"{stopped}{answered:,}{of} {_addresses(count.total)} checked ({_of_rows(count)})"
    return f"Table with the rows of {clean(progress.file)} and a result for each address", f"{who} {checked}"


def refused_press(state: RunState | None) -> str:
    if state is None:
        return OUT_OF_DATE
    words = {
        RunState.DONE: "It's already done.",
        RunState.STOPPED: "It's already stopped.",
        RunState.FAILED: "It has already ended.",
        RunState.PAUSED: "It's already paused.",
        RunState.RUNNING: "It's already in progress.",
        RunState.STOPPING: "It's already stopping.",
    }
    return f":information_source: {words.get(state, 'Still reading the file.')}"


def result_header(given: Sequence[str], names: Sequence[str], shared: Collection[str] = ()) -> tuple[str, ...]:
    """Return the columns of a result: those given, ours under unused names, and one for the ``shared`` fields."""
    taken = {name.casefold() for name in given}
    ours = []
    more = [f"{len(shared):,} other fields"] if shared else []
    for name in ("processing", "result", *(f"answer: {name}" for name in (*names, *more)), "answer"):
        free, number = name, 2
        while free.casefold() in taken:
            free, number = f"{name} ({number})", number + 1
        taken.add(free.casefold())
        ours.append(free)
    return (*given, *ours)


def result_cells(answer: Answer, names: Sequence[str], shared: Collection[str] = ()) -> tuple[str, ...]:
    said = dict(answer.pairs)
    more = ["; ".join(f"{name}: {value}" for name, value in answer.pairs if name in shared)] if shared else []
    return (answer.outcome.value, answer.result, *(said.get(name, "") for name in names), *more, _text(answer))


def _text(answer: Answer) -> str:
    return answer.text or worded(answer.why)
