"""Use cases: one function each, one transaction each, effects through the outbox or a claimed attempt.

A workflow gathers facts (it may await), then decides and writes in one transaction (which can't await).
"""
