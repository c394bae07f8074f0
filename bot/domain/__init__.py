"""Values, rules and decisions: pure functions and frozen values without I/O.

Values of a single service are in its package, shared ones here.
"""
