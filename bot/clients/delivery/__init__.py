"""The delivery-booking service (interface document 3, section A).

To add an operation, add an entry to ``routes.toml``, a reader to ``wire.py`` and a method to ``DeliveryClient``.
"""

from bot.clients.delivery.client import DeliveryClient, NotCovered, StoreForm

__all__ = ["DeliveryClient", "NotCovered", "StoreForm"]
