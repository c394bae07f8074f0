"""Requests: ask, vote, decide, freeze; what every kind of request has in common."""
