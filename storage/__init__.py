"""The only package that imports SQLAlchemy: the store, its transactions, the tables and their migrations."""

from storage.errors import CommitUnknown, Conflict, StorageBusy, StorageError
from storage.migrate import migrate
from storage.store import Store
from storage.transaction import Tx

__all__ = ["CommitUnknown", "Conflict", "StorageBusy", "StorageError", "Store", "Tx", "migrate"]
