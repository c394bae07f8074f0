"""The delivery-booking service (interface document 3, section A)."""

from bot.clients.delivery.client import DeliveryClient, NotCovered, StoreForm

__all__ = ["DeliveryClient", "NotCovered", "StoreForm"]
