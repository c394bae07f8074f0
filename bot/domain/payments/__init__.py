"""Payments: instructions, the service's records, and what one means for the other."""
