"""Payments for people: cards, news, answers, forms.

A new kind of request needs a file with its record (``wording.py``) and a line in ``kinds.py``.
"""
