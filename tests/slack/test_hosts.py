"""Which addresses may get the token, a file or an answer: Slack's own, of the Slack that we are in."""

import pytest

from bot.slack.authenticity import Hosts

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
def test_each_slack_has_hosts_of_its_own(pattern: str, downloads: bool, uploads: bool, answers: bool) -> None:
    at_home = (downloads, uploads, answers)
    assert judged(Hosts(COMMERCIAL), pattern.format("slack.com")) == at_home
    assert judged(Hosts(GOVERNMENT), pattern.format("slack-gov.com")) == at_home
    assert judged(Hosts("https://api.slack-gov.com/api/"), pattern.format("slack-gov.com")) == at_home
    assert judged(Hosts(COMMERCIAL), pattern.format("slack-gov.com")) == (False, False, False)
    assert judged(Hosts(GOVERNMENT), pattern.format("slack.com")) == (False, False, False)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "https://[broken/a", "", "nowhere", "//files.slack.com/a"])
def test_what_is_no_address_is_nobodys(url: str) -> None:
    for api_url in (COMMERCIAL, GOVERNMENT, LOCAL):
        assert judged(Hosts(api_url), url) == (False, False, False)


def test_the_host_of_the_web_api_is_trusted_and_only_at_its_port() -> None:
    assert judged(Hosts(LOCAL), "http://127.0.0.1:8080/anything") == (True, True, True)
    assert judged(Hosts(LOCAL), "http://127.0.0.1:8081/anything") == (False, False, False)
    assert judged(Hosts(LOCAL), "https://127.0.0.1:8080/anything") == (False, False, False)


def test_a_host_that_only_looks_like_the_governments_is_not() -> None:
    assert judged(Hosts("https://evilslack-gov.com/api/"), "https://files.slack-gov.com/a") == (False, False, False)
