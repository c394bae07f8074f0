"""Where a request comes from: X-Forwarded-For is believed only as far as our own proxies wrote it."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.callbacks import Network, allowed, source_of


def networks(*texts: str) -> list[Network]:
    return [ipaddress.ip_network(text) for text in texts]


PROXIES = networks("10.0.0.0/8", "fd00::/8")

TABLE = [
    # peer          X-Forwarded-For                       trusted    source
    ("203.0.113.7", "", PROXIES, "203.0.113.7"),
    ("203.0.113.7", "198.51.100.1", PROXIES, "203.0.113.7"),  # no proxy of ours wrote this
    ("203.0.113.7", "198.51.100.1", [], "203.0.113.7"),
    ("10.0.0.1", "198.51.100.1", [], "10.0.0.1"),
    ("10.0.0.1", "198.51.100.1", PROXIES, "198.51.100.1"),
    ("10.0.0.1", "203.0.113.7, 198.51.100.1", PROXIES, "198.51.100.1"),  # the left one is the caller's word
    ("10.0.0.1", "203.0.113.7, 10.0.0.2", PROXIES, "203.0.113.7"),
    ("10.0.0.1", "1.1.1.1, 203.0.113.7, 10.0.0.3, 10.0.0.2", PROXIES, "203.0.113.7"),
    ("10.0.0.1", "", PROXIES, "10.0.0.1"),
    ("10.0.0.1", "10.0.0.2, 10.0.0.3", PROXIES, "10.0.0.2"),
    ("10.0.0.1", " 198.51.100.1 ", PROXIES, "198.51.100.1"),
    ("10.0.0.1", ",,198.51.100.1,,", PROXIES, "198.51.100.1"),
    ("10.0.0.1", "203.0.113.7, nonsense", PROXIES, None),  # what cannot be read may hide anything
    ("10.0.0.1", "198.51.100.1:443", PROXIES, None),
    ("::ffff:10.0.0.1", "198.51.100.1", PROXIES, "198.51.100.1"),
    ("10.0.0.1", "::ffff:198.51.100.1", PROXIES, "198.51.100.1"),
    ("fd00::1", "2001:db8::7", PROXIES, "2001:db8::7"),
    ("2001:db8::7", "198.51.100.1", PROXIES, "2001:db8::7"),
    (None, "198.51.100.1", PROXIES, None),
    ("", "", PROXIES, None),
]


@pytest.mark.parametrize(("peer", "forwarded", "trusted", "source"), TABLE)
def test_source_is_the_last_untrusted_hop(
    peer: str | None, forwarded: str, trusted: list[Network], source: str | None
) -> None:
    found = source_of(peer, forwarded, trusted)
    assert found == (None if source is None else ipaddress.ip_address(source))


@given(st.none() | st.text(max_size=40), st.text(max_size=200))
def test_no_header_breaks_it(peer: str | None, forwarded: str) -> None:
    found = source_of(peer, forwarded, PROXIES)
    assert found is None or not isinstance(found, str)


@given(st.lists(st.ip_addresses(v=4).map(str), max_size=5))
def test_forwarded_source_is_ignored_from_strangers(claimed: list[str]) -> None:
    assert source_of("203.0.113.7", ", ".join(claimed), PROXIES) == ipaddress.ip_address("203.0.113.7")


@pytest.mark.parametrize(
    ("source", "listed", "may"),
    [
        ("203.0.113.7", [], True),
        ("203.0.113.7", ["203.0.113.7"], True),
        ("203.0.113.8", ["203.0.113.7"], False),
        ("198.51.100.200", ["203.0.113.7", "198.51.100.0/24"], True),
        ("::ffff:203.0.113.7", ["203.0.113.7"], True),
        ("2001:db8::7", ["203.0.113.7"], False),
        ("2001:db8::7", ["2001:db8::/32"], True),
        (None, ["0.0.0.0/0"], False),
        (None, [], True),
    ],
)
def test_callbacks_are_limited_to_listed_sources(source: str | None, listed: list[str], may: bool) -> None:
    found = source_of(source, "", [])
    assert allowed(found, networks(*listed)) is may
