"""Bookings as people see them."""
