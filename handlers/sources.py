"""The source address of a request behind proxies."""

import ipaddress
from collections.abc import Sequence

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def source_of(peer: str | None, forwarded: str, trusted: Sequence[Network]) -> Address | None:
    """The source address: the peer, or behind trusted proxies the right-most hop that is none of them.

    Args:
        peer: address of the other end of the connection.
        forwarded: every line of the header ``X-Forwarded-For``, joined by commas; believed only as far as trusted
            proxies wrote it.
        trusted: networks of our own proxies.
    """
    address = _read(peer)
    hops = [hop.strip() for hop in forwarded.split(",") if hop.strip()]
    while address is not None and _within(address, trusted) and hops:
        address = _read(hops.pop())
    return address


def allowed(source: Address | None, networks: Sequence[Network]) -> bool:
    """Whether this source may call; no list means any."""
    return not networks or (source is not None and _within(source, networks))


def _read(text: str | None) -> Address | None:
    try:
        address = ipaddress.ip_address(text or "")
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
