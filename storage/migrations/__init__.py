"""Migrations: how the tables came to be, one step after the other."""

HEAD = "0017"
"""The version this program needs; a test holds it to the newest step in ``versions/``."""
