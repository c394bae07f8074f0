"""Webhooks of a store: one address a kind; a new registration takes the place of the old one."""

from pydantic import SecretStr

from bot.clients.delivery import wire
from bot.clients.delivery.calls import DeliveryCalls, anything
from bot.domain.bookings.record import BookingRecord, Webhook, WebhookKind
from bot.domain.outcome import Done, NotExecuted, Unknown


class WebhookCalls(DeliveryCalls):
    """Calls about webhooks. All with the key of the store."""

    async def list_webhooks(self, *, key: SecretStr) -> tuple[Webhook, ...]:
        """What is registered.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_trouble``.
        """
        return await self._look("list_webhooks", {}, wire.read_webhooks, key=key)

    def read_report(self, document: object) -> tuple[str, BookingRecord]:
        """What came to a webhook: the id to look the booking up by, and the report, which proves nothing.

        Raises:
            ValueError: it names no booking.
        """
        return wire.read_event(document, self._route("get_booking"))

    async def register_webhook(
        self, kind: WebhookKind, url: str, *, key: SecretStr
    ) -> Done[object] | NotExecuted | Unknown:
        """Register an address; list afterwards to see that it took effect."""
        return await self._change("register_webhook", {"type": kind.value, "url": url}, anything, key=key)

    async def delete_webhook(self, kind: WebhookKind, *, key: SecretStr) -> Done[object] | NotExecuted | Unknown:
        """Take a registration away. The body of a DELETE may get lost on the way: list afterwards."""
        return await self._change("delete_webhook", {"type": kind.value}, anything, key=key)
