"""Payments: payouts, one-step payouts, purchases, bulk payments and their cancellation."""
