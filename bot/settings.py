"""Settings from the environment or ``.env``, and the policy file: read once, checked at start.

An error says variable or key, rule and a right example, never the value: it may be a secret. Names are a contract.
"""

import ipaddress
import json
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from yarl import URL

from bot.domain.errors import OperatorError
from bot.domain.policy import Approval, ApprovalRule, Channels, People, Policy
from bot.domain.references import derived_key

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingsError(OperatorError):
    """Everything that is wrong with the configuration, one line a problem; ``variables`` names those at fault."""

    def __init__(self, problems: Sequence[str], *, variables: Sequence[str] = ()) -> None:
        super().__init__("\n".join(problems), mend="fix the settings listed above, then restart")
        self.problems = problems
        self.variables = variables


class Environment(StrEnum):
    SANDBOX = "sandbox"
    PRODUCTION = "production"


class LogFormat(StrEnum):
    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _url(value: str) -> str:
    try:
        parts = urlsplit(value)
        _ = parts.port
    except ValueError:
        raise ValueError("must be an http or https address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an http or https address")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must not hold credentials, a query or a fragment")
    try:
        return (value if value.isascii() else str(URL(value))).rstrip("/")
    except ValueError:
        raise ValueError("must be an http or https address") from None


def _link(value: str) -> str:
    """An address that people open: a query or fragment may belong to it."""
    _url(value.partition("#")[0].partition("?")[0])
    if not value.isprintable() or any(letter in value for letter in ' <>|"'):
        raise ValueError("must be an address without spaces or any of < > | and quotes")
    return value


def _database(value: str) -> str:
    scheme, _, rest = value.partition("://")
    if scheme in ("sqlite", "sqlite+aiosqlite"):
        return f"sqlite+aiosqlite://{rest}"
    if scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    raise ValueError("must begin with sqlite+aiosqlite:/// or postgresql://")


def _networks(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return tuple(ipaddress.ip_network(part.strip(), strict=False) for part in value.split(",") if part.strip())
    except ValueError as broken:
        raise ValueError("must be addresses or CIDR ranges separated by commas") from broken


def _store_keys(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        found = json.loads(value)
    except json.JSONDecodeError as broken:
        raise ValueError("must be a JSON object, store name to key") from broken
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found.values()):
        raise ValueError("must be a JSON object, store name to key")
    return found


def _secret(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = value.strip()  # what copying takes along
    if not value.isprintable():
        raise ValueError("must be one line without control characters")
    if not value:
        raise ValueError("must not be blank")
    return value


def _token(kind: str, *begins: str) -> AfterValidator:
    def checked(value: SecretStr) -> SecretStr:
        if not value.get_secret_value().startswith(begins):
            raise ValueError(f"must be {kind}, which begins with {begins[0]}")
        return value

    return AfterValidator(checked)


Url = Annotated[str, AfterValidator(_url)]
Link = Annotated[str, AfterValidator(_link)]
SlashUrl = Annotated[str, AfterValidator(lambda value: _url(value) + "/")]
Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_networks)]
Secret = Annotated[SecretStr, BeforeValidator(_secret)]
Positive = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]

_SECTIONS: Mapping[str, type[BaseModel]] = {
    "": Policy,
    "channels": Channels,
    "people": People,
    "approval": Approval,
    "approval.rule": ApprovalRule,
}

SERVICES: Mapping[str, Sequence[str]] = {
    "payments": ("payments_base_url", "payments_partner_id", "payments_partner_secret"),
    "delivery": ("delivery_base_url", "delivery_master_key"),
    "localization": ("localization_base_url", "localization_api_key"),
    "e-mail processing": ("email_single_base_url", "email_bulk_base_url", "email_api_key"),
}
"""What each service is configured with."""


class Settings(BaseSettings):
    """Every variable of the contract, by its name in lower case."""

    model_config = SettingsConfigDict(
        env_file=".env", env_ignore_empty=True, extra="ignore", hide_input_in_errors=True, frozen=True
    )

    # With token rotation Slack writes xoxe. in front.
    slack_bot_token: Annotated[Secret, _token("a bot token", "xoxb-", "xoxe.xoxb-")] | None = None
    slack_signing_secret: Secret | None = None
    slack_app_token: Annotated[Secret, _token("an app-level token", "xapp-")] | None = None
    slack_api_url: SlashUrl = "https://slack.com/api/"
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 3000
    public_url: Url | None = None
    database_url: Annotated[str, AfterValidator(_database)] = "sqlite+aiosqlite:///switchboard.db"
    anchors_file: Path | None = None
    secret_key: Secret | None = None
    policy_file: Path = Path("policy.toml")
    services_file: Path | None = None
    environment: Environment = Environment.SANDBOX
    payments_base_url: Url | None = None
    payments_partner_id: Annotated[str, BeforeValidator(_secret)] | None = None
    payments_partner_secret: Secret | None = None
    delivery_base_url: Url | None = None
    delivery_master_key: Secret | None = None
    delivery_dashboard_url: Link | None = None
    delivery_support_url: Link | None = None
    delivery_store_keys: Annotated[dict[str, Secret], NoDecode, BeforeValidator(_store_keys)] = {}
    localization_base_url: Url | None = None
    localization_api_key: Secret | None = None
    localization_text_characters: Annotated[int, Field(ge=100, le=100_000)] = 3_000
    """Characters of a text that the service gets at once."""
    email_single_base_url: Url | None = None
    email_bulk_base_url: Url | None = None
    email_api_key: Secret | None = None
    payments_allowed_sources: Networks = ()
    delivery_allowed_sources: Networks = ()
    callback_allowed_sources: Networks = ()
    """The older name of ``PAYMENTS_ALLOWED_SOURCES``."""
    trusted_proxies: Networks = ()
    metrics_token: Secret | None = None
    poll_seconds: Positive = 30.0
    quiet_seconds: Positive = 900.0
    command_prefix: Annotated[str, Field(max_length=16, pattern=r"^[a-z0-9_-]*$")] = ""
    log_format: LogFormat = LogFormat.CONSOLE
    log_level: Annotated[LogLevel, BeforeValidator(lambda value: str(value).lower())] = LogLevel.INFO

    @property
    def socket_mode(self) -> bool:
        """Whether Slack reaches us through Socket Mode instead of HTTP."""
        return self.slack_app_token is not None

    @property
    def payments_sources(self) -> Sequence[Network]:
        """Networks from which payments may call back; empty: any."""
        return self.payments_allowed_sources or self.callback_allowed_sources

    @property
    def missing_for_payments(self) -> tuple[str, ...]:
        return self._missing("payments")

    @property
    def missing_for_delivery(self) -> tuple[str, ...]:
        """Names of the variables without which delivery is not configured; store keys suffice for their stores."""
        missing = self._missing("delivery")
        return tuple(name for name in missing if name != "DELIVERY_MASTER_KEY" or not self.delivery_store_keys)

    @property
    def missing_for_localization(self) -> tuple[str, ...]:
        return self._missing("localization")

    @property
    def missing_for_emails(self) -> tuple[str, ...]:
        """The same for e-mail processing, of which each address works alone; empty when one of them does."""
        nothing = self.missing_for_single_emails and self.missing_for_email_files
        return self._missing("e-mail processing") if nothing else ()

    @property
    def missing_for_single_emails(self) -> tuple[str, ...]:
        return tuple(name for name in self._missing("e-mail processing") if name != "EMAIL_BULK_BASE_URL")

    @property
    def missing_for_email_files(self) -> tuple[str, ...]:
        return tuple(name for name in self._missing("e-mail processing") if name != "EMAIL_SINGLE_BASE_URL")

    def _missing(self, service: str) -> tuple[str, ...]:
        return tuple(name.upper() for name in SERVICES[service] if getattr(self, name) is None)

    def key_for(self, purpose: str, *, mend: str = "") -> bytes:
        """The key derived from ``SECRET_KEY`` for a purpose: audit, anchor, callbacks, replies, stores."""
        if self.secret_key is None:
            raise OperatorError("SECRET_KEY is missing", mend=mend)
        return derived_key(self.secret_key.get_secret_value(), purpose)

    def secrets(self) -> tuple[str, ...]:
        """Every secret value in force, for the redaction of logs."""
        own = [value for value in self.__dict__.values() if isinstance(value, SecretStr)]
        password = urlsplit(self.database_url).password
        return (
            *(secret.get_secret_value() for secret in [*own, *self.delivery_store_keys.values()]),
            *([password, unquote(password)] if password else []),
        )

    def hidden_in_words(self) -> tuple[str, ...]:
        """Secrets to take out of what the services say: without what they are told anyway, such as our own host."""
        told = (self.public_url, self.payments_partner_id, self.command_prefix, *self.delivery_store_keys)
        theirs = (getattr(self, name) for names in SERVICES.values() for name in names if name.endswith("_url"))
        public = [text.casefold() for text in (*told, *theirs) if text]
        return tuple(one for one in self.secrets() if not any(one.casefold() in text for text in public))


def load_settings(**overrides: Any) -> Settings:
    """Read environment and ``.env``. Raises SettingsError with one line for each variable that breaks a rule."""
    try:
        return Settings(**overrides)
    except (OSError, UnicodeDecodeError):
        raise SettingsError([".env: must be a text file that this user may read. Example: copy .env.example"]) from None
    except ValidationError as broken:
        problems = [in_setting(error) for error in broken.errors()]
        variables = [str(error["loc"][0]) for error in broken.errors()]
        raise SettingsError(problems, variables=variables) from None


def load_policy(path: Path) -> Policy:
    """Read and check the policy file. Raises SettingsError, naming the file, the key, the rule and an example."""
    try:
        return Policy.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as broken:
        raise SettingsError([_in_policy(error, path.name) for error in broken.errors()]) from None
    except FileNotFoundError:
        problem = f"there is no file {path.name!r}"
    except OSError as broken:
        problem = f"{path.name!r} cannot be read: {broken.strerror}"
    except UnicodeDecodeError:
        problem = f"{path.name!r} cannot be read as TOML: it is not UTF-8"
    except tomllib.TOMLDecodeError as broken:
        problem = f"{path.name!r} cannot be read as TOML: {broken}"
    raise SettingsError([f"POLICY_FILE: {problem}. Example: {example('POLICY_FILE')}"])


# The words of an error. pydantic's own messages are for programmers, and some of them quote the value.

_EXAMPLES = {
    "SLACK_BOT_TOKEN": "SLACK_BOT_TOKEN=xoxb-… (OAuth & Permissions page of the app)",
    "SLACK_SIGNING_SECRET": "SLACK_SIGNING_SECRET=… (Basic Information page of the app)",
    "SLACK_APP_TOKEN": "SLACK_APP_TOKEN=xapp-… (Basic Information page of the app)",
    "SLACK_API_URL": "SLACK_API_URL=https://slack.com/api/",
    "PORT": "PORT=3000",
    "PUBLIC_URL": "PUBLIC_URL=https://switchboard.example.com",
    "DATABASE_URL": "DATABASE_URL=sqlite+aiosqlite:///switchboard.db",
    "ANCHORS_FILE": "ANCHORS_FILE=/var/lib/switchboard/switchboard.anchors",
    "SECRET_KEY": 'SECRET_KEY=… (python -c "import secrets; print(secrets.token_urlsafe(48))")',
    "ENVIRONMENT": "ENVIRONMENT=sandbox",
    "POLICY_FILE": "POLICY_FILE=policy.toml (copy policy.example.toml)",
    "SERVICES_FILE": "SERVICES_FILE=services.toml",
    "PAYMENTS_BASE_URL": "PAYMENTS_BASE_URL=https://sandbox.payments.example.com",
    "PAYMENTS_ALLOWED_SOURCES": "PAYMENTS_ALLOWED_SOURCES=203.0.113.7,198.51.100.0/24",
    "DELIVERY_ALLOWED_SOURCES": "DELIVERY_ALLOWED_SOURCES=203.0.113.9",
    "CALLBACK_ALLOWED_SOURCES": "CALLBACK_ALLOWED_SOURCES=203.0.113.7,198.51.100.0/24",
    "METRICS_TOKEN": 'METRICS_TOKEN=… (python -c "import secrets; print(secrets.token_urlsafe(32))")',
    "TRUSTED_PROXIES": "TRUSTED_PROXIES=10.0.0.0/8",
    "POLL_SECONDS": "POLL_SECONDS=30",
    "QUIET_SECONDS": "QUIET_SECONDS=900",
    "LOCALIZATION_TEXT_CHARACTERS": "LOCALIZATION_TEXT_CHARACTERS=3000",
    "COMMAND_PREFIX": "COMMAND_PREFIX=sb-",
    "LOG_FORMAT": "LOG_FORMAT=json",
    "LOG_LEVEL": "LOG_LEVEL=info",
    "DELIVERY_DASHBOARD_URL": "DELIVERY_DASHBOARD_URL=https://dashboard.delivery.example.com",
    "DELIVERY_SUPPORT_URL": "DELIVERY_SUPPORT_URL=https://dashboard.delivery.example.com/chat",
    "DELIVERY_STORE_KEYS": 'DELIVERY_STORE_KEYS={"Centro": "key"}',
}

_POLICY = {
    "channels": '[channels] approvals = "C0APPROVE"',
    "channels.approvals": 'approvals = "C0APPROVE"',
    "channels.payments": 'payments = "C0MONEY"',
    "channels.bookings": 'bookings = "C0DELIVERY"',
    "channels.alerts": 'alerts = "C0ALERTS"',
    "channels.stores": '[channels.stores] "Store name" = "C0STORE"',
    "people": '[people] approvers = ["S0TREASURY"]',
    "people.requesters": 'requesters = ["S0FINANCE"]',
    "people.approvers": 'approvers = ["S0TREASURY"]',
    "people.admins": 'admins = ["U0ADMIN"]',
    "approval": '[approval] expires = "24h"',
    "approval.quorum": "quorum = 1",
    "approval.expires": 'expires = "24h"',
    "approval.execute_within": 'execute_within = "60m"',
    "approval.daily_limit": 'daily_limit = "25000.00"',
    "approval.rule": '[[approval.rule]] over = "1000.00" quorum = 2',
    "approval.rule.over": 'over = "1000.00"',
    "approval.rule.daily_over": 'daily_over = "5000.00"',
    "approval.rule.new_recipient": "new_recipient = true",
    "approval.rule.quorum": "quorum = 2",
    "approval.rule.typed_amount": "typed_amount = true",
}

_WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "model_type": "must be a section",
    "dict_type": "must be a section",
    "tuple_type": "must be a list",
    "string_type": "must be text in quotes",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "enum": "must be {expected}",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:.12g}",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must be lower-case letters, digits, - or _",
    "value_error": "{error}",
}


def in_setting(error: Mapping[str, Any]) -> str:
    name = str(error["loc"][0]).upper()
    return f"{name}: {_rule(error)}. Example: {example(name)}"


def example(name: str) -> str:
    return _EXAMPLES.get(name, f"{name}=…")


def _in_policy(error: Mapping[str, Any], file: str) -> str:
    key = ".".join(str(part + 1 if isinstance(part, int) else part) for part in error["loc"])
    names = [part for part in error["loc"] if isinstance(part, str)]
    if error["type"] == "extra_forbidden":
        known = list(_SECTIONS[".".join(names[:-1])].model_fields)
        meant = get_close_matches(names[-1], known, n=1, cutoff=0.5)
        nearest = policy_example(".".join([*names[:-1], *meant]))
        return f"{file}: {key} is no key of the policy; there are {', '.join(known)}. Example: {nearest}"
    nearest = policy_example(".".join(names))
    return f"{file}: {key}: {_rule(error)}. Example: {nearest}"


def policy_example(key: str) -> str:
    """A right example of a key of the policy, or of the nearest section around it."""
    while key and key not in _POLICY:
        key = key.rpartition(".")[0]
    return _POLICY[key or "channels"]


def _rule(error: Mapping[str, Any]) -> str:
    return _WORDS.get(error["type"], "is not what it should be").format(**error.get("ctx") or {})
