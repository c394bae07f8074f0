"""Every variable and policy key: a mistake is answered with its name, the rule and an example, never its value."""

import socket
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path

import pytest

from bot.cli.checks import cautions, obstacles
from bot.cli.main import main
from bot.clients.transport import PreparedRequest, Transport, open_session
from bot.domain.outcome import Failure
from bot.domain.references import why_weak
from bot.settings import Settings, load_policy, load_settings
from storage import disk_space
from tests.support.fixtures import Patch
from tests.support.log_state import kept_logging
from tests.support.operator import at_home
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
def _bare(monkeypatch: Patch, tmp_path: Path) -> None:
    """No setting but the test's own: a folder without ``.env`` and an environment without the contract's variables."""
    at_home(monkeypatch, tmp_path)
    mounted(monkeypatch, "/", "ext4")  # whatever the tests' own folder lies on


def mounted(monkeypatch: Patch, point: object, kind: str) -> None:
    mounts = Path("mountinfo").absolute()
    escaped = str(point).replace(" ", "\\040")
    mounts.write_text(f"22 27 0:21 / {escaped} rw shared:7 - {kind} source rw\n")
    monkeypatch.setattr(disk_space, "_MOUNTS", mounts)


@pytest.fixture
def refused(monkeypatch: Patch, capfd: pytest.CaptureFixture[str]) -> Run:
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


def loaded(monkeypatch: Patch, **settings: str) -> Settings:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return load_settings()


_SECRETS = ("SLACK_APP_TOKEN", "PAYMENTS_PARTNER_ID", "PAYMENTS_PARTNER_SECRET", "DELIVERY_MASTER_KEY", "METRICS_TOKEN")
_SERVICES = ("DELIVERY_BASE_URL", "LOCALIZATION_BASE_URL", "EMAIL_SINGLE_BASE_URL", "EMAIL_BULK_BASE_URL")
_SOURCES = ("PAYMENTS_ALLOWED_SOURCES", "DELIVERY_ALLOWED_SOURCES", "TRUSTED_PROXIES")
WRONG: dict[str, dict[str, list[str]]] = {
    "must be one line without control characters.": {
        **{key: ["sen\ntinel"] for key in (*_SECRETS, "SECRET_KEY", "LOCALIZATION_API_KEY", "EMAIL_API_KEY")},
        "SLACK_BOT_TOKEN": ["sen\rtinel"],
        "SLACK_SIGNING_SECRET": ["sen\x07tinel"],
    },
    "must not be blank.": {"SLACK_BOT_TOKEN": [" \t "]},
    "must be an http or https address.": {
        **{key: ["sentinel"] for key in (*_SERVICES, "DELIVERY_DASHBOARD_URL")},
        "SLACK_API_URL": ["sentinel", "ftp://sentinel"],
        "PUBLIC_URL": ["sentinel.example.com", "https://"],
        "PAYMENTS_BASE_URL": ["http://host:sentinel", "http://host:99999", "http://[::sentinel"],
        "DELIVERY_SUPPORT_URL": ["ftp://sentinel"],
    },
    "must not hold credentials, a query or a fragment.": {
        "SLACK_API_URL": ["https://user:sentinel@slack.com/api/"],
        "PUBLIC_URL": ["https://example.com?key=sentinel", "https://example.com/#sentinel"],
        "DELIVERY_DASHBOARD_URL": ["https://user:sentinel@host/"],
    },
    "must be an address without spaces or any of < > | and quotes.": {
        "DELIVERY_SUPPORT_URL": ["https://host/sentinel|x"]
    },
    "must be a whole number.": {"PORT": ["sentinel", "3000.5"], "LOCALIZATION_TEXT_CHARACTERS": ["sentinel"]},
    "must be at least 0.": {"PORT": ["-1"]},
    "must be at most 65535.": {"PORT": ["65536"]},
    "must begin with sqlite+aiosqlite:/// or postgresql://.": {
        "DATABASE_URL": ["sentinel", "mysql://user:sentinel@host/x"]
    },
    "must be 'sandbox' or 'production'.": {"ENVIRONMENT": ["sentinel", "Production"]},
    "must be a JSON object, store name to key.": {
        "DELIVERY_STORE_KEYS": ["sentinel", '["sentinel"]', '{"sentinel": 1}']
    },
    "must be addresses or CIDR ranges separated by commas.": {
        "CALLBACK_ALLOWED_SOURCES": ["sentinel", "10.0.0.0/99", "10.0.0.1 10.0.0.2"],
        **{key: ["sentinel"] for key in _SOURCES},
    },
    "must be a number.": {"POLL_SECONDS": ["sentinel"], "QUIET_SECONDS": ["sentinel"]},
    "must be at least 100.": {"LOCALIZATION_TEXT_CHARACTERS": ["99"]},
    "must be at most 100000.": {"LOCALIZATION_TEXT_CHARACTERS": ["100001"]},
    "must be more than 0.": {"POLL_SECONDS": ["0", "-1"], "QUIET_SECONDS": ["0"]},
    "must be a finite number.": {"POLL_SECONDS": ["nan", "inf"]},
    "must be at most 1000000000.": {"POLL_SECONDS": ["1e300"], "QUIET_SECONDS": ["1e300"]},
    "must be lower-case letters, digits, - or _.": {"COMMAND_PREFIX": ["Sentinel", "sen tinel", "/sentinel"]},
    "must have at most 16 characters.": {"COMMAND_PREFIX": ["sentinel-sentinel-sentinel"]},
    "must be 'console' or 'json'.": {"LOG_FORMAT": ["sentinel"]},
    "must be 'debug', 'info', 'warning' or 'error'.": {"LOG_LEVEL": ["sentinel"]},
}
"""Values that are refused, by the rule they break. Passwords and keys in them are called sentinel."""


@pytest.mark.parametrize("rule", WRONG)
def test_wrong_variable_is_named_with_its_rule_and_an_example(refused: Run, monkeypatch: Patch, rule: str) -> None:
    for name, value in ((name, value) for name, values in WRONG[rule].items() for value in values):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            said = refused(**{key: good for key, good in GOOD.items() if key != name})
        [line] = [line for line in said.splitlines() if line.startswith(f"{name}: ")]
        assert line.startswith(f"{name}: {rule} Example: {name}="), line
        assert "sentinel" not in said.casefold()
        assert value not in said or len(value) <= 8


def test_every_variable_is_in_the_table() -> None:
    free = {"HOST", "ANCHORS_FILE", "POLICY_FILE", "SERVICES_FILE"}  # any text; what it leads to shows at start
    assert {name.upper() for name in Settings.model_fields} - free == {
        name for names in WRONG.values() for name in names
    }


def test_all_wrong_settings_are_reported_together(refused: Run) -> None:
    Path("policy.toml").unlink()
    said = refused(PORT="x", ENVIRONMENT="x", LOG_FORMAT="x", SLACK_BOT_TOKEN="xoxp-1", SERVICES_FILE="absent.toml")
    named = [line.split()[0].rstrip(":") for line in said.splitlines()[1:-1]]
    expected = "SLACK_BOT_TOKEN PORT ENVIRONMENT LOG_FORMAT POLICY_FILE SECRET_KEY SLACK_SIGNING_SECRET SERVICES_FILE"
    assert named == expected.split()


def test_wrong_policy_and_weak_settings_are_both_reported(refused: Run) -> None:
    Path("policy.toml").write_text("approvals = C0")
    said = refused(**PRODUCTION | {"SECRET_KEY": "x" * 40, "PAYMENTS_BASE_URL": "http://payments.example.com"})
    assert [line.split()[0] for line in said.splitlines()[1:-1]] == ["POLICY_FILE:", "PAYMENTS_BASE_URL", "SECRET_KEY"]


def test_wrong_kind_of_token_is_refused(refused: Run) -> None:
    said = refused(**GOOD | {"SLACK_BOT_TOKEN": "xapp-1-A0", "SLACK_APP_TOKEN": "xoxb-1-A0"})
    assert [line.partition(" Example")[0] for line in said.splitlines()[1:-1]] == [
        "SLACK_BOT_TOKEN: must be a bot token, which begins with xoxb-.",
        "SLACK_APP_TOKEN: must be an app-level token, which begins with xapp-.",
    ]
    assert refused(SLACK_BOT_TOKEN="xoxp-1-A0") == said


@pytest.mark.parametrize(
    "key", ["a" * 64, "abcdabcdabcdabcdabcd", "correct horse 42correct horse 42", "changeme-secret-key-1234"]
)
def test_guessable_key_is_refused_in_production(refused: Run, monkeypatch: Patch, key: str) -> None:
    said = refused(**PRODUCTION | {"SECRET_KEY": key})
    assert said.splitlines()[1].endswith("takes another one by `switchboard rotate-key`")
    assert key not in said
    [caution] = cautions(loaded(monkeypatch, ENVIRONMENT="sandbox", SECRET_KEY=key))
    assert caution.startswith("production would refuse this: SECRET_KEY must")


def test_generated_key_is_accepted() -> None:
    for key in ("3q2-7wEB9VdUcZxKf0aQm1Lr8sTyHgJp4nXoIiRkWb5", "9f86d081884c7d659a2feaa0c55ad015", SECRET_KEY):
        assert not why_weak(key)


@pytest.mark.parametrize(
    ("address", "other"),
    [("EMAIL_SINGLE_BASE_URL", "EMAIL_BULK_BASE_URL"), ("EMAIL_BULK_BASE_URL", "EMAIL_SINGLE_BASE_URL")],
)
def test_each_address_of_the_email_service_works_alone(monkeypatch: Patch, address: str, other: str) -> None:
    half = loaded(monkeypatch, **{address: "https://mail.example.com", "EMAIL_API_KEY": "key"})
    assert half.missing_for_emails == ()
    assert {half.missing_for_single_emails, half.missing_for_email_files} == {(), (other,)}
    [said] = cautions(half)
    assert f"{other} is missing. Example: {other}=" in said
    keyless = loaded(monkeypatch, **{address: "https://mail.example.com", "EMAIL_API_KEY": ""})
    assert keyless.missing_for_emails == (other, "EMAIL_API_KEY")


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SECRET_KEY"])
@pytest.mark.parametrize("how", ["absent", "empty"])
def test_missing_required_settings_are_named(refused: Run, name: str, how: str) -> None:
    settings = {key: value for key, value in GOOD.items() if key != name} | ({name: ""} if how == "empty" else {})
    assert refused(**settings).splitlines()[1].startswith(f"{name} is missing. Example: {name}=")


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
def test_database_addresses_are_normalised(monkeypatch: Patch, given: str, meant: str) -> None:
    assert loaded(monkeypatch, DATABASE_URL=given).database_url == meant


@pytest.mark.parametrize("seconds", ["0.05", "1", "1e3", "86400"])
def test_paces_take_any_positive_number(monkeypatch: Patch, seconds: str) -> None:
    settings = loaded(monkeypatch, POLL_SECONDS=seconds, QUIET_SECONDS=seconds)
    assert (settings.poll_seconds, settings.quiet_seconds) == (float(seconds), float(seconds))


def test_addresses_and_networks_are_read_as_people_write_them(monkeypatch: Patch) -> None:
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


async def test_service_host_is_the_configured_one(monkeypatch: Patch) -> None:
    """Python's own codec spells it by IDNA 2003, where this is somebody else's host: ``fass.example``."""
    settings = loaded(monkeypatch, PAYMENTS_BASE_URL="http://Faß.example:8080/v1/", PUBLIC_URL="https://βόλος.example")
    assert settings.public_url == "https://xn--nxasmm1c.example"
    asked: list[object] = []

    def nobody(host: object, *_: object, **__: object) -> None:
        asked.append(host)
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    assert settings.payments_base_url is not None
    async with open_session() as session:
        transport = Transport(session=session, base_url=settings.payments_base_url, service="payments")
        reply = await transport.send(PreparedRequest(operation="x", method="GET", path="/x", headers={}))
    assert (reply.failure, asked) == (Failure.NOT_CONNECTED, ["xn--fa-hia.example"])


def test_environment_overrides_the_env_file(monkeypatch: Patch) -> None:
    Path(".env").write_text(
        'PORT=4001\nHOST=0.0.0.0\n# a comment\nDELIVERY_STORE_KEYS={"Centro": "key-1"}\nFOREIGN=1\n'
    )
    settings = loaded(monkeypatch, HOST="127.0.0.2")
    assert (settings.port, settings.host) == (4001, "127.0.0.2")
    assert settings.delivery_store_keys["Centro"].get_secret_value() == "key-1"


def test_binary_env_file_is_named(refused: Run) -> None:
    Path(".env").write_bytes(b"PORT=\xff\xfe")
    assert refused().splitlines()[1].startswith(".env: must be a text file that this user may read. Example: ")


SECRET_FIELDS = sorted(name for name, field in Settings.model_fields.items() if "SecretStr" in str(field.annotation))


def test_secrets_know_each_other_and_hide_themselves(monkeypatch: Patch) -> None:
    secrets = {name: f"s-{name}" for name in SECRET_FIELDS}
    secrets |= {"slack_bot_token": "xoxb-s1", "slack_app_token": "xapp-s2", "delivery_store_keys": '{"Centro": "s-3"}'}
    secrets |= {"database_url": "postgresql://user:s10%2Fpass@host/x"}
    settings = loaded(monkeypatch, **{name.upper(): value for name, value in secrets.items()})
    assert {"xoxb-s1", "xapp-s2", "s-3", "s10/pass", "s-secret_key", "s-email_api_key"} <= set(settings.secrets())
    shown = repr(settings.model_copy(update={"database_url": ""})) + str(settings.delivery_store_keys)
    assert not [secret for secret in settings.secrets() if secret in shown]
    assert settings.hidden_in_words() == settings.secrets()


@pytest.mark.parametrize("name", SECRET_FIELDS)
def test_each_secret_is_redacted_from_service_messages(monkeypatch: Patch, name: str) -> None:
    prefix = {"slack_bot_token": "xoxb-", "slack_app_token": "xapp-"}.get(name, "")
    given = f'{{"Centro": "{name}-canary"}}' if name == "delivery_store_keys" else f"{prefix}{name}-canary"
    assert f"{prefix}{name}-canary" in loaded(monkeypatch, **{name.upper(): given}).hidden_in_words()


def test_secret_within_our_address_is_not_redacted(monkeypatch: Patch) -> None:
    """The services are told the address: with ``switchboard`` as a password no webhook of ours would be found again."""
    settings = loaded(
        monkeypatch,
        DATABASE_URL="postgresql://bot:switchboard@host/x",
        PUBLIC_URL="https://Switchboard.example.com",
        SECRET_KEY="another-secret",
    )
    assert settings.hidden_in_words() == ("another-secret",)


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
    line = refused(**{**PRODUCTION, name: value}).splitlines()[1]
    assert (line.startswith(f"{name} must "), line.count(f"Example: {name}="), value in line) == (True, 1, False), line


def test_socket_mode_runs_in_production_without_an_address(monkeypatch: Patch) -> None:
    shut = {"PAYMENTS_ALLOWED_SOURCES": "203.0.113.7", "METRICS_TOKEN": "t", "SLACK_APP_TOKEN": "xapp-1"}
    settings = loaded(monkeypatch, **{key: PRODUCTION[key] for key in PRODUCTION if key != "PUBLIC_URL"}, **shut)
    assert not obstacles(settings, load_policy(Path("policy.toml")))
    [caution] = cautions(settings)
    assert caution.startswith("PUBLIC_URL is missing, so these are not there: ")


def test_production_warns_about_volatile_storage(monkeypatch: Patch, tmp_path: Path) -> None:
    container = tmp_path / "a container"
    shut = {"PAYMENTS_ALLOWED_SOURCES": "203.0.113.7", "METRICS_TOKEN": "t", "ANCHORS_FILE": "kept.anchors"}
    settings = loaded(monkeypatch, **PRODUCTION, **shut, DATABASE_URL=f"sqlite:///{container}/s.db")
    mounted(monkeypatch, container, "overlay")
    [caution] = cautions(settings)
    assert caution.startswith(
        "the database (DATABASE_URL) lies on overlay, which a restart of the machine or container"
    )
    on_its_disk = settings.model_copy(update={"anchors_file": None})
    assert len(cautions(on_its_disk)) == 2, "the anchors are beside the database"
    mounted(monkeypatch, container, "xfs")
    assert not cautions(on_its_disk)
    monkeypatch.setattr(disk_space, "_MOUNTS", tmp_path / "not there")
    assert not cautions(on_its_disk), "a system that does not tell"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"PUBLIC_URL": ""}, "PUBLIC_URL is missing: Slack and callbacks cannot reach us. Example: PUBLIC_URL="),
        (
            {"DATABASE_URL": "postgresql://user:pass@host/x"},
            "ANCHORS_FILE is missing: with PostgreSQL they need a disk that outlives the process.",
        ),
        ({"approvers": "[]"}, "people.approvers of the policy is empty: nobody could approve. Example: approvers = "),
    ],
)
def test_production_wants_an_address_a_file_of_anchors_and_approvers(
    refused: Run, changes: dict[str, str], said: str
) -> None:
    if "approvers" in changes:
        Path("policy.toml").write_text(POLICY.replace('approvers = ["S0TREASURY"]', "approvers = []"))
    assert refused(**PRODUCTION | changes).splitlines()[1].startswith(said)


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "[::1]:1", "127.8.8.8"])
def test_production_takes_plain_http_on_this_machine(monkeypatch: Patch, host: str) -> None:
    settings = loaded(monkeypatch, **PRODUCTION | {"PAYMENTS_BASE_URL": f"http://{host}"})
    assert not obstacles(settings, load_policy(Path("policy.toml")))


def test_sandbox_accepts_plain_http(monkeypatch: Patch) -> None:
    settings = loaded(monkeypatch, **PRODUCTION | dict(WEAK) | {"ENVIRONMENT": "sandbox"})
    assert not obstacles(settings, load_policy(Path("policy.toml")))


def test_production_is_warned_of_callbacks_from_anywhere(monkeypatch: Patch) -> None:
    delivery = {"DELIVERY_BASE_URL": "https://delivery.example.com", "DELIVERY_MASTER_KEY": "key"}
    named = [caution.partition(" is")[0] for caution in cautions(loaded(monkeypatch, **PRODUCTION | delivery))]
    assert named == ["PAYMENTS_ALLOWED_SOURCES", "DELIVERY_ALLOWED_SOURCES", "METRICS_TOKEN"]
    assert not cautions(loaded(monkeypatch, ENVIRONMENT="sandbox"))
    closed = {"CALLBACK_ALLOWED_SOURCES": "203.0.113.7", "DELIVERY_ALLOWED_SOURCES": "203.0.113.9"}
    assert not cautions(loaded(monkeypatch, ENVIRONMENT="production", METRICS_TOKEN="t", **closed))


def test_older_name_of_payments_sources_still_works(monkeypatch: Patch) -> None:
    older = loaded(monkeypatch, CALLBACK_ALLOWED_SOURCES="203.0.113.7")
    assert (older.payments_sources, older.delivery_allowed_sources) == ((ip_network("203.0.113.7"),), ())
    both = loaded(monkeypatch, PAYMENTS_ALLOWED_SOURCES="198.51.100.0/24")
    assert both.payments_sources == (ip_network("198.51.100.0/24"),)
    assert cautions(both)[0].startswith("CALLBACK_ALLOWED_SOURCES is not looked at")


MINIMUM = 'channels.approvals = "C0APPROVE"\n'
_ID = 'must be a channel id, e.g. "C0APPROVE"'
_PERSON = 'must be a user id or a user group id, e.g. "U0ADMIN" or "S0FINANCE"'
_DURATION = 'must be a positive duration with a unit s, m, h or d, e.g. "24h"'
WRONG_POLICY = {
    "": "channels: is missing",
    "channels = {}": "channels.approvals: is missing",
    'channels.approvals = ""': f"channels.approvals: {_ID}: cards go there",
    'channels.approvals = "#money"': f"channels.approvals: {_ID} (open the channel's details to copy it)",
    "channels.approvals = 7": "channels.approvals: must be text in quotes",
    'channels = "C0APPROVE"': "channels: must be a section",
    'channels.payments = "money"': f"channels.payments: {_ID} (open the channel's details to copy it)",
    'channels.bookings = "money"': f"channels.bookings: {_ID} (open the channel's details to copy it)",
    'channels.alerts = "money"': f"channels.alerts: {_ID} (open the channel's details to copy it)",
    'channels.stores.X = "x"': f"channels.stores.X: {_ID} (open the channel's details to copy it)",
    'channels.alert = "C0ALERTS"': "channels.alert is no key of the policy; there are approvals, payments, bookings",
    "aproval = {}": "aproval is no key of the policy; there are channels, people, approval",
    'people.requesters = "S0FINANCE"': "people.requesters: must be a list",
    'people.approvers = ["ada"]': f"people.approvers.1: {_PERSON}",
    'people.approvers = ["U1", 7]': "people.approvers.2: must be text in quotes",
    'people.admins = ["@olga"]': f"people.admins.1: {_PERSON}",
    'people.approvers = ["*"]': 'people: approvers must name people or groups, not "*"',
    'people.approver = ["U1"]': "people.approver is no key of the policy; there are requesters, approvers, admins",
    "approval.quorum = 0": "approval.quorum: must be at least 1",
    "approval.quorum = 21": "approval.quorum: must be at most 20",
    'approval.quorum = "two"': "approval.quorum: must be a whole number",
    "approval.quorum = 1.5": "approval.quorum: must be a whole number",
    'approval.expires = "24"': f"approval.expires: {_DURATION}",
    'approval.expires = "-1h"': f"approval.expires: {_DURATION}",
    'approval.expires = "99999999999d"': 'approval.expires: must be at most ten years, e.g. "24h"',
    "approval.execute_within = 60": f"approval.execute_within: {_DURATION}",
    "approval.daily_limit = 25000": 'approval.daily_limit: must be an amount in quotes, e.g. "1000.00"',
    'approval.daily_limit = "1e3"': 'approval.daily_limit: it isn\'t an amount, e.g. "1000.00"',
    'approval.daily_limt = "1.00"': "approval.daily_limt is no key of the policy; there are quorum, expires",
    "approval.rule = [{quorum = 2}]": 'approval.rule.1: needs a condition: over = "1000.00", new_recipient = true or',
    "approval.rule = [{over = 1000}]": "approval.rule.1.over: must be an amount in quotes",
    'approval.rule = [{over = "1.00"}, {over = "2.00", quorum = 0}]': "approval.rule.2.quorum: must be at least 1",
    'approval.rule = [{over = "1.00", typed_amount = "perhaps"}]': "approval.rule.1.typed_amount: must be true or",
    'approval.rule = [{over = "1.00", typed = true}]': "approval.rule.1.typed is no key of the policy; there are over",
    'approval.rule = "x"': "approval.rule: must be a list",
}
"""Wrong policies, each with the beginning of its answer; with ``MINIMUM`` before those that name no approvals."""


@pytest.mark.parametrize("text", WRONG_POLICY)
def test_wrong_policy_key_is_named_with_its_rule_and_an_example(refused: Run, text: str) -> None:
    whole = not text or text.startswith(("channels =", "channels.approvals"))
    Path("policy.toml").write_text(text if whole else MINIMUM + text)
    _, line, _ = refused(**GOOD).splitlines()
    rule, _, example = line.partition(" Example: ")
    assert rule.startswith(f"policy.toml: {WRONG_POLICY[text]}"), line
    assert example


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"approvals = C0", "cannot be read as TOML: Invalid value (at line 1, column 13)"),
        (b'x = "\xff"', "cannot be read as TOML: it is not UTF-8"),
        (None, "cannot be read: Is a directory"),
    ],
)
def test_unreadable_policy_file_is_named(refused: Run, content: bytes | None, problem: str) -> None:
    path = Path("policy.toml")
    path.unlink()
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    assert refused(**GOOD).splitlines()[1].startswith(f"POLICY_FILE: 'policy.toml' {problem}. Example: POLICY_FILE=")


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("5m", 300), ("24h", 86_400), ("2d", 172_800)])
def test_policy_durations_take_four_units(text: str, seconds: float) -> None:
    Path("policy.toml").write_text(f'{MINIMUM}[approval]\nexpires = "{text}"\nexecute_within = "{text}"\n')
    approval = load_policy(Path("policy.toml")).approval
    assert (approval.expires, approval.execute_within) == (seconds, seconds)


def test_example_policy_is_valid() -> None:
    assert load_policy(Path(__file__).parents[1] / "policy.example.toml").channels.approvals


def test_example_environment_names_contract_variables_without_secrets() -> None:
    lines = (Path(__file__).parents[1] / ".env.example").read_text().splitlines()
    given = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert {name.lower() for name in given} <= set(Settings.model_fields)
    assert not [name for name, value in given.items() if value and ("SECRET" in name or "TOKEN" in name)]
