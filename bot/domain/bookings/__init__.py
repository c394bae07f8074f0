"""Bookings: the service's record and ours, phone numbers, positions, certification."""
