"""What people last chose in a channel, or one of them anywhere, so that the next form begins with it."""

from collections.abc import Mapping

from bot.workflows.context import Unit
from storage.transaction import Tx

_FLAG = "preset:"
_LONGEST = 100


def remember(uow: Unit, channel: str, what: str, chosen: Mapping[str, str]) -> None:
    """Store the choices of a form, ``what``, made in a channel; or by a person, whose id stands for it."""
    if chosen and chosen != remembered(uow, channel, what):
        uow.flags.set(_key(channel, what), dict(chosen), uow.now)


def remembered(tx: Tx, channel: str, what: str) -> dict[str, str]:
    """Those choices, as they were stored: whoever uses them checks that each is still possible."""
    found = tx.flags.readable(_key(channel, what))
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: value for name, value in pairs if isinstance(value, str) and len(value) <= _LONGEST}


def _key(channel: str, what: str) -> str:
    return f"{_FLAG}{channel}:{what}"
