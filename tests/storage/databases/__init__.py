"""Databases that versions before this one made, as SQL, and what stood outside of them then.

The scripts that made them run with the code of their version alone, so they are kept in the history: ``make.py`` (0016)
and ``make_0019.py`` (0019) as of revision f82d5c1b.
"""
