"""Forms for lists of addresses: which file, which column, how."""

from collections.abc import Mapping, Sequence

from bot.domain.emails.lists import CONCURRENCY, CONCURRENCY_LIMIT
from bot.domain.files.columns import ColumnSummary, likely_column
from bot.domain.files.tables import Marks
from bot.presentation.blocks.text import SECTION_LIMIT, paragraph, plain, quote, section, shorten
from bot.presentation.files.columns import MOST, column_names, column_option, mark_lines, option, select
from bot.presentation.reasons import to_set
from bot.presentation.views import View, field, form, notice, result

FILE_FORM = "email.file"
LIST_FORM = "email.list"
FILE = "file"
COLUMN = "column"
HOW = "how"
CONCURRENT = "concurrent"
WHOLE_FILE = "whole"
ROW_BY_ROW = "rows"
_WAYS = {ROW_BY_ROW: "Row by row", WHOLE_FILE: "Whole file"}
TITLE = "Process e-mails"
_NAME_LIMIT = 60
_PERCENT = 100
NO_NUMBER = f"Give a whole number from 1 to {CONCURRENCY_LIMIT:,}, for example {CONCURRENCY}."
NO_FILE = "Choose a CSV or Excel file (.xlsx) with a column of addresses, for example email,name."
STARTED = ":outbox_tray: Started. Its progress stands in a message of its own, and the result follows in its thread."
ASKED_BEFORE = ":information_source: This was started already; look at its message."


def file_form(*, channel: str) -> View:
    element = {"type": "file_input", "action_id": FILE, "filetypes": ["csv", "tsv", "txt", "xlsx"], "max_files": 1}
    hint = "CSV or Excel (.xlsx) with names in its first row, for example email,name. At most 10 MB here."
    block = field(FILE, "List of addresses", element, hint=hint)
    return form(FILE_FORM, TITLE, "Go on", {"channel": channel}, [block])


def reading(file: str) -> View:
    return notice(TITLE, f":hourglass_flowing_sand: Reading {quote(file, _NAME_LIMIT)}…")


def unusable(words: str) -> View:
    return result(TITLE, [section(plain(shorten(words, SECTION_LIMIT)))])


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
        percent = int(look.share * _PERCENT)
        note, value = f" ({percent}% addresses)", f"{at}|{percent}|{names[at]}"
        options.append(column_option(names[at], look, value=value, note=note))
    about = f"*{quote(name, _NAME_LIMIT)}*: {rows:,} {'row' if rows == 1 else 'rows'}, read as {quote(read_as, 120)}"
    ways = {
        ROW_BY_ROW: "Each address is asked once; pause and stop at any time",
        WHOLE_FILE: "The file goes to the service in one piece",
    }
    how = [option(way, _WAYS[way], said) for way, said in ways.items() if way not in lacking]
    number = {
        "type": "number_input",
        "action_id": CONCURRENT,
        "is_decimal_allowed": False,
        "min_value": "1",
        "max_value": str(CONCURRENCY_LIMIT),
        "initial_value": str(CONCURRENCY),
    }
    blocks = [
        paragraph("\n".join([about, *mark_lines(marks)])),
        select(COLUMN, "Column with the addresses", options, initial=likely_column(looks[:MOST])),
        field(HOW, "How", {"type": "radio_buttons", "action_id": HOW, "options": how, "initial_option": how[0]}),
        *(section(plain(not_configured(way, missing))) for way, missing in lacking.items()),
    ]
    if ROW_BY_ROW not in lacking:
        hint = f"1 to {CONCURRENCY_LIMIT:,}, row by row only; {CONCURRENCY} if empty."
        blocks.append(field(CONCURRENT, "Requests at a time", number, optional=True, hint=hint))
    metadata = {"file": file, "name": shorten(name, 200), "channel": channel, "thread": thread_ts}
    return form(LIST_FORM, TITLE, "Start", metadata, blocks)


def not_configured(way: str, missing: Sequence[str]) -> str:
    return f"“{_WAYS[way]}” cannot be chosen: {to_set(missing, code=False)}."


def hardly_addresses(look_name: str, percent: int) -> str:
    return (
        f"Only {percent}% of the cells of “{look_name}” look like e-mail addresses. "
        "Choose the column that holds them, for example email."
    )


def chosen(value: str) -> tuple[int, int, str]:
    """Place, percentage of addresses and name of a column. Raises ValueError where the value is none of ours."""
    place, percent, name = value.split("|", 2)
    return int(place), int(percent), name
