"""The payments service in a box: operations, escrow, a ledger, purchases, callbacks."""

from bot.playground.simulators.payments.dialect import Dialect
from bot.playground.simulators.payments.records import Account, Record, Switches
from bot.playground.simulators.payments.simulator import PaymentsSimulator

__all__ = ["Account", "Dialect", "PaymentsSimulator", "Record", "Switches"]
