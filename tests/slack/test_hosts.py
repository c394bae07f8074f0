"""What is Slack's own: addresses that get the token, a file or an answer, of the Slack that we are in; signatures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playground.workspace.delivery import sign
from bot.slack.authenticity import Hosts, could_be_signed, signed_by_slack

COMMERCIAL, GOVERNMENT, LOCAL = "https://slack.com/api/", "https://slack-gov.com/api/", "http://127.0.0.1:8080/api/"

TABLE = [
    # address                                         downloads uploads answers
    ("https://files.{}/files-pri/T1-F1/a", True, True, False),
    ("https://files.{}:443/upload/v1/x", True, True, False),
    ("https://files-edge.{}/upload/v1/x", False, True, False),
    ("https://hooks.{}/commands/T1/2/3", False, True, True),
    ("http://files.{}/a", False, False, False),
    ("http://hooks.{}/a", False, False, False),
    ("https://files.{}:8443/a", False, False, False),
    ("https://hooks.{}:8443/a", False, False, False),
    ("https://user:pass@files.{}/a", False, False, False),
    ("https://user@hooks.{}/a", False, False, False),
    ("https://files.{}.evil.example/a", False, False, False),
    ("https://files.{}@evil.example/a", False, False, False),
    ("https://evil{}/a", False, False, False),
    ("https://evil.example/files.{}", False, False, False),
    ("https://drive.google.com/a?{}", False, False, False),
    ("https://files.{}:port/a", False, False, False),
]


def judged(hosts: Hosts, url: str) -> tuple[bool, bool, bool]:
    return hosts.downloads(url), hosts.uploads(url), hosts.answers(url)


@pytest.mark.parametrize(("pattern", "downloads", "uploads", "answers"), TABLE)
def test_slack_and_govslack_have_separate_hosts(pattern: str, downloads: bool, uploads: bool, answers: bool) -> None:
    at_home = (downloads, uploads, answers)
    assert judged(Hosts(COMMERCIAL), pattern.format("slack.com")) == at_home
    assert judged(Hosts(GOVERNMENT), pattern.format("slack-gov.com")) == at_home
    assert judged(Hosts("https://api.slack-gov.com/api/"), pattern.format("slack-gov.com")) == at_home
    assert judged(Hosts(COMMERCIAL), pattern.format("slack-gov.com")) == (False, False, False)
    assert judged(Hosts(GOVERNMENT), pattern.format("slack.com")) == (False, False, False)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "https://[broken/a", "", "nowhere", "//files.slack.com/a"])
def test_invalid_address_belongs_to_no_user(url: str) -> None:
    for api_url in (COMMERCIAL, GOVERNMENT, LOCAL):
        assert judged(Hosts(api_url), url) == (False, False, False)


def test_web_api_host_is_trusted_at_its_port_only() -> None:
    assert judged(Hosts(LOCAL), "http://127.0.0.1:8080/anything") == (True, True, True)
    assert judged(Hosts(LOCAL), "http://127.0.0.1:8081/anything") == (False, False, False)
    assert judged(Hosts(LOCAL), "https://127.0.0.1:8080/anything") == (False, False, False)


def test_a_host_that_only_looks_like_the_governments_is_not() -> None:
    assert judged(Hosts("https://evilslack-gov.com/api/"), "https://files.slack-gov.com/a") == (False, False, False)


SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
NOW = 1_700_000_000


def holds(*, stamp: str = str(NOW), body: bytes = b"x", signature: str | None = None, now: float = NOW) -> bool:
    made = sign(SECRET.encode(), stamp, body) if signature is None else signature
    return signed_by_slack(secret=SECRET, timestamp=stamp, signature=made, body=body, now=now)


@given(st.binary(max_size=200), st.integers(min_value=-299, max_value=299))
def test_signature_is_valid_for_five_minutes(body: bytes, age: int) -> None:
    assert holds(body=body, now=NOW + age)


def test_old_and_future_signatures_are_refused() -> None:
    assert not holds(now=NOW + 302)
    assert not holds(now=NOW - 302)


SIGNATURE = sign(SECRET.encode(), str(NOW), b"x")


@pytest.mark.parametrize(
    "signature",
    [
        SIGNATURE.upper(),
        SIGNATURE.removeprefix("v0="),
        SIGNATURE.replace("v0", "v1"),
        "",
        f"v0={'é' * 64}",
        f"v0={'１' * 64}",
    ],
)
def test_only_one_signature_format_is_accepted(signature: str) -> None:
    assert holds(signature=SIGNATURE)
    assert not holds(signature=signature)


@given(st.text(max_size=90), st.text(max_size=20))
def test_no_text_in_the_headers_raises_or_holds(signature: str, stamp: str) -> None:
    assert not holds(signature=signature)
    assert not signed_by_slack(secret=SECRET, timestamp=stamp, signature=signature, body=b"", now=NOW)


@given(
    st.binary(min_size=1, max_size=50), st.integers(min_value=0, max_value=49), st.integers(min_value=1, max_value=255)
)
def test_no_byte_of_the_body_can_be_changed(body: bytes, at: int, flip: int) -> None:
    changed = bytearray(body)
    changed[at % len(body)] ^= flip
    signature = sign(SECRET.encode(), str(NOW), body)
    assert not holds(body=bytes(changed), signature=signature)


@pytest.mark.parametrize(
    "stamp", ["", "now", "1700000000.0", " 1700000000", "+1700000000", "1_700_000_000", "١٧٠٠٠٠٠٠٠٠"]
)
def test_timestamp_must_be_plain_digits(stamp: str) -> None:
    assert could_be_signed(timestamp="1700000000", signature=f"v0={'0' * 64}", now=NOW)
    assert not could_be_signed(timestamp=stamp, signature=f"v0={'0' * 64}", now=NOW)
    assert not holds(stamp=stamp)
