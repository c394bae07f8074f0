"""The payments service (interface document 2).

To add an operation, add an entry to ``routes.toml``, a reader to ``wire.py``, a method to ``PaymentsClient``, and a
case to ``tests/clients/test_another_dialect.py``.
"""

from bot.clients.payments.calls import OperationType
from bot.clients.payments.client import NewPayout, NewPurchase, PaymentsClient

__all__ = ["NewPayout", "NewPurchase", "OperationType", "PaymentsClient"]
