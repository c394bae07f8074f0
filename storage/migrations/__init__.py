"""Migrations: how the tables came to be, one step after the other."""

HEAD = "0016"
"""The version this program needs; a test holds it to the newest step in ``versions/``."""
