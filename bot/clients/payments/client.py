"""The payments service behind one name."""

from bot.clients.payments.accounts import AccountCalls
from bot.clients.payments.bulk import BulkCalls
from bot.clients.payments.operations import OperationCalls
from bot.clients.payments.payouts import PayoutCalls
from bot.clients.payments.purchases import PurchaseCalls


class PaymentsClient(PayoutCalls, PurchaseCalls, BulkCalls, OperationCalls, AccountCalls):
    """Everything the payments service can be asked; see ``PartnerCalls`` for how to make one.

    Requests that change something return an outcome class; they are sent once and never repeated here. Requests
    that only read raise by who must act: ``ServiceNow``, ``ServiceNever``, ``OperatorError``.
    """
