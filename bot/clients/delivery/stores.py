"""Stores: created and listed with the master key, read and updated with their own."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from pydantic import SecretStr

from bot.clients.delivery import wire
from bot.clients.delivery.calls import DeliveryCalls, anything
from bot.domain.bookings.record import Phone, Position, StoreRecord
from bot.domain.outcome import Done, NotExecuted, Unknown


@dataclass(frozen=True, kw_only=True)
class StoreForm:
    """A store as it is to be. On updating, None leaves a field as it is."""

    name: str | None = None
    email: str | None = None
    phone: Phone | None = None
    position: Position | None = None
    address: str | None = None
    reference: str | None = None

    def values(self) -> Mapping[str, object]:
        """Our names of the request's fields; degrees as exact numbers."""
        position, phone = self.position, self.phone
        return {
            "name": self.name,
            "email": self.email,
            "mobile": None if phone is None else phone.national,
            "country_code": None if phone is None else phone.country_code,
            "latitude": None if position is None else Decimal(position.latitude),
            "longitude": None if position is None else Decimal(position.longitude),
            "address": self.address,
            "reference": self.reference,
        }


class StoreCalls(DeliveryCalls):
    """Calls about stores."""

    async def create_store(self, form: StoreForm) -> Done[StoreRecord] | NotExecuted | Unknown:
        """Create a store with the master key. Done carries its key: encrypt it at once."""
        return await self._change("create_store", form.values(), wire.read_new_store, key=None)

    async def list_stores(self) -> tuple[StoreRecord, ...]:
        """Every store of the company, with its key, by the master key.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_trouble``.
        """
        return await self._look("list_stores", {}, wire.read_stores, key=None)

    async def get_store(self, *, key: SecretStr) -> StoreRecord:
        """The store that the key belongs to.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_trouble``.
        """
        return await self._look("get_store", {}, wire.read_store, key=key)

    async def update_store(self, form: StoreForm, *, key: SecretStr) -> Done[object] | NotExecuted | Unknown:
        """Change the store that the key belongs to; read it afterwards."""
        return await self._change("update_store", form.values(), anything, key=key)
