"""The form of a file that is to be paid: the sum, what is wrong with it, and which column is which."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from bot.domain.content import Block
from bot.domain.money import shown
from bot.domain.payments.bulk import duplicates_in, people_in
from bot.domain.payments.bulk_file import COLUMNS, REQUIRED, Carried, Checked, Preview
from bot.presentation.blocks.text import context, mrkdwn, quote, section
from bot.presentation.files.column_choice import MOST, column_names, column_option, option, select
from bot.presentation.files.mark_words import mark_lines
from bot.presentation.payments import bulk_words
from bot.presentation.payments.forms import BULK_TITLE
from bot.presentation.views import View, form

CONFIRM: Final = "bulk.file"

CHANGED: Final = ":warning: *The file has changed since it was shown.* Nothing was asked for. This is how it reads now."
CHOSEN: Final = ":arrows_counterclockwise: Read again with the columns that you chose. Nothing was asked for yet."
SAME_COLUMN: Final = "Choose another column than for the e-mail address, for example amount."
NEITHER: Final = "Give a file or rows, for example: ana@example.com, 25.00, March translation"
NOT_BOTH: Final = "Give a file or rows, not both."
NO_COLUMN: Final = "Choose a column, for example amount."

_LABELS: Final = {
    "email": "Column with the e-mail addresses",
    "amount": "Column with the amounts",
    "note": "Column with the notes",
}
_CHOOSE: Final = (
    ":mag: *Which column is which?* The names in the first row do not say it. Choose; the sum is shown before anything "
    "is asked for."
)
_SAFE: Final = "Nothing is paid before people approve it. If you choose another column, the new sum is shown first."
_OTHERWISE: Final = "Is a column wrong? Choose another one and go on."
_NONE: Final = "none"
_NAME: Final = 120


def file_form(seen: Preview, carried: Carried, *, note: str = "", problem: Sequence[Block] = ()) -> View:
    """The file as it reads, ready to be asked for where nothing speaks against it.

    Args:
        seen: the file.
        carried: what the form is about.
        note: why it is shown again, in mrkdwn.
        problem: what keeps it from being asked for.
    """
    counted = seen.checked is not None and not problem
    blocks: list[Block] = [section(mrkdwn(note))] if note else []
    if counted and seen.checked is not None:
        blocks += _sum(seen, seen.checked)
    elif problem:
        blocks += problem
    else:
        blocks.append(section(mrkdwn(_CHOOSE)))
    blocks += [_select(name, seen) for name in COLUMNS]
    if counted or problem:
        blocks.append(context(_SAFE if counted else _OTHERWISE))
    held = replace(carried, seen=seen.fingerprint, places=dict(seen.places), counted=counted)
    return form(CONFIRM, BULK_TITLE, "Ask for approval" if counted else "Go on", held.dump(), blocks)


def chosen(values: Mapping[str, str]) -> dict[str, int]:
    """Our column -> its place, as it was chosen. A value that is none of ours is no choice."""
    return {name: int(values[name]) for name in COLUMNS if values.get(name, "").isdecimal()}


def errors(places: Mapping[str, int]) -> dict[str, str]:
    """What is wrong with a choice, by field."""
    missing = {name: NO_COLUMN for name in REQUIRED if name not in places}
    taken = [place for name, place in places.items() if name in REQUIRED]
    return missing or ({"amount": SAME_COLUMN} if len(set(taken)) < len(taken) else {})


def _sum(seen: Preview, checked: Checked) -> list[Block]:
    """The sum first, then how many and to how many, then what is doubtful."""
    items = checked.items
    cents = sum(item.cents for item in items)
    lines = [f"*{shown(cents)}* in {bulk_words.payments_to(len(items), people_in(items))}"]
    repeated = duplicates_in(items)
    if repeated:
        lines.append(f":warning: *Duplicates*: {bulk_words.repeated(repeated, len(repeated))}; one more approver")
    lines += mark_lines(checked.marks)
    file = f"{quote(seen.name, _NAME)}, read as {quote(seen.how, _NAME)}"
    return [section(mrkdwn("\n".join(lines))), context(file)]


def _select(name: str, seen: Preview) -> Block:
    looks = seen.looks[: MOST - 1]
    names = column_names(looks)
    options = [column_option(names[at], look, value=str(at)) for at, look in enumerate(looks)]
    place = seen.places.get(name)
    if name not in REQUIRED:
        options.append(option(_NONE, "No note", "Payments without a note"))
        place = len(options) - 1 if place is None else place
    return select(name, _LABELS[name], options, initial=place, of=f".{seen.fingerprint[:8]}")
