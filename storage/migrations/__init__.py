"""Migrations: the steps that create and change the tables, in order."""

HEAD = "0017"
"""The version this program needs; a test holds it to the newest step in ``versions/``."""
