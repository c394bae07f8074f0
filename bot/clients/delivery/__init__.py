"""The delivery-booking service (interface document 3, section A).

A new operation: an entry in ``routes.toml``, a reader in ``wire.py``, a method of ``DeliveryClient``.
"""

from bot.clients.delivery.client import DeliveryClient, NotCovered, StoreForm

__all__ = ["DeliveryClient", "NotCovered", "StoreForm"]
