"""The delivery service as the context holds it: the client with the keys of its stores."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

from bot.clients.delivery import DeliveryClient
from bot.clients.delivery.client import SERVICE
from bot.domain.bookings.record import StoreState
from bot.domain.errors import OperatorError
from bot.domain.reasons import OfBooking, Reason
from bot.domain.text import Secrets
from storage.repositories.bookings import folded
from storage.rows import STORE_KEY, StoreRow
from storage.sealing import Sealer, SealError
from storage.store import Store
from storage.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryService:
    """What is configured.

    Attributes:
        given_keys: ``DELIVERY_STORE_KEYS``: store name -> key, for stores not made here.
        production: pre-bookings do not exist there.
        secrets: taken out of whatever a service says; every key that is opened here is one.
    """

    client: DeliveryClient
    sealer: Sealer = field(repr=False)
    given_keys: Mapping[str, SecretStr] = field(repr=False)
    production: bool
    secrets: Secrets = field(default_factory=Secrets, repr=False)

    def learn_keys(self, tx: Tx) -> None:
        """Open every key that is kept, so that none of them is shown."""
        for row in tx.stores.all():
            self.unsealed(row)

    def store_names(self, tx: Tx) -> list[str]:
        """Every store that has a key, by name."""
        names = {folded(name): " ".join(name.split()) for name in self.given_keys}
        for row in tx.stores.all():
            if row.state is StoreState.READY and row.sealed_key:
                names.setdefault(row.folded, row.name)
        return [names[key] for key in sorted(names)]

    def spelled(self, tx: Tx, name: str) -> str | None:
        """The store's name as it is kept, however it was written; None: there is none."""
        wanted = folded(name)
        return next((one for one in self.store_names(tx) if folded(one) == wanted), None)

    def key(self, tx: Tx, name: str) -> SecretStr | None:
        """The key of a store; None when there is none or it does not open."""
        wanted = folded(name)
        for given, key in self.given_keys.items():
            if folded(given) == wanted:
                return key
        row = tx.stores.get(name)
        return self.unsealed(row) if row is not None else None

    async def key_of(self, store: Store, name: str) -> SecretStr:
        """The key of a store.

        Raises:
            OperatorError: there is none or it does not open.
        """
        key = await store.read(lambda tx: self.key(tx, name))
        if key is None:
            raise no_key(name)
        return key

    def unsealed(self, row: StoreRow) -> SecretStr | None:
        """The key in a row; None when there is none or another ``SECRET_KEY`` sealed it."""
        if not row.sealed_key:
            return None
        try:
            key = self.sealer.open(row.sealed_key, row=row.id, column=STORE_KEY)
        except SealError:
            return None
        self.secrets.learn(key)
        return SecretStr(key)

    def sealed(self, key: SecretStr, *, row: str) -> str:
        """A key as it may be stored in that row."""
        return self.sealer.seal(key.get_secret_value(), row=row, column=STORE_KEY)


_ADD_KEY = "list the stores (the master key brings their keys along) or add it to DELIVERY_STORE_KEYS"


def no_key(store: str) -> OperatorError:
    """The error where a store's key is missing."""
    return OperatorError(Reason(OfBooking.NO_KEY, store=store), mend=_ADD_KEY, service=SERVICE)
