"""What people see of e-mail processing: answers about addresses, forms, the board of a list, its result file.

The service's words are shown as they came. It is called processing, not verification: what the service does with an
address is not documented.
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
    RunState,
    is_shortened,
)
from bot.domain.files.columns import ColumnSummary, likely_column
from bot.domain.files.tables import Marks
from bot.domain.reasons import OfList, has_code
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import Column, actions, button, lines_under, question, table
from bot.presentation.files.columns import MOST, column_names, column_option, mark_lines, option, select
from bot.presentation.reasons import to_set, worded
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
    ROW_BY_ROW: ("Row by row", "Each address is asked once; pause and stop at any time"),
    WHOLE_FILE: ("Whole file", "The file goes to the service in one piece"),
}
TITLE = "Process e-mails"
_TITLED_LIMIT = 60
NO_NUMBER = f"Give a whole number from 1 to {CONCURRENCY_LIMIT:,}, for example 100."
NO_FILE = "Choose a CSV or Excel file (.xlsx) with a column of addresses, for example email,name."
STARTED = ":outbox_tray: Started. Its progress stands in a message of its own, and the result follows in its thread."
ASKED_BEFORE = ":information_source: This was started already; look at its message."
PAUSE = "email.pause"
RESUME = "email.resume"
STOP = "email.stop"
_NAME_LIMIT = 80
_REASON_LIMIT = 600
_DETAIL_LIMIT = 260
_WORD_LIMIT = 40
_ADDRESS_LIMIT = 120
_WHOLE = 1 << 20
_SHORTENED = "Long answers are shortened here. A list with *Process e-mails* gives each of them whole, as a file."
_STATES: Mapping[RunState, str] = {
    RunState.PREPARING: ":hourglass_flowing_sand: The file is being read.",
    RunState.RUNNING: ":arrow_forward: Under way.",
    RunState.PAUSED: ":double_vertical_bar: Paused. What was under way is stored; press *Resume* to go on.",
    RunState.STOPPING: ":octagonal_sign: Stopping: what is under way is waited for.",
    RunState.SENDING: ":outbox_tray: The file is with the service. This may take minutes.",
    RunState.DONE: ":white_check_mark: Done.",
    RunState.STOPPED: ":octagonal_sign: Stopped. The result holds what was answered until then.",
    RunState.FAILED: ":x: Nothing was processed.",
    RunState.UNKNOWN: (
        ":grey_question: The service did not say whether it processed the file, so it was *not* sent again. "
        "Look at the service first; to send it once more, drop the file again."
    ),
}
_REFUSED = ":double_vertical_bar: Paused: the service refuses our account. That is no verdict on an address."
SINGLE_ADDRESSES = "single-address e-mail"
NOT_YOURS = "Only the person who asked for this list, or an admin, can pause, resume or stop it."


def file_form(*, channel: str) -> View:
    element = {"type": "file_input", "action_id": FILE, "filetypes": ["csv", "tsv", "txt", "xlsx"], "max_files": 1}
    hint = "CSV or Excel (.xlsx) with names in its first row, for example email,name. At most 10 MB here."
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
    read_as: str,
    marks: Marks,
    file: str,
    name: str,
    channel: str,
    thread_ts: str,
    lacking: Mapping[str, Sequence[str]],
) -> View:
    """Which column and how. ``marks``: what people do not see in it. ``lacking``: way -> variables that it lacks."""
    names = column_names(looks)
    options = []
    for at, look in enumerate(looks[:MOST]):
        percent = int(look.share * 100)
        note, value = f" ({percent}% addresses)", f"{at}|{percent}|{names[at]}"
        options.append(column_option(names[at], look, value=value, note=note))
    about = f"*{md.quote(name, _TITLED_LIMIT)}*: {_rows(rows)}, read as {md.quote(read_as, 120)}"
    how = [option(way, *said) for way, said in _WAYS.items() if way not in lacking]
    number = {
        "type": "number_input",
        "action_id": CONCURRENT,
        "is_decimal_allowed": False,
        "min_value": "1",
        "max_value": str(CONCURRENCY_LIMIT),
        "initial_value": str(CONCURRENCY),
    }
    blocks = [
        md.paragraph("\n".join([about, *mark_lines(marks)])),
        select(COLUMN, "Column with the addresses", options, initial=likely_column(looks[:MOST])),
        field(HOW, "How", {"type": "radio_buttons", "action_id": HOW, "options": how, "initial_option": how[0]}),
        *(md.section(md.plain(not_configured(way, missing))) for way, missing in lacking.items()),
    ]
    if ROW_BY_ROW not in lacking:
        hint = f"1 to {CONCURRENCY_LIMIT:,}, row by row only; {CONCURRENCY:,} if empty, as the service recommends."
        blocks.append(field(CONCURRENT, "Requests at a time", number, optional=True, hint=hint))
    metadata = {"file": file, "name": md.shorten(name, 200), "channel": channel, "thread": thread_ts}
    return form(LIST_FORM, TITLE, "Start", metadata, blocks)


def not_configured(way: str, missing: Sequence[str]) -> str:
    return f"“{_WAYS[way][0]}” cannot be chosen: {to_set(missing, code=False)}."


def hardly_addresses(look_name: str, percent: int) -> str:
    return (
        f"Only {percent}% of the cells of “{look_name}” look like e-mail addresses. "
        "Choose the column that holds them, for example email."
    )


def chosen(value: str) -> tuple[int, int, str]:
    """Place, percentage of addresses and name of a column. Raises ValueError where the value is none of ours."""
    place, percent, name = value.split("|", 2)
    return int(place), int(percent), name


def too_many(most: int, given: int, *, command: str) -> str:
    return f"at most {most} addresses at a time, these are {given}; put more into a file and type {command} file"


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
        Column(title="What the service says", most=_DETAIL_LIMIT, wraps=True),
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


def board(progress: ListProgress, *, named: bool = True) -> Content:
    """The message of a list; not ``named``: inside the one of its file, which names that."""
    how = "the whole file at once" if progress.whole else f"row by row, up to {progress.concurrency:,} at a time"
    title = f"Process e-mails: {md.shorten(clean(progress.file), _NAME_LIMIT)}" if named else "Process e-mails"
    about = f"Column “{md.quote(progress.column, _NAME_LIMIT)}”, {how}, asked by {md.mention(progress.requester)}"
    state, figures = _state_line(progress).split("\n"), list(_figures(progress))
    head = md.header(title) if named else md.paragraph(f"*{title}*")
    blocks = [head, *md.paragraphs(state), *(md.paragraph(line) for line in figures), md.context(about)]
    blocks += actions(_buttons(progress), f"email:{progress.id}")
    return Content(text=md.fallback_text([f"*{md.escape(title)}*", *state, *figures, about]), blocks=blocks)


def news(progress: ListProgress) -> Content:
    """Thread message to the requester: the list ended without a file, or was paused by a failure."""
    sign, said = _state_line(progress).split(" ", 1)
    return lines_under("", f"{sign} {md.mention(progress.requester)} {said}".split("\n"))


def _state_line(progress: ListProgress) -> str:
    said = _returned(progress) if progress.whole and progress.state is RunState.DONE else _STATES[progress.state]
    if _is_refused(progress):
        left = progress.count.total - progress.count.done
        lead = f"{_REFUSED}\n{md.quote_sentence(worded(progress.reason), _REASON_LIMIT)}"
        return f"{lead}\n*Go on* checks the {left:,} {_addresses(left)} without an answer, none twice."
    return f"{said}\n{md.quote_sentence(worded(progress.reason), _REASON_LIMIT)}" if progress.reason else said


def _is_refused(progress: ListProgress) -> bool:
    return progress.state is RunState.PAUSED and has_code(progress.reason, OfList.ACCOUNT)


def _returned(progress: ListProgress) -> str:
    first = [(name, md.shorten(clean(value), SAID_CHARACTERS)) for name, value in progress.said[:SAID_FIELDS]]
    said = "\n".join(f"{md.quote(name, _NAME_LIMIT)}: {md.escape(value)}" for name, value in first)
    if is_shortened(progress.said):
        said += "\nThis is shortened. The whole answer is in the thread, as a file."
    if progress.receipt:
        head = (
            f":receipt: The service took the file and gave the receipt `{md.quote(progress.receipt, 120)}`. It has no "
            "way to ask for its outcome; keep the receipt for the service's own site or support."
        )
        return f"{head}\n{said}" if said else head
    if progress.reason:
        return f":warning: The service gave the address of a result, and nothing could be fetched from it:\n{said}"
    if said:
        return f":white_check_mark: The service answered:\n{said}"
    return ":white_check_mark: Done. What the service gave back is in the thread."


def _figures(progress: ListProgress) -> Iterator[str]:
    count = progress.count
    if progress.whole:
        if count.rows:
            yield _rows(count.rows)
        return
    if count.total == 0 and progress.state in (RunState.PREPARING, RunState.FAILED):
        return
    yield f"`{md.bar(count.done, count.total)}` {count.done:,} of {count.total:,} {_addresses(count.total)}"
    told = [f"{count.outcomes[outcome]:,} {outcome.value}" for outcome in Outcome if count.outcomes.get(outcome)]
    if progress.state is RunState.STOPPED and count.total > count.done:
        told.append(f"{count.total - count.done:,} {Outcome.NOT_ASKED.value}")
    skipped = f", {count.skipped:,} of them without an address" if count.skipped else ""
    yield " · ".join([*told, f"{_rows(count.rows)}{skipped}"])
    if count.repeated:
        yield (
            f":arrows_counterclockwise: Switchboard was restarted meanwhile: {count.repeated:,} "
            f"{_addresses(count.repeated)} that had no stored answer yet {'was' if count.repeated == 1 else 'were'} "
            "asked again."
        )


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _addresses(count: int) -> str:
    return "address" if count == 1 else "addresses"


def _buttons(progress: ListProgress) -> list[Block]:
    if progress.whole or progress.state in OVER or progress.state is RunState.STOPPING:
        return []
    found = []
    if progress.state is RunState.RUNNING:
        found.append(button("Pause", PAUSE, progress.id))
    if progress.state is RunState.PAUSED:
        again = "Go on" if _is_refused(progress) else "Resume"
        found.append(button(again, RESUME, progress.id, style="primary"))
    # Stopping is final, so it is confirmed, with what would be lost.
    count = progress.count
    text = (
        f"{count.outcomes.get(Outcome.ANSWERED, 0):,} of {count.total:,} {_addresses(count.total)} answered when this "
        "was drawn. The others will not be asked, and a stopped list cannot go on. Pause keeps it."
    )
    sure = question("Stop this list for good?", text, yes="Stop it", no="Let it go on")
    return [*found, button("Stop", STOP, progress.id, style="danger", confirm=sure)]


def about_result(progress: ListProgress) -> tuple[str, str]:
    """Alternative text and comment of the result."""
    alt = f"Table with the rows of {clean(progress.file)} and what the service said about each address"
    who = md.mention(progress.requester)
    if progress.whole:
        return alt, f"{who}: what the service gave back for {md.quote(progress.file, _NAME_LIMIT)}"
    stopped = ". It was stopped before its end." if progress.state is RunState.STOPPED else ""
    count = progress.count
    answered = f"{count.outcomes.get(Outcome.ANSWERED, 0):,} of {count.total:,} {_addresses(count.total)} answered"
    return alt, f"{who}: {_rows(count.rows)}, {answered}{stopped}"


def refused_press(state: RunState | None) -> str:
    if state is None:
        return "This list is not known any more, so nothing was changed."
    words = {
        RunState.DONE: "is done",
        RunState.STOPPED: "was stopped",
        RunState.FAILED: "could not be used",
        RunState.PAUSED: "is paused already",
        RunState.RUNNING: "is under way already",
        RunState.STOPPING: "is being stopped already",
    }
    return f"This list {words.get(state, 'is being read')}, so nothing was changed."


def result_header(given: Sequence[str], names: Sequence[str], shared: Collection[str] = ()) -> tuple[str, ...]:
    """The columns of a result: the given ones, and ours under names that are still free; one for the ``shared``."""
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
