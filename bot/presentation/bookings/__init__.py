"""Bookings for people: cards, lines in their threads, details, answers and forms."""
