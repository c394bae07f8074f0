"""``POST /callbacks/delivery/{token}``: the webhooks of stores."""

from bot.workflows.bookings.events import receive, stands
from handlers.callbacks.endpoint import CallbackEndpoint


class DeliveryCallbacks(CallbackEndpoint):
    """Stores events of bookings."""

    unstored = "a message of the delivery service could not be stored"

    async def _stands(self, token: str) -> bool:
        return await stands(self._store, token=token)

    async def _receive(self, token: str, body: str) -> bool:
        return await receive(self._store, now=self._now(), token=token, body=body)
