"""Rows of a file that cannot be paid: the message about them, and the file that returns them."""

from typing import Final

from bot.domain.content import Content
from bot.domain.payments.bulk_file import BadRow, Checked
from bot.domain.text import clean
from bot.presentation.blocks import text as md

PROBLEM: Final = "problem"
"""Name of the added column."""
_SHOWN_BAD: Final = 25
_NAME: Final = 120


def bad_rows(checked: Checked, *, typed: bool = False, sent: str | None = None) -> Content:
    """List the errors of each row, or of the first ones; ``sent`` links the file with all of them, or is empty."""
    bad, count = checked.bad, len({one.row for one in checked.bad})
    which = f"{count:,} of {checked.rows:,} rows need{'s' if count == 1 else ''}"
    which = "The only row needs" if checked.rows == 1 else which
    which = f"All {count:,} rows need" if count == checked.rows > 1 else which
    them, good = "it" if count == 1 else "them", len(checked.items)
    fix = f"Fix {them} here and send the form again" if typed else f"Fix {them} and upload the file again"
    lead = f":pencil2: *{which} fixing.* {fix}{f', or request the {_good(good)}' if good else ''}."
    lines = [f"• {problem_of(one)}" for one in bad[:_SHOWN_BAD]]
    if len(bad) > _SHOWN_BAD:
        lines.append(f"… and {len(bad) - _SHOWN_BAD:,} more")
    lines.append("Example: `ana@example.com,25.00,March translation`")
    if sent is not None:
        file = md.linked(sent, "as a file") if sent else "as a file"
        lines.append(f"I sent you these rows {file}, with a column *problem*.")
    return Content(text=md.fallback_text([lead, *lines]), blocks=md.paragraphs([lead, *lines]))


def good_label(count: int) -> str:
    return f"Request the {_good(count)}"


def _good(count: int) -> str:
    return f"{count:,} good row{'' if count == 1 else 's'}"


def problem_of(bad: BadRow) -> str:
    """Describe a row's error in mrkdwn."""
    return f"Row {bad.row}: {_problem(bad, md.typed(bad.given, 60), md.quote(bad.rule, 200))}"


def _problem(bad: BadRow, given: str, rule: str) -> str:
    what = "e-mail address" if bad.column == "email" else bad.column
    if not bad.given:
        return f"no {what}"
    if rule.startswith("it isn't "):
        return f"{given} {rule.removeprefix('it ')}"
    if bad.column == "note":
        return f"note: {rule}"
    return f"{what} is {given}; {rule}"


def bad_table(checked: Checked) -> tuple[list[str], list[list[str]]]:
    """Return header and unchanged rows that cannot be paid, with a column for their errors."""
    header = list(checked.header)
    kept = len(header) - 1 if header[-1:] == [PROBLEM] else len(header)  # the file may be one that we returned before
    found: dict[int, list[str]] = {}
    for one in checked.bad:
        found.setdefault(one.row, []).append(_problem(one, clean(one.given), one.rule))
    rows = [[*checked.cells[row][:kept], f"Row {row}: {'; '.join(told)}"] for row, told in found.items()]
    return [*header[:kept], PROBLEM], rows


def about_bad(checked: Checked) -> tuple[str, str]:
    """Return title and comment of that file."""
    count = md.counted(len({one.row for one in checked.bad}), "row")
    fix = f"{count} to fix in {md.quote(checked.name, _NAME)}. Fix them and upload this file."
    return f"{count} to fix", f":page_facing_up: {fix}"
