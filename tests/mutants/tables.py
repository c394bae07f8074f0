"""Tables that are paid: what a workbook hides, computes or disguises."""

from tests.mutants.mutant import Mutant

_HIDDEN = ("tests/tables/test_hidden.py",)
_BROKEN = ("tests/tables/test_broken_files.py", "-k", "answered_with_its_sentence and twice")
_MARKUP = ("tests/tables/test_markup.py",)
_FLOW = ("tests/flow/test_hidden_cells.py",)
_CARD = (*_FLOW, "-k", "on_the_card and sqlite")

MUTANTS = (
    Mutant(
        name="of a cell that is given twice the last one counts",
        file="bot/tables/sheet.py",
        old="        if column <= self._column:",
        new="        if column < self._column:",
        breaks="a cell given twice is refused",
        tests=_BROKEN,
    ),
    Mutant(
        name="of a row that is given twice both are paid",
        file="bot/tables/sheet.py",
        old="        if number <= self._number:",
        new="        if number < self._number:",
        breaks="a row given twice is refused",
        tests=_BROKEN,
    ),
    Mutant(
        name="of a part that is given twice the last one counts",
        file="bot/tables/workbook.py",
        old="        if key in seen:",
        new="        if name in seen:",
        breaks="a part given twice, in whatever spelling, is refused",
        tests=_BROKEN,
    ),
    Mutant(
        name="of two tables on a sheet both are paid",
        file="bot/tables/sheet.py",
        old="            if self._begun:",
        new="            if not name:",
        breaks="a second table on a sheet is refused",
        tests=_BROKEN,
    ),
    Mutant(
        name="a row that a spreadsheet ignores is left out without a word",
        file="bot/tables/workbook.py",
        old="        if within.name in self._dialect.places.get(local, ()):",
        new="        if not within.name:",
        breaks="an element of another namespace that would be read is refused",
        tests=_MARKUP,
    ),
    Mutant(
        name="a row inside of what a spreadsheet ignores is left out without a word",
        file="bot/tables/workbook.py",
        old="        if name in self._read or within.name in _TEXTS:",
        new="        if within.name in _TEXTS:",
        breaks="a row that only some programs read is refused",
        tests=_MARKUP,
    ),
    Mutant(
        name="a sheet of any namespace is read",
        file="bot/tables/workbook.py",
        old="        if namespace not in self._dialect.namespaces or name != self._dialect.root:",
        new="        if name != self._dialect.root:",
        breaks="a sheet in a namespace that no spreadsheet knows is refused",
        tests=_MARKUP,
    ),
    Mutant(
        name="an id in any namespace names the part of a sheet",
        file="bot/tables/workbook.py",
        old="            named = [attributes[key] for key in _IDS if key in attributes]",
        new='            named = [value for key, value in attributes.items() if key.rpartition(" ")[2] == "id"]',
        breaks="the sheet that is read is the one that a spreadsheet shows",
        tests=_MARKUP,
    ),
    Mutant(
        name="a row of no height is seen",
        file="bot/tables/sheet.py",
        old="        self._hidden_row = low or _is_true",
        new="        self._hidden_row = _is_true",
        breaks="rows that nobody sees are said",
        tests=_HIDDEN,
    ),
    Mutant(
        name="cells that an array formula fills are plain values",
        file="bot/tables/sheet.py",
        old="        if formula or any(first <= column <= last for first, last, _ in self._ranges):",
        new="        if formula:",
        breaks="results of formulas are said",
        tests=_HIDDEN,
    ),
    Mutant(
        name="a fixed text in a number format shows the number",
        file="bot/tables/formats.py",
        old="    if _has_digits(_literals(section)) or _POINT.search(section):",
        new="    if not section:",
        breaks="a cell that shows something else than it holds is seen",
        tests=_HIDDEN,
    ),
    Mutant(
        name="an amount that is shown as another is paid",
        file="bot/workflows/payments/bulk_request.py",
        old="        bad=sorted([*bad, *disguised], key=lambda one: one.row),",
        new="        bad=sorted(bad, key=lambda one: one.row),",
        breaks="an amount that is shown as another is refused",
        tests=(*_FLOW, "-k", "shown_as_another and sqlite"),
    ),
    Mutant(
        name="approvers are not told of hidden rows",
        file="bot/workflows/payments/bulk_request.py",
        old="        marks=checked.marks,\n",
        new="",
        breaks="what is hidden stands on the approvers' card",
        tests=_CARD,
    ),
    Mutant(
        name="of two notes with one name none is asked about",
        file="bot/workflows/payments/bulk_request.py",
        old=" and not asked",
        new="",
        breaks="columns with one name are asked about",
        tests=(*_FLOW, "-k", "named_twice and note and sqlite"),
    ),
)
