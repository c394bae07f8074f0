"""Rows of the table ``job``: each kind that is known here can be read as what it is."""

from typing import Any, Final

from bot.domain.emails.lists import RUN, WHOLE, RunState
from bot.domain.localization.progress import LANES, CallProgress, CallState, Order
from storage.damage import Broken, Shape
from storage.rows import Job
from storage.tables.queues import job as table

_LIST: Final = {"file": str, "name": str, "column": int, "column_name": str, "concurrency": int}


def _read(*, kind: str, state: str, payload: object, detail: object, **values: Any) -> Job:
    if not isinstance(payload, dict):
        raise Broken("payload")
    if not isinstance(detail, dict):
        raise Broken("detail")
    if kind in LANES:
        _see(CallState, state, "state")
        _see(Order.read, payload, "payload")
        _see(CallProgress.read, detail, "detail")
    elif kind in (RUN, WHOLE):
        _see(RunState, state, "state")
        if any(type(payload.get(name)) is not wanted for name, wanted in _LIST.items()):
            raise Broken("payload")
    return Job(kind=kind, state=state, payload=payload, detail=detail, **values)


def _see(read: Any, value: object, column: str) -> None:
    try:
        read(value)
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError) as wrong:
        raise Broken(column) from wrong


SHAPE: Final = Shape(table, _read)
