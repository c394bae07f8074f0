"""The last choices made in a channel, or by a person, which prefill the next form."""

from collections.abc import Mapping

from bot.workflows.context import Unit
from storage.transaction import Tx

_FLAG = "preset:"
_LONGEST = 100


def remember(uow: Unit, channel: str, what: str, chosen: Mapping[str, str]) -> None:
    """Store the choices in the form ``what`` for a channel, or for a person whose id is passed as ``channel``."""
    if chosen and chosen != remembered(uow, channel, what):
        uow.flags.set(_key(channel, what), dict(chosen), uow.now)


def remembered(tx: Tx, channel: str, what: str) -> dict[str, str]:
    """Return the choices as stored; the caller must check that each is still possible."""
    found = tx.flags.readable(_key(channel, what))
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: value for name, value in pairs if isinstance(value, str) and len(value) <= _LONGEST}


def _key(channel: str, what: str) -> str:
    return f"{_FLAG}{channel}:{what}"
