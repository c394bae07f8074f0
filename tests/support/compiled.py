"""Compiled statements that all runs of a process share."""

from collections.abc import Callable
from typing import Any


def one_compiler(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let all runs share SQLAlchemy's compiled statements: compiling them anew took half of each run."""
    first: list[Any] = []

    def create(*values: Any, **more: Any) -> Any:
        engine = original(*values, **more)
        if first:
            engine.dialect, engine._compiled_cache = first[0].dialect, first[0]._compiled_cache
        else:
            first.append(engine)
        return engine

    return create
