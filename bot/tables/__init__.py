"""Tables in dropped files, and tables that are returned: CSV and XLSX, read whole or refused with one problem.

Rows are numbered like a spreadsheet's (header = 1). No cell is guessed. A new kind of damage: a ``Flaw``, its sentence
in ``bot/presentation/table_problems.py``, a case in ``tests/tables/corpus.py``.
"""
