"""Wiring: settings in, parts out. One module a service, the workers, the schedule."""
