"""Accounts: the recipient's, before paying, and our own."""

from bot.clients.payments import wire
from bot.clients.payments.calls import PartnerCalls
from bot.domain.payments.operation import AccountStatus, Partner


class AccountCalls(PartnerCalls):
    """Reads of accounts."""

    async def account_status(self, email: str) -> AccountStatus:
        """Read what the service knows about the account behind an address.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        route = self._route("account_status")
        return await self._look(route, {"email": email}, lambda document: wire.read_account(document, route=route))

    async def partner(self) -> Partner:
        """Read our own account at the service and its balance.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        route = self._route("partner")
        return await self._look(route, {}, lambda document: wire.read_partner(document, route=route))
