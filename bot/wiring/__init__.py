"""Settings in, parts out: one module for the database, services, Slack, HTTP and workers.

A service that only answers is an extension (``tests/fifth_service``). One with its own work is a ``make_<service>``, a
field of ``Context``, and its workers in ``workers.py``.
"""
