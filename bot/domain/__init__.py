"""Values, rules and decisions: pure functions and frozen values, no I/O.

Values of one service are in its package, shared ones here.
"""
