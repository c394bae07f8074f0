"""The payments service (interface document 2).

A new operation: an entry in ``routes.toml``, a reader in ``wire.py``, a method of ``PaymentsClient``, and a case in
``tests/clients/test_another_dialect.py``.
"""

from bot.clients.payments.calls import OperationType
from bot.clients.payments.client import NewPayout, NewPurchase, PaymentsClient

__all__ = ["NewPayout", "NewPurchase", "OperationType", "PaymentsClient"]
