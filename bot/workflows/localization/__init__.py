"""Content localization: calls that may take minutes; one job each, a message that is edited, results in its thread."""
