"""The delivery-booking service (interface document 3, section A)."""

from bot.clients.delivery.bookings import NewBooking
from bot.clients.delivery.client import DeliveryClient
from bot.clients.delivery.failures import NotCovered
from bot.clients.delivery.stores import StoreForm

__all__ = ["DeliveryClient", "NewBooking", "NotCovered", "StoreForm"]
