"""A payments service on loopback: operations, escrow, purchases, callbacks, and a ledger no fault touches.

A new operation: a route in ``dialect.py``, a method in ``endpoints.py``, its request in ``requests.py``, its reply in
``shapes.py``.
"""

from bot.playground.simulators.payments.dialect import Dialect
from bot.playground.simulators.payments.records import Account, Record, Switches
from bot.playground.simulators.payments.simulator import PaymentsSimulator

__all__ = ["Account", "Dialect", "PaymentsSimulator", "Record", "Switches"]
