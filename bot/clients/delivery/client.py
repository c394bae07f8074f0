"""The delivery service behind one name."""

from bot.clients.delivery.bookings import BookingCalls
from bot.clients.delivery.prebookings import PrebookingCalls
from bot.clients.delivery.stores import StoreCalls
from bot.clients.delivery.webhooks import WebhookCalls


class DeliveryClient(StoreCalls, BookingCalls, WebhookCalls, PrebookingCalls):
    """Everything the delivery service can be asked; see ``DeliveryCalls`` for how to make one.

    Requests that change something return an outcome class; they are sent once and never repeated here. Requests
    that only read raise by who must act: ``ServiceNow``, ``ServiceNever``, ``OperatorError``.
    """
