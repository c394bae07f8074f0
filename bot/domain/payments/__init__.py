"""Payments: instructions, the service's records, and what one means for the other.

A kind of request: its payload in ``instruction.py``, its transitions in ``moves.py``, then ``make diagrams``. The other
steps are in ``bot/workflows/requests/README.md``.
"""
