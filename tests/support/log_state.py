"""Restoring the logging configuration after a test that changes it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def kept_logging() -> Iterator[None]:
    """Restore handlers, levels, filters and the disabled flag of every logger, and structlog's configuration."""
    root = logging.getLogger()
    known = [root, *(one for one in logging.root.manager.loggerDict.values() if isinstance(one, logging.Logger))]
    before = [(one, one.level, one.disabled, list(one.handlers), list(one.filters)) for one in known]
    configured = structlog.get_config()
    try:
        yield
    finally:
        structlog.configure(**configured)
        for one, level, disabled, handlers, filters in before:
            one.setLevel(level)
            one.disabled = disabled
            one.handlers[:] = handlers
            one.filters[:] = filters
