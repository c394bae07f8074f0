"""Payments: payouts, one-step payouts, purchases, bulk payments and their cancellation.

Each kind ends with its record (``KIND``), which the engine in ``bot/workflows/requests`` calls.
"""
