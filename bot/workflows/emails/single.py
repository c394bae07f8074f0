"""Ask about a few addresses at once; one retry each where that may help."""

import asyncio
from collections.abc import Sequence
from typing import Final

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import Answer, Busy, Lost, Outcome
from bot.domain.reasons import OfList, Reason

_TRIES: Final = 2
_PAUSE_SECONDS: Final = 1.0


async def check_addresses(client: EmailsClient, addresses: Sequence[str]) -> list[tuple[str, Answer]]:
    """The service's answer for each.

    Raises:
        OperatorError: the service does not take our requests.
    """
    found = await asyncio.gather(*(_check(client, address) for address in addresses))
    return list(zip(addresses, found, strict=True))


async def _check(client: EmailsClient, address: str) -> Answer:
    said = await client.check(address)
    for _ in range(_TRIES - 1):
        if isinstance(said, Answer):
            break
        await asyncio.sleep(_PAUSE_SECONDS)
        said = await client.check(address)
    match said:
        case Answer():
            return said
        case Busy():
            return Answer(outcome=Outcome.FAILED, why=Reason(OfList.BUSY))
        case Lost(reason=reason):
            return Answer(outcome=Outcome.FAILED, why=Reason(OfList.TRY_AGAIN, why=reason))
