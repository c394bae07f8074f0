"""Localization as people see it."""
