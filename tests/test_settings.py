"""Every variable and policy key: a mistake is answered with its name, the rule and an example, never its value."""

from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.checks import cautions, obstacles
from bot.domain.key_strength import why_weak
from bot.settings import Settings, load_policy, load_settings
from tests.support.log_state import kept_logging
from tests.support.rig import POLICY, SECRET_KEY

Run = Callable[..., str]

GOOD = {
    "SLACK_BOT_TOKEN": "xoxb-1",
    "SLACK_SIGNING_SECRET": "signing",
    "SECRET_KEY": "0123456789abcdef",
    "POLICY_FILE": "policy.toml",
}
PRODUCTION = {
    **GOOD,
    "ENVIRONMENT": "production",
    "PUBLIC_URL": "https://switchboard.example.com",
    "PAYMENTS_BASE_URL": "https://payments.example.com",
    "PAYMENTS_PARTNER_ID": "partner",
    "PAYMENTS_PARTNER_SECRET": "secret",
}


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting but the test's own: a folder without ``.env`` and an environment without the contract's variables."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    (tmp_path / "policy.toml").write_text(POLICY)


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run with these settings, which must be refused at once; what the operator reads."""

    def run(**settings: str) -> str:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        with kept_logging():
            assert main(["run"]) == 1
        out, err = capfd.readouterr()
        assert not out
        assert err.startswith("switchboard cannot go on:\n")
        assert "→ " in err
        assert "Traceback" not in err
        return err

    return run


def loaded(monkeypatch: pytest.MonkeyPatch, **settings: str) -> Settings:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return load_settings()


WRONG = [
    ("SLACK_BOT_TOKEN", "sen\ntinel", "one line"),
    ("SLACK_BOT_TOKEN", " \t ", "blank"),
    ("SLACK_SIGNING_SECRET", "sen\x00tinel".replace("\x00", "\x07"), "one line"),
    ("SLACK_APP_TOKEN", "sen\rtinel", "one line"),
    ("SLACK_API_URL", "sentinel", "http or https address"),
    ("SLACK_API_URL", "ftp://sentinel", "http or https address"),
    ("SLACK_API_URL", "https://user:sentinel@slack.com/api/", "credentials"),
    ("PORT", "sentinel", "whole number"),
    ("PORT", "-1", "at least 0"),
    ("PORT", "65536", "at most 65535"),
    ("PORT", "3000.5", "whole number"),
    ("PUBLIC_URL", "sentinel.example.com", "http or https address"),
    ("PUBLIC_URL", "https://", "http or https address"),
    ("PUBLIC_URL", "https://example.com?key=sentinel", "query"),
    ("PUBLIC_URL", "https://example.com/#sentinel", "fragment"),
    ("DATABASE_URL", "sentinel", "must begin with"),
    ("DATABASE_URL", "mysql://user:sentinel@host/x", "must begin with"),
    ("DATABASE_URL", "", ""),
    ("SECRET_KEY", "sen\ntinel", "one line"),
    ("ENVIRONMENT", "sentinel", "'sandbox' or 'production'"),
    ("ENVIRONMENT", "Production", "'sandbox' or 'production'"),
    ("PAYMENTS_BASE_URL", "http://host:sentinel", "http or https address"),
    ("PAYMENTS_BASE_URL", "http://host:99999", "http or https address"),
    ("PAYMENTS_BASE_URL", "http://[::sentinel", "http or https address"),
    ("PAYMENTS_PARTNER_ID", "sen\ntinel", "one line"),
    ("PAYMENTS_PARTNER_SECRET", "sen\ntinel", "one line"),
    ("DELIVERY_BASE_URL", "sentinel", "http or https address"),
    ("DELIVERY_MASTER_KEY", "sen\ntinel", "one line"),
    ("DELIVERY_STORE_KEYS", "sentinel", "JSON object"),
    ("DELIVERY_STORE_KEYS", '["sentinel"]', "JSON object"),
    ("DELIVERY_STORE_KEYS", '{"sentinel": 1}', "JSON object"),
    ("LOCALIZATION_BASE_URL", "sentinel", "http or https address"),
    ("LOCALIZATION_API_KEY", "sen\ntinel", "one line"),
    ("EMAIL_SINGLE_BASE_URL", "sentinel", "http or https address"),
    ("EMAIL_BULK_BASE_URL", "sentinel", "http or https address"),
    ("EMAIL_API_KEY", "sen\ntinel", "one line"),
    ("CALLBACK_ALLOWED_SOURCES", "sentinel", "CIDR"),
    ("CALLBACK_ALLOWED_SOURCES", "10.0.0.0/99", "CIDR"),
    ("CALLBACK_ALLOWED_SOURCES", "10.0.0.1 10.0.0.2", "CIDR"),
    ("PAYMENTS_ALLOWED_SOURCES", "sentinel", "CIDR"),
    ("DELIVERY_ALLOWED_SOURCES", "sentinel", "CIDR"),
    ("TRUSTED_PROXIES", "sentinel", "CIDR"),
    ("METRICS_TOKEN", "sen\ntinel", "one line"),
    ("POLL_SECONDS", "sentinel", "a number"),
    ("POLL_SECONDS", "0", "more than 0"),
    ("POLL_SECONDS", "-1", "more than 0"),
    ("POLL_SECONDS", "nan", "a number"),
    ("POLL_SECONDS", "inf", "a number"),
    ("POLL_SECONDS", "1e300", "at most"),
    ("QUIET_SECONDS", "sentinel", "a number"),
    ("QUIET_SECONDS", "0", "more than 0"),
    ("QUIET_SECONDS", "1e300", "at most"),
    ("COMMAND_PREFIX", "Sentinel", "lower-case"),
    ("COMMAND_PREFIX", "sen tinel", "lower-case"),
    ("COMMAND_PREFIX", "/sentinel", "lower-case"),
    ("COMMAND_PREFIX", "sentinel-sentinel-sentinel", "at most 16"),
    ("LOG_FORMAT", "sentinel", "'console' or 'json'"),
]


@pytest.mark.parametrize(("name", "value", "rule"), [case for case in WRONG if case[1]])
def test_a_wrong_variable_is_named_with_its_rule_and_an_example(refused: Run, name: str, value: str, rule: str) -> None:
    said = refused(**{**GOOD, name: value})
    [line] = [line for line in said.splitlines() if line.startswith(f"{name}: ")]
    assert rule in line
    assert f"Example: {name}=" in line
    assert "sentinel" not in said.casefold()
    if len(value) > 8:
        assert value not in said


def test_every_variable_is_in_the_table() -> None:
    free = {"HOST", "POLICY_FILE", "SERVICES_FILE"}  # any text; what it leads to shows at start
    assert {name.upper() for name in Settings.model_fields} - free == {name for name, _, _ in WRONG}


def test_everything_wrong_is_said_at_once(refused: Run) -> None:
    Path("policy.toml").unlink()
    said = refused(PORT="x", ENVIRONMENT="x", LOG_FORMAT="x", SLACK_BOT_TOKEN="xoxp-1", SERVICES_FILE="absent.toml")
    assert [line.split()[0].rstrip(":") for line in said.splitlines()[1:-1]] == [
        "SLACK_BOT_TOKEN",
        "PORT",
        "ENVIRONMENT",
        "LOG_FORMAT",
        "POLICY_FILE",
        "SECRET_KEY",
        "SLACK_SIGNING_SECRET",
        "SERVICES_FILE",
    ]


def test_a_wrong_policy_hides_no_weak_setting(refused: Run) -> None:
    Path("policy.toml").write_text("approvals = C0")
    said = refused(**PRODUCTION | {"SECRET_KEY": "x" * 40, "PAYMENTS_BASE_URL": "http://payments.example.com"})
    for name in ("POLICY_FILE", "SECRET_KEY", "PAYMENTS_BASE_URL"):
        assert f"\n{name}" in said


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("SLACK_BOT_TOKEN", "xapp-1-A0", "begins with xoxb-"),
        ("SLACK_BOT_TOKEN", "xoxp-1-A0", "begins with xoxb-"),
        ("SLACK_APP_TOKEN", "xoxb-1-A0", "begins with xapp-"),
    ],
)
def test_a_token_of_another_kind_is_refused_with_its_form(refused: Run, name: str, value: str, rule: str) -> None:
    said = refused(**{**GOOD, name: value})
    assert f"{name}: must be" in said
    assert rule in said
    assert value not in said


@pytest.mark.parametrize(
    "key", ["a" * 64, "abcdabcdabcdabcdabcd", "correct horse 42correct horse 42", "changeme-secret-key-1234"]
)
def test_a_key_that_can_be_guessed_is_refused_in_production_and_named_in_the_sandbox(
    refused: Run, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    said = refused(**PRODUCTION | {"SECRET_KEY": key})
    [line] = [line for line in said.splitlines() if line.startswith("SECRET_KEY must")]
    assert "switchboard rotate-key" in line
    assert key not in said
    [caution] = cautions(loaded(monkeypatch, ENVIRONMENT="sandbox", SECRET_KEY=key))
    assert caution.startswith("production would refuse this: SECRET_KEY must")


def test_a_key_of_a_generator_is_taken() -> None:
    for key in ("3q2-7wEB9VdUcZxKf0aQm1Lr8sTyHgJp4nXoIiRkWb5", "9f86d081884c7d659a2feaa0c55ad015", SECRET_KEY):
        assert not why_weak(key)


def test_a_service_that_is_configured_in_part_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    half = loaded(monkeypatch, PAYMENTS_BASE_URL="https://pay.example.com", PAYMENTS_PARTNER_ID="partner")
    [said] = cautions(half)
    assert said.startswith(
        "payments is only partly configured, so its commands are off: PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID are set, "
        "PAYMENTS_PARTNER_SECRET is missing. Example: PAYMENTS_PARTNER_SECRET="
    )


@pytest.mark.parametrize(
    ("address", "other", "what"),
    [
        ("EMAIL_SINGLE_BASE_URL", "EMAIL_BULK_BASE_URL", "whole files"),
        ("EMAIL_BULK_BASE_URL", "EMAIL_SINGLE_BASE_URL", "single addresses"),
    ],
)
def test_each_address_of_the_email_service_works_alone(
    monkeypatch: pytest.MonkeyPatch, address: str, other: str, what: str
) -> None:
    half = loaded(monkeypatch, **{address: "https://mail.example.com", "EMAIL_API_KEY": "key"})
    assert half.missing_for_emails == ()
    assert {half.missing_for_single_emails, half.missing_for_email_files} == {(), (other,)}
    [said] = cautions(half)
    assert said.startswith(f"e-mail processing works, but not for {what}: {other} is missing. Example: {other}=")
    keyless = loaded(monkeypatch, **{address: "https://mail.example.com", "EMAIL_API_KEY": ""})
    assert keyless.missing_for_emails == (other, "EMAIL_API_KEY")


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SECRET_KEY"])
@pytest.mark.parametrize("how", ["absent", "empty"])
def test_what_run_needs_is_named_when_it_is_missing(refused: Run, name: str, how: str) -> None:
    settings = {key: value for key, value in GOOD.items() if key != name} | ({name: ""} if how == "empty" else {})
    assert f"{name} is missing. Example: {name}=" in refused(**settings)


def test_socket_mode_needs_no_signing_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, SLACK_BOT_TOKEN="xoxb-1", SLACK_APP_TOKEN="xapp-1", SECRET_KEY="k")
    assert settings.socket_mode
    assert not obstacles(settings, load_policy(Path("policy.toml")))


def test_defaults_are_those_of_the_contract() -> None:
    settings = load_settings()
    assert (settings.slack_api_url, settings.host, settings.port) == ("https://slack.com/api/", "127.0.0.1", 3000)
    assert settings.database_url == "sqlite+aiosqlite:///switchboard.db"
    assert (settings.poll_seconds, settings.quiet_seconds) == (30, 900)
    assert (settings.environment, settings.log_format, settings.command_prefix) == ("sandbox", "console", "")
    assert (str(settings.policy_file), settings.services_file) == ("policy.toml", None)
    assert (settings.callback_allowed_sources, settings.trusted_proxies) == ((), ())
    assert settings.missing_for_payments == ("PAYMENTS_BASE_URL", "PAYMENTS_PARTNER_ID", "PAYMENTS_PARTNER_SECRET")


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("postgres://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d"),
        ("postgresql+psycopg://u@h:5433/d?sslmode=require", "postgresql+psycopg://u@h:5433/d?sslmode=require"),
        ("sqlite:///x.db", "sqlite+aiosqlite:///x.db"),
        ("sqlite+aiosqlite:////data/x.db", "sqlite+aiosqlite:////data/x.db"),
    ],
)
def test_database_addresses_are_normalised(monkeypatch: pytest.MonkeyPatch, given: str, meant: str) -> None:
    assert loaded(monkeypatch, DATABASE_URL=given).database_url == meant


@pytest.mark.parametrize("seconds", ["0.05", "1", "1e3", "86400"])
def test_paces_take_any_positive_number(monkeypatch: pytest.MonkeyPatch, seconds: str) -> None:
    settings = loaded(monkeypatch, POLL_SECONDS=seconds, QUIET_SECONDS=seconds)
    assert (settings.poll_seconds, settings.quiet_seconds) == (float(seconds), float(seconds))


def test_addresses_and_networks_are_read_as_people_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(
        monkeypatch,
        SLACK_API_URL="http://127.0.0.1:4000/api",
        PUBLIC_URL="https://example.com/base/",
        PAYMENTS_BASE_URL="http://[::1]:8080/v1/",
        CALLBACK_ALLOWED_SOURCES=" 203.0.113.7, 198.51.100.0/24 ,2001:db8::/32,",
        TRUSTED_PROXIES="10.0.0.1/8",
        SLACK_BOT_TOKEN=" xoxb-1\n",
    )
    assert settings.slack_api_url == "http://127.0.0.1:4000/api/"
    assert (settings.public_url, settings.payments_base_url) == ("https://example.com/base", "http://[::1]:8080/v1")
    assert settings.callback_allowed_sources == tuple(
        map(ip_network, ("203.0.113.7", "198.51.100.0/24", "2001:db8::/32"))
    )
    assert settings.trusted_proxies == (ip_network("10.0.0.0/8"),)
    assert settings.slack_bot_token is not None
    assert settings.slack_bot_token.get_secret_value() == "xoxb-1"


def test_the_env_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_text(
        'PORT=4001\nHOST=0.0.0.0\n# a comment\nDELIVERY_STORE_KEYS={"Centro": "key-1"}\nFOREIGN=1\n'
    )
    settings = loaded(monkeypatch, HOST="127.0.0.2")
    assert (settings.port, settings.host) == (4001, "127.0.0.2")
    assert settings.delivery_store_keys["Centro"].get_secret_value() == "key-1"


def test_an_env_file_that_is_no_text_is_named(refused: Run) -> None:
    Path(".env").write_bytes(b"PORT=\xff\xfe")
    assert ".env: must be a text file" in refused()


def test_secrets_know_each_other_and_hide_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(
        monkeypatch,
        SLACK_BOT_TOKEN="xoxb-s1",
        SLACK_SIGNING_SECRET="s2-signing",
        SLACK_APP_TOKEN="xapp-s3",
        SECRET_KEY="s4-key",
        PAYMENTS_PARTNER_SECRET="s5-partner",
        DELIVERY_MASTER_KEY="s6-master",
        DELIVERY_STORE_KEYS='{"Centro": "s7-store"}',
        LOCALIZATION_API_KEY="s8-localization",
        EMAIL_API_KEY="s9-email",
        DATABASE_URL="postgresql://user:s10%2Fpass@host/x",
    )
    bare = [secret.removeprefix("xoxb-").removeprefix("xapp-") for secret in settings.secrets()]
    assert {secret[:3].rstrip("-") for secret in bare} == {f"s{n}" for n in range(1, 11)}
    assert "s10/pass" in settings.secrets()
    shown = repr(settings.model_copy(update={"database_url": ""})) + str(settings.delivery_store_keys)
    assert not [secret for secret in settings.secrets() if secret in shown]


WEAK = [
    ("SLACK_API_URL", "http://slack.example.com/api/"),
    ("PUBLIC_URL", "http://switchboard.example.com"),
    ("PUBLIC_URL", "http://127.0.0.1.example.com"),
    ("PUBLIC_URL", "http://10.0.0.1"),
    ("PAYMENTS_BASE_URL", "http://payments.example.com"),
    ("DELIVERY_BASE_URL", "http://delivery.example.com"),
    ("LOCALIZATION_BASE_URL", "http://localization.example.com"),
    ("EMAIL_SINGLE_BASE_URL", "http://email.example.com"),
    ("EMAIL_BULK_BASE_URL", "http://email.example.com"),
    ("SECRET_KEY", "too-short"),
]


@pytest.mark.parametrize(("name", "value"), WEAK)
def test_production_refuses_each_weak_setting_by_name(refused: Run, name: str, value: str) -> None:
    said = refused(**{**PRODUCTION, name: value})
    [line] = [line for line in said.splitlines() if name in line]
    assert f"Example: {name}=" in line
    assert value not in said


def test_production_wants_an_address_for_callbacks(refused: Run) -> None:
    said = refused(**{name: value for name, value in PRODUCTION.items() if name != "PUBLIC_URL"})
    assert "PUBLIC_URL is missing" in said


def test_production_wants_somebody_who_could_approve(refused: Run) -> None:
    Path("policy.toml").write_text(POLICY.replace('approvers = ["S0TREASURY"]', "approvers = []"))
    assert "people.approvers" in refused(**PRODUCTION)


def test_production_names_all_weaknesses_at_once(refused: Run) -> None:
    weak = dict(WEAK[:1] + WEAK[4:])
    said = refused(**PRODUCTION | weak)
    assert [name for name in weak if name in said] == list(weak)


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "[::1]:1", "127.8.8.8"])
def test_production_takes_plain_http_on_this_machine(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    settings = loaded(monkeypatch, **PRODUCTION | {"PAYMENTS_BASE_URL": f"http://{host}"})
    assert not obstacles(settings, load_policy(Path("policy.toml")))


def test_the_sandbox_takes_plain_http_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = loaded(monkeypatch, **PRODUCTION | dict(WEAK) | {"ENVIRONMENT": "sandbox"})
    assert not obstacles(settings, load_policy(Path("policy.toml")))


def test_production_is_warned_of_callbacks_from_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    delivery = {"DELIVERY_BASE_URL": "https://delivery.example.com", "DELIVERY_MASTER_KEY": "key"}
    open_to_all = loaded(monkeypatch, **PRODUCTION | delivery)
    assert [caution.partition(" is")[0] for caution in cautions(open_to_all)] == [
        "PAYMENTS_ALLOWED_SOURCES",
        "DELIVERY_ALLOWED_SOURCES",
        "METRICS_TOKEN",
    ]
    assert not cautions(loaded(monkeypatch, ENVIRONMENT="sandbox"))
    closed = {
        "CALLBACK_ALLOWED_SOURCES": "203.0.113.7",
        "DELIVERY_ALLOWED_SOURCES": "203.0.113.9",
        "METRICS_TOKEN": "t",
    }
    assert not cautions(loaded(monkeypatch, ENVIRONMENT="production", **closed))


def test_the_older_name_of_the_list_of_payments_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    older = loaded(monkeypatch, CALLBACK_ALLOWED_SOURCES="203.0.113.7")
    assert (older.payments_sources, older.delivery_allowed_sources) == ((ip_network("203.0.113.7"),), ())
    both = loaded(monkeypatch, PAYMENTS_ALLOWED_SOURCES="198.51.100.0/24")
    assert both.payments_sources == (ip_network("198.51.100.0/24"),)
    assert "CALLBACK_ALLOWED_SOURCES is not looked at" in cautions(both)[0]


MINIMUM = '[channels]\napprovals = "C0APPROVE"\n'
WRONG_POLICY = [
    ("", "channels", "is missing", 'approvals = "C0APPROVE"'),
    ("[channels]\n", "channels.approvals", "is missing", 'approvals = "C0APPROVE"'),
    ('[channels]\napprovals = ""\n', "channels.approvals", "channel id", 'approvals = "C0APPROVE"'),
    ('[channels]\napprovals = "#money"\n', "channels.approvals", "channel id", 'approvals = "C0APPROVE"'),
    ("[channels]\napprovals = 7\n", "channels.approvals", "text in quotes", 'approvals = "C0APPROVE"'),
    (f'{MINIMUM}payments = "money"\n', "channels.payments", "channel id", 'payments = "C0MONEY"'),
    (f'{MINIMUM}bookings = "money"\n', "channels.bookings", "channel id", 'bookings = "C0DELIVERY"'),
    (f'{MINIMUM}alerts = "money"\n', "channels.alerts", "channel id", 'alerts = "C0ALERTS"'),
    (f'{MINIMUM}alert = "C0ALERTS"\n', "channels.alert", "no key", 'alerts = "C0ALERTS"'),
    (f'{MINIMUM}[channels.stores]\nX = "x"\n', "channels.stores.X", "channel id", '"Store name" = "C0STORE"'),
    (f"{MINIMUM}[aproval]\n", "aproval", "no key", "[approval]"),
    ('channels = "C0APPROVE"\n', "channels", "section", "[channels]"),
    (f'{MINIMUM}[people]\nrequesters = "S0FINANCE"\n', "people.requesters", "list", 'requesters = ["S0FINANCE"]'),
    (f'{MINIMUM}[people]\napprovers = ["ada"]\n', "people.approvers.1", "user id", 'approvers = ["S0TREASURY"]'),
    (f'{MINIMUM}[people]\napprovers = ["U1", 7]\n', "people.approvers.2", "text", 'approvers = ["S0TREASURY"]'),
    (f'{MINIMUM}[people]\nadmins = ["@olga"]\n', "people.admins.1", "user id", 'admins = ["U0ADMIN"]'),
    (f'{MINIMUM}[people]\napprovers = ["*"]\n', "people", 'not "*"', 'approvers = ["S0TREASURY"]'),
    (f'{MINIMUM}[people]\napprover = ["U1"]\n', "people.approver", "no key", 'approvers = ["S0TREASURY"]'),
    (f"{MINIMUM}[approval]\nquorum = 0\n", "approval.quorum", "at least 1", "quorum = 1"),
    (f"{MINIMUM}[approval]\nquorum = 21\n", "approval.quorum", "at most 20", "quorum = 1"),
    (f'{MINIMUM}[approval]\nquorum = "two"\n', "approval.quorum", "whole number", "quorum = 1"),
    (f"{MINIMUM}[approval]\nquorum = 1.5\n", "approval.quorum", "whole number", "quorum = 1"),
    (f'{MINIMUM}[approval]\nexpires = "24"\n', "approval.expires", "unit s, m, h or d", 'expires = "24h"'),
    (f'{MINIMUM}[approval]\nexpires = "-1h"\n', "approval.expires", "unit s, m, h or d", 'expires = "24h"'),
    (f'{MINIMUM}[approval]\nexpires = "99999999999d"\n', "approval.expires", "ten years", 'expires = "24h"'),
    (f"{MINIMUM}[approval]\nexecute_within = 60\n", "approval.execute_within", "unit", 'execute_within = "60m"'),
    (f"{MINIMUM}[approval]\ndaily_limit = 25000\n", "approval.daily_limit", "in quotes", 'daily_limit = "25000.00"'),
    (f'{MINIMUM}[approval]\ndaily_limit = "1e3"\n', "approval.daily_limit", "1000.00", 'daily_limit = "25000.00"'),
    (f'{MINIMUM}[approval]\ndaily_limt = "1.00"\n', "approval.daily_limt", "no key", 'daily_limit = "25000.00"'),
    (f"{MINIMUM}[[approval.rule]]\nquorum = 2\n", "approval.rule.1", "condition", "[[approval.rule]]"),
    (f"{MINIMUM}[[approval.rule]]\nover = 1000\n", "approval.rule.1.over", "in quotes", 'over = "1000.00"'),
    (
        f'{MINIMUM}[[approval.rule]]\nover = "1.00"\n[[approval.rule]]\nover = "2.00"\nquorum = 0\n',
        "approval.rule.2.quorum",
        "at least 1",
        "quorum = 2",
    ),
    (
        f'{MINIMUM}[[approval.rule]]\nover = "1.00"\ntyped_amount = "perhaps"\n',
        "approval.rule.1.typed_amount",
        "true or false",
        "typed_amount = true",
    ),
    (
        f'{MINIMUM}[[approval.rule]]\nover = "1.00"\ntyped = true\n',
        "approval.rule.1.typed",
        "no key",
        "typed_amount = true",
    ),
    (f'{MINIMUM}[approval]\nrule = "x"\n', "approval.rule", "list", "[[approval.rule]]"),
]


@pytest.mark.parametrize(("text", "key", "rule", "example"), WRONG_POLICY, ids=lambda value: str(value)[-40:])
def test_a_wrong_policy_key_is_named_with_its_rule_and_an_example(
    refused: Run, text: str, key: str, rule: str, example: str
) -> None:
    Path("policy.toml").write_text(text)
    said = refused(**GOOD)
    [line] = [line for line in said.splitlines() if line.startswith(f"policy.toml: {key}")]
    assert rule in line
    assert example in line.partition("Example: ")[2]


@pytest.mark.parametrize(
    ("prepare", "rule"),
    [
        (lambda path: path.unlink(), "there is no file"),
        (lambda path: path.write_text("approvals = C0"), "cannot be read as TOML"),
        (lambda path: path.write_bytes(b'x = "\xff"'), "not UTF-8"),
        (lambda path: (path.unlink(), path.mkdir()), "cannot be read"),
    ],
    ids=["absent", "no TOML", "no text", "a folder"],
)
def test_a_policy_file_that_cannot_be_read_is_named(refused: Run, prepare: Callable[[Path], object], rule: str) -> None:
    prepare(Path("policy.toml"))
    said = refused(**GOOD)
    assert f"POLICY_FILE: {'there is' if 'there' in rule else chr(39)}" in said
    assert rule in said
    assert "Example: POLICY_FILE=policy.toml" in said


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("5m", 300), ("24h", 86_400), ("2d", 172_800)])
def test_policy_durations_take_four_units(text: str, seconds: float) -> None:
    Path("policy.toml").write_text(f'{MINIMUM}[approval]\nexpires = "{text}"\nexecute_within = "{text}"\n')
    approval = load_policy(Path("policy.toml")).approval
    assert (approval.expires, approval.execute_within) == (seconds, seconds)


def test_the_example_policy_is_a_policy() -> None:
    assert load_policy(Path(__file__).parents[1] / "policy.example.toml").channels.approvals


def test_the_example_environment_names_variables_of_the_contract_and_no_value_of_a_secret() -> None:
    lines = (Path(__file__).parents[1] / ".env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert {name.lower() for name in given} <= set(Settings.model_fields)
    assert not [name for name, value in given.items() if value and ("SECRET" in name or "TOKEN" in name)]
