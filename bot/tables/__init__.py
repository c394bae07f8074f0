"""Readers and writers of tables: CSV and XLSX files, read completely or refused with one problem.

Rows are numbered like a spreadsheet's (header = 1). No cell is guessed. To add a kind of damage, add a ``Flaw``, its
sentence in ``bot/presentation/table_problems.py`` and a case in ``tests/tables/corpus.py``.
"""
