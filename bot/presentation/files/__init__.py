"""Dropped files and tables for people: offers, columns, batches."""
