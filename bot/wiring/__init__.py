"""Construction of the application's parts from settings: one module each for database, services, Slack, HTTP, workers.

A service that only answers is an extension (``tests/fifth_service``). A service with background work needs a
``make_<service>``, a field in ``Context``, and workers in ``workers.py``.
"""
