"""The payments service (interface document 2): one client, its calls by what they are about."""

from bot.clients.payments.bulk import NewBulk
from bot.clients.payments.client import PaymentsClient
from bot.clients.payments.operations import OperationType
from bot.clients.payments.payouts import NewPayout
from bot.clients.payments.purchases import NewItem, NewPurchase

__all__ = ["NewBulk", "NewItem", "NewPayout", "NewPurchase", "OperationType", "PaymentsClient"]
