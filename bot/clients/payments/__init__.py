"""The payments service (interface document 2): one client, its calls by what they are about."""

from bot.clients.payments.client import NewBulk, PaymentsClient
from bot.clients.payments.operations import OperationType
from bot.clients.payments.payouts import NewItem, NewPayout, NewPurchase

__all__ = ["NewBulk", "NewItem", "NewPayout", "NewPurchase", "OperationType", "PaymentsClient"]
