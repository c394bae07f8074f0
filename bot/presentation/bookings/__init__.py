"""Bookings as people see them: card, lines in its thread, details, answers and forms."""
