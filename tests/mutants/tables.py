"""Tables that are paid: what a workbook hides, computes or disguises."""

from tests.mutants.mutant import mutants

MUTANTS = mutants("""
@ bot/tables/sheet.py tests/tables/test_broken_files.py -k 'answered_with_its_sentence and twice'
of a cell that is given twice the last one counts | a cell given twice is refused
-        if column <= self._column:
+        if column < self._column:
of a row that is given twice both are paid | a row given twice is refused
-        if number <= self._number:
+        if number < self._number:
of two tables on a sheet both are paid | a second table on a sheet is refused
-            if self._begun:
+            if not name:
@ bot/tables/sheet.py tests/tables/test_hidden.py
a row of no height is seen | rows that nobody sees are said
-        self._hidden_row = low or _is_true
+        self._hidden_row = _is_true
cells that an array formula fills are plain values | results of formulas are said
-        if formula or any(first <= column <= last for first, last, _ in self._ranges):
+        if formula:
@ bot/tables/workbook.py tests/tables/test_broken_files.py -k 'answered_with_its_sentence and twice'
of a part that is given twice the last one counts | a part given twice, in whatever spelling, is refused
-        if key in seen:
+        if name in seen:
@ bot/tables/workbook.py tests/tables/test_markup.py
a row that a spreadsheet ignores is left out without a word |
an element of another namespace that would be read is refused
-        if within.name in self._dialect.places.get(local, ()):
+        if not within.name:
a row inside of what a spreadsheet ignores is left out without a word | a row that only some programs read is refused
-        if name in self._read or within.name in _TEXTS:
+        if within.name in _TEXTS:
a sheet of any namespace is read | a sheet in a namespace that no spreadsheet knows is refused
-        if namespace not in self._dialect.namespaces or name != self._dialect.root:
+        if name != self._dialect.root:
an id in any namespace names the part of a sheet | the sheet that is read is the one that a spreadsheet shows
-            named = [attributes[key] for key in _IDS if key in attributes]
+            named = [value for key, value in attributes.items() if key.rpartition(" ")[2] == "id"]
@ bot/tables/formats.py tests/tables/test_hidden.py
a fixed text in a number format shows the number | a cell that shows something else than it holds is seen
-    if _has_digits(_literals(section)) or _POINT.search(section):
+    if not section:
@ bot/tables/formats.py tests/tables/test_formats.py
half cents are rounded as they are stored | what a cell shows is paid
-    value = Decimal(f"{value:.{_LONGEST - 1}e}")  # 2.6749999999999998 is shown as 2.68: a sheet keeps 15 digits
-
another country's dollar is ours | a format that names another country is another currency
-        return (f"{country} ", "") if country and sign == "$" else ("", "")
+        return "", ""
@ bot/domain/payments/amounts.py tests/flow/test_amounts_of_files.py -k sqlite
an empty currency is dollars beside another currency | an empty currency is no guess where others are foreign
-            others = [(number, cell[:GIVEN_LIMIT]) for number, cell in cells if not is_ours(cell)]
+            others = [(number, cell[:GIVEN_LIMIT]) for number, cell in cells if cell and not is_ours(cell)]
amounts in two styles are read one by one | two styles in one file are refused with their rows
-    if points and commas:
+    if False:
@ bot/workflows/payments/bulk_request.py tests/flow/test_hidden_cells.py -k 'shown_as_another and sqlite'
an amount that is shown as another is paid | an amount that is shown as another is refused
-    wrong = sorted([*bad, *disguised, *foreign], key=lambda one: one.row)
+    wrong = sorted([*bad, *foreign], key=lambda one: one.row)
@ bot/workflows/payments/bulk_request.py tests/flow/test_hidden_cells.py -k 'on_the_card and sqlite'
approvers are not told of hidden rows | what is hidden stands on the approvers' card
-        marks=checked.marks,
-
@ bot/workflows/payments/bulk_request.py tests/flow/test_hidden_cells.py -k 'named_twice and note and sqlite'
of two notes with one name none is asked about | columns with one name are asked about
- and not asked
""")
