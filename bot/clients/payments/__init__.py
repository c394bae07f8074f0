"""The payments service (interface document 2)."""

from bot.clients.payments.calls import OperationType
from bot.clients.payments.client import NewPayout, NewPurchase, PaymentsClient

__all__ = ["NewPayout", "NewPurchase", "OperationType", "PaymentsClient"]
