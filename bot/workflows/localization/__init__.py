"""Content localization: calls that take minutes, each sent once, with one job and one edited message."""
