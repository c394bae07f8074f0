"""The payments service (interface document 2)."""

from bot.clients.payments.calls import OperationType
from bot.clients.payments.client import NewItem, NewPayout, NewPurchase, PaymentsClient

__all__ = ["NewItem", "NewPayout", "NewPurchase", "OperationType", "PaymentsClient"]
