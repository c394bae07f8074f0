"""Requests: ask, vote, decide, freeze; the engine shared by every kind of request."""
