"""Content localization: operations, their options, and their results.

Commands, forms, clients and the simulator are derived from ``catalog.py``: add an operation or an option there.
"""
