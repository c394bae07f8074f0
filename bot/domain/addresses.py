"""Addresses from outside: e-mail addresses of payees, and web addresses from people or services."""

import ipaddress
import re
from collections.abc import Collection
from enum import StrEnum
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit

from email_validator import EmailNotValidError, validate_email
from yarl import URL

from bot.domain.errors import RuleError
from bot.domain.text import bare

LONGEST: Final = 120
"""Characters of an address that fit in a headline."""
RULE: Final = "an e-mail address such as ana@example.com"


def address(text: str) -> str:
    """Return the canonical form of an e-mail address for comparing, showing and sending; raises RuleError."""
    text = bare(text)
    try:
        found = validate_email(text, check_deliverability=False, globally_deliverable=False, allow_smtputf8=False)
    except EmailNotValidError:
        found = None
    if found is None and text.startswith('"'):
        raise RuleError("it can have no quotation marks")
    if found is None or "." not in found.ascii_domain:
        raise RuleError("it isn't an e-mail address")
    written = found.ascii_email or found.normalized
    if len(written) > LONGEST:
        raise RuleError(f"it can have at most {LONGEST} characters")
    return written


def mailbox(email: str) -> str:
    """Return the mailbox of an address, in lower case without ``+tag``, and without dots at Gmail."""
    local, _, domain = email.casefold().rpartition("@")
    local = local.partition("+")[0]
    if domain in GMAIL:
        local, domain = local.replace(".", ""), GMAIL[0]
    return f"{local}@{domain}"


GMAIL: Final = ("gmail.com", "googlemail.com")
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBERS: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)(?:\.(?:0x[0-9a-f]*|[0-9]+))*")
_INSIDE: Final = ("localhost", "local", "internal", "localdomain", "lan", "home.arpa", "intranet", "corp", "test")
_LONGEST_NAME: Final = 253

_GLOBAL: Final = ipaddress.IPv6Network("2000::/3")
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)


class AddressFlaw(StrEnum):
    NO_ADDRESS = "no address"
    CREDENTIALS = "credentials"
    PRIVATE = "private"


def flaw_of(url: str, *, own: Collection[str] = ()) -> AddressFlaw | None:
    """Return why an address must not be opened or passed on, if so; ``own`` hosts of services may be private."""
    if not url.isprintable() or any(letter in url for letter in ' \\<>"'):
        return AddressFlaw.NO_ADDRESS
    try:
        parts = urlsplit(url)
        given, port = URL(url).raw_host or "", parts.port
    except ValueError:
        return AddressFlaw.NO_ADDRESS
    if parts.scheme not in ("http", "https") or port == 0:
        return AddressFlaw.NO_ADDRESS
    if parts.username is not None or parts.password is not None:
        return AddressFlaw.CREDENTIALS
    host = plain_host(given)
    if host is None:
        return AddressFlaw.NO_ADDRESS
    if ":" in host or _NUMBERS.fullmatch(host):  # other programs parse shortened numbers as IP addresses
        allowed = is_public(host)
    else:
        allowed = "." in host and not any(host == name or host.endswith(f".{name}") for name in _INSIDE)
    return None if allowed or host in own else AddressFlaw.PRIVATE


def redirected(url: str, location: str) -> str:
    """Return the address to which a redirect leads; empty if its ``Location`` can't be parsed."""
    try:
        return urljoin(url, location)
    except ValueError:
        return ""


def plain_host(text: str) -> str | None:
    """Return the canonical form of a host, without brackets around IPv6, or None if it is invalid."""
    host = unquote(text).strip("[]")
    if not host.isascii():
        try:
            host = URL.build(scheme="http", host=host).raw_host or ""
        except ValueError:
            return None
    host = host.lower()
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host).compressed
        except ValueError:
            return None
    host = host.removesuffix(".")
    good = len(host) <= _LONGEST_NAME and all(_LABEL.fullmatch(label) for label in host.split("."))
    return host if good else None


def is_public(address: str) -> bool:
    """Whether an IP address is globally reachable; an address that embeds another one counts as that one."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        number = int(parsed)
        if parsed in _NAT64 or (number >> 32) & 0xFFFF_FFFF in _ISATAP:
            carried: ipaddress.IPv4Address | None = ipaddress.IPv4Address(number & 0xFFFF_FFFF)
        else:
            carried = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if carried is None:
            return parsed in _GLOBAL and parsed.is_global
        parsed = carried
    return parsed.is_global and not parsed.is_multicast
