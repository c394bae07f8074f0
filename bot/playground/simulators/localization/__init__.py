"""The content localization service, in a box."""

from bot.playground.simulators.localization.records import Switches
from bot.playground.simulators.localization.simulator import LocalizationSimulator

__all__ = ["LocalizationSimulator", "Switches"]
