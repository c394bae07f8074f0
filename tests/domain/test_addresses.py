"""Addresses of people who are paid; web addresses, however a host is written, seen as what they lead to."""

import pytest
from yarl import URL

from bot.domain.addresses import AddressFlaw, address, flaw_of, is_public, plain_host
from bot.domain.errors import RuleError


@pytest.mark.parametrize(("text", "rule"), [
    *((text, "it can have no quotation marks") for text in ('"a b"@b.co', '"ana"@example.com', ' "a@b"@b.co')),
    *((text, "it isn't an e-mail address") for text in ("ana", "a b@example.com", "ana@localhost", "")),
])  # fmt: skip
def test_unusable_recipient_addresses_are_refused(text: str, rule: str) -> None:
    with pytest.raises(RuleError) as refused:
        address(text)
    assert refused.value.rule == rule


def test_addresses_are_normalized() -> None:
    assert address(" o'brien+work@Bücher.example ") == "o'brien+work@xn--bcher-kva.example"


PRIVATE = [
    # this machine
    *("http://127.0.0.1/a", "http://127.8.8.8/a", "http://127.0.0.1./a", "http://localhost/a", "http://LOCALHOST./a"),
    *("http://x.localhost/a", "http://0.0.0.0/a", "http://[::1]/a", "http://[::]/a"),
    # written as one number, in octal, in hexadecimal, shortened
    *("http://2130706433/a", "http://017700000001/a", "http://0x7f000001/a", "http://0x7f.1/a", "http://0177.0.0.1/a"),
    *("http://127.1/a", "http://127.0.1/a", "http://127.0.0.1.:80/a", "http://192.168.257/a"),
    # other letters for the same, or percent signs
    *("http://１２７.0.0.1/a", "http://127。0。0。1/a", "http://①②⑦.⓪.⓪.①/a", "http://ⓛocalhost/a"),
    *("http://%31%32%37.0.0.1/a", "http://127%2E0%2E0%2E1/a", "http://loc%61lhost/a"),
    # networks of a house
    *("http://10.0.0.7/a", "http://172.16.0.1/a", "http://172.31.255.255/a", "http://192.168.1.1/a"),
    *("http://169.254.169.254/latest/meta-data", "http://100.64.0.1/a", "http://100.100.100.200/a"),
    *("http://198.18.0.1/a", "http://192.0.2.1/a", "http://224.0.0.1/a", "http://240.0.0.1/a"),
    *("http://255.255.255.255/a", "http://[fd00::1]/a", "http://[fe80::1]/a", "http://[fe80::1%25eth0]/a"),
    *("http://[fec0::1]/a", "http://[ff02::1]/a", "http://[2001:db8::1]/a", "http://[100::1]/a"),
    # inside of an IPv6 address
    *("http://[::ffff:127.0.0.1]/a", "http://[::ffff:7f00:1]/a", "http://[0:0:0:0:0:ffff:a00:1]/a"),
    *("http://[::127.0.0.1]/a", "http://[::a00:1]/a", "http://[64:ff9b::7f00:1]/a", "http://[64:ff9b::10.0.0.1]/a"),
    *("http://[64:ff9b:1::a00:1]/a", "http://[2002:7f00:1::]/a", "http://[2002:a00:1::1]/a"),
    *("http://[2001:0:7f00:1::80ff:fffe]/a", "http://[2600:1::5efe:10.0.0.1]/a"),
    # names that lead nowhere outside
    "http://intranet/a",
    "http://db:5432/a",
    "http://printer.local/a",
    "http://metadata.google.internal/a",
    "http://router.home.arpa/a",
]

NO_ADDRESS = [
    *("ftp://example.com/a", "file:///etc/passwd", "javascript:alert(1)", "//example.com/a", "example.com/a"),
    *("https://", "https:///a", "https://example.com:99999/a", "https://example.com:0/a", "https://example.com:x/a"),
    *("https://exa mple.com/a", "https://example.com\\@127.0.0.1/a", "https://example.com/a\u202e"),
    *("https://example.com/\r\nHost: x", "https://[::1/a", "https://example.com%00.evil.com/a"),
    *(
        "https://example.com%2f@evil/a%",
        "http://％31％32％37.0.0.1/a",
        "https://-example.com/a",
        "https://example..com/a",
    ),
    "https://exa\u00admple..com/a",
    f"https://{'a' * 64}.com/a",
    f"https://{'a.' * 130}com/a",
]


NAMED = [
    "https://user:word@example.com/a", "https://user@example.com/", "https://example.com@10.0.0.1/", "http://:@a.com",
]  # fmt: skip


@pytest.mark.parametrize(("url", "flaws"), [
    *((url, {AddressFlaw.PRIVATE}) for url in PRIVATE),
    *((url, {AddressFlaw.NO_ADDRESS, AddressFlaw.CREDENTIALS}) for url in NO_ADDRESS),
    *((url, {AddressFlaw.CREDENTIALS}) for url in NAMED),
])  # fmt: skip
def test_private_or_credentialed_addresses_are_refused(url: str, flaws: set[AddressFlaw]) -> None:
    assert flaw_of(url) in flaws


@pytest.mark.parametrize("url", [
    *("https://example.com/a.mp3?x=1#y", "http://example.com.:8080/", "https://EXAMPLE.com"),
    *("https://münchen.example.com/a", "https://xn--mnchen-3ya.example.com/a", "https://a_b.example.com/"),
    *("https://93.184.216.34/a", "https://[2606:2800:220:1::1]/a", "https://[::ffff:93.184.216.34]/a"),
    *("https://[64:ff9b::5db8:d822]/a", "https://[2002:5db8:d822::1]/a", "https://localhost.example.com/a"),
    "https://10.0.0.1.nip.example.com/a",
])  # fmt: skip
def test_public_addresses_are_allowed(url: str) -> None:
    assert flaw_of(url) is None


@pytest.mark.parametrize(
    "url", ["http://10.0.0.5/a", "http://１０.0.0.5:81/a", "http://Files:80/a", "http://[FD00:0::1]/a"]
)
def test_hosts_of_the_service_match_in_any_spelling(url: str) -> None:
    assert flaw_of(url, own=("10.0.0.5", "files", "fd00::1")) is None
    assert flaw_of(url, own=("10.0.0.6",)) is AddressFlaw.PRIVATE


def test_parsed_host_is_the_connected_host() -> None:
    """By IDNA 2003, which Python's own codec knows, these would be other people's hosts."""
    assert plain_host("faß.de") == plain_host("FAẞ.de") == plain_host("xn--fa-hia.de") == "xn--fa-hia.de"
    assert plain_host("βόλος.com") == "xn--nxasmm1c.com"
    for url, other in (("http://faß.corp/a", "fass.corp"), ("http://βόλος.corp/a", "βόλοσ.corp")):
        connected = URL(url).raw_host
        assert connected is not None
        assert flaw_of(url, own=[connected]) is None
        assert flaw_of(url, own=[other, plain_host(other) or ""]) is AddressFlaw.PRIVATE


@pytest.mark.parametrize("url", [url for url in PRIVATE if not url.isascii()])
def test_checked_host_is_the_connected_host(url: str) -> None:
    assert plain_host(url.split("/")[2]) == (URL(url).raw_host or "").removesuffix(".")


def test_host_has_one_form_and_legacy_addresses_are_refused() -> None:
    assert plain_host("ＥＸＡＭＰＬＥ.com.") == plain_host("example%2Ecom") == "example.com"
    assert plain_host("[2001:DB8:0::1]") == "2001:db8::1"
    assert plain_host("") is None
    older = ("::7f00:1", "fec0::1", "64:ff9b:1::1", "2600::5efe:a00:1", "4000::1")
    assert [address for address in older if is_public(address)] == []
