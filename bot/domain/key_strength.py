"""Weak secret keys: those that were typed rather than generated."""

import re

_SHORTEST = 16
_FEWEST = 8
"""Different characters; sixteen random ones of the sixteen hexadecimal digits have fewer once in ten thousand keys."""
_FILLERS = re.compile(
    r"(?:change|replace|put|insert|me|this|here|your|my|our|the|secret|key|keys|password|passwd|pass|token|"
    r"example|sample|default|dev|development|prod|production|test|testing|sandbox|switchboard|django|insecure|"
    r"[\W_]|\d{1,4}(?!\d))+",
    re.IGNORECASE,
)


def why_weak(key: str) -> str:
    """The rule that the key breaks, without the key itself; empty for a good key."""
    if len(key) < _SHORTEST:
        return f"must have at least {_SHORTEST} characters"
    if len(set(key)) < _FEWEST or key in (key + key)[1:-1]:
        return "must not be the same few characters again and again"
    if _FILLERS.fullmatch(key):
        return "must not be made of words such as secret, key and changeme"
    return ""
