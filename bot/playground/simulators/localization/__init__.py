"""A content localization service on loopback: documented rules, real work on media with PyAV.

A new operation: its rules in ``rules.py``, its work in ``work.py``.
"""

from bot.playground.simulators.localization.records import Switches
from bot.playground.simulators.localization.simulator import LocalizationSimulator

__all__ = ["LocalizationSimulator", "Switches"]
