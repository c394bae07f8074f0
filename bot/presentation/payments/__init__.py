"""Payments as people see them: cards, news, answers, forms.

A kind of request: a file with its record (``wording.py``), and a line in ``kinds.py``.
"""
