"""Content localization: operations, their options, and their results."""
