"""Bookings: the service's record and ours, phone numbers, positions, the certification."""
