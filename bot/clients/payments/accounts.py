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
        return await self._look("account_status", {"email": email}, wire.read_account)

    async def partner(self) -> Partner:
        """Read our own account at the service and its balance.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        return await self._look("partner", {}, wire.read_partner)
