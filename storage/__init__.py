"""The only package that imports SQLAlchemy: the store, its transactions, the tables and their migrations.

A unit of work is a synchronous function of a ``Tx``: ``await store.write(unit, name=...)``. It fails alone and must not
catch ``Conflict``. ``Tx`` methods that list rows leave out unreadable ones; ``get`` raises ``RowUnreadable``.
"""

from storage.errors import CommitUnknown, Conflict, StorageBusy, StorageError
from storage.migrate import migrate
from storage.store import Store
from storage.transaction import Tx

__all__ = ["CommitUnknown", "Conflict", "StorageBusy", "StorageError", "Store", "Tx", "migrate"]
