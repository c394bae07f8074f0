"""Dropped files and tables as people see them: offers, columns, batches."""
