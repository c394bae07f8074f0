"""A delivery-booking service on loopback: stores, providers, drivers that move, webhooks.

A new operation: a method in ``endpoints.py``, its reply in ``shapes.py``.
"""

from bot.playground.simulators.delivery.records import Booking, DeliverySwitches, Prebooking, Store
from bot.playground.simulators.delivery.simulator import DeliverySimulator

__all__ = ["Booking", "DeliverySimulator", "DeliverySwitches", "Prebooking", "Store"]
