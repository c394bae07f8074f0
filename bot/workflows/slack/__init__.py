"""The outbox, the boards (messages that are edited) and dropped files; independent of any service.

Something with a board: a subclass of ``Subject`` beside its workflow, registered in ``bot/wiring/workers.py``.
"""
