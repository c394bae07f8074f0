"""Parsing of typed lines and forms into values; used by commands, buttons and forms, and independent of them."""
