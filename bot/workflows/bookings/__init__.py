"""Deliveries: stores, bookings, webhooks and pre-bookings."""
