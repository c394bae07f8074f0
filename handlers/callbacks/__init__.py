"""Requests from the services."""
