"""One repository per table: synchronous, in the caller's transaction, with ``now`` passed in.

The condition is in the write; the row count is the truth. Rows that fall due derive from ``Leased``, rows with a state
machine from ``MovingRows``.
"""
