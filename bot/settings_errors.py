"""What is wrong with a setting or a policy key, as one line: its name, the rule, a right example. Never the value.

pydantic's own messages are for programmers, and some of them quote the value.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

SETTINGS = {
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
    "COMMAND_PREFIX": "COMMAND_PREFIX=sb-",
    "LOG_FORMAT": "LOG_FORMAT=json",
    "LOG_LEVEL": "LOG_LEVEL=info",
    "DELIVERY_STORE_KEYS": 'DELIVERY_STORE_KEYS={"Centro": "key"}',
}
"""A right example for each variable that may be refused; others get their own name with an ellipsis."""

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

_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "is missing",
    "model_type": lambda _: "must be a section",
    "dict_type": lambda _: "must be a section",
    "tuple_type": lambda _: "must be a list",
    "string_type": lambda _: "must be text in quotes",
    "int_type": lambda _: "must be a whole number",
    "int_parsing": lambda _: "must be a whole number",
    "int_from_float": lambda _: "must be a whole number",
    "float_parsing": lambda _: "must be a number",
    "finite_number": lambda _: "must be a finite number",
    "bool_type": lambda _: "must be true or false",
    "bool_parsing": lambda _: "must be true or false",
    "enum": lambda about: f"must be {about['expected']}",
    "greater_than": lambda about: f"must be more than {about['gt']:g}",
    "greater_than_equal": lambda about: f"must be at least {about['ge']:g}",
    "less_than_equal": lambda about: f"must be at most {about['le']:.12g}",
    "string_too_long": lambda about: f"must have at most {about['max_length']} characters",
    "value_error": lambda about: str(about["error"]),
}


def in_setting(error: Mapping[str, Any]) -> str:
    """One of pydantic's errors about a variable of the environment."""
    name = str(error["loc"][0]).upper()
    return f"{name}: {_rule(error)}. Example: {example(name)}"


def example(name: str) -> str:
    """A right example of a variable."""
    return SETTINGS.get(name, f"{name}=…")


def in_policy(error: Mapping[str, Any], *, file: str, keys_of: Callable[[Sequence[str]], Sequence[str]]) -> str:
    """One of pydantic's errors about the policy file.

    Args:
        error: what pydantic says.
        file: name of the file.
        keys_of: the keys that the section with this path has.
    """
    path = [part + 1 if isinstance(part, int) else part for part in error["loc"]]
    names = [str(part) for part in error["loc"] if isinstance(part, str)]
    key = ".".join(map(str, path))
    if error["type"] == "extra_forbidden":
        known = keys_of(names[:-1])
        meant = get_close_matches(names[-1], known, n=1, cutoff=0.5)
        nearest = _policy_example([*names[:-1], *meant])
        return f"{file}: {key} is no key of the policy; there are {', '.join(known)}. Example: {nearest}"
    return f"{file}: {key}: {_rule(error)}. Example: {_policy_example(names)}"


def policy_example(key: str) -> str:
    """A right example of a key of the policy."""
    return _policy_example(key.split("."))


def _policy_example(names: Sequence[str]) -> str:
    """Of the key, or of the nearest section around it."""
    for end in range(len(names), 0, -1):
        found = _POLICY.get(".".join(names[:end]))
        if found is not None:
            return found
    return _POLICY["channels"]


def _rule(error: Mapping[str, Any]) -> str:
    words = _WORDS.get(error["type"])
    return words(error.get("ctx") or {}) if words is not None else "is not what it should be"
