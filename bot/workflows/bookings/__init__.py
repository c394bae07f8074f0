"""Deliveries: stores, bookings, webhooks and pre-bookings. A booking is sent once; its outcome is read."""
