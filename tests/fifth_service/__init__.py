"""A fifth service with one text operation, plugged in without touching anything but the wiring: see README.md."""
