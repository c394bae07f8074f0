"""Payments: instructions, the service's records, and how a record changes an instruction.

To add a kind of request, write its payload in ``instruction.py`` and its transitions in ``moves.py``, then run
``make diagrams``. The remaining steps are in ``bot/workflows/requests/README.md``.
"""
