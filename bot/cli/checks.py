"""Checks of a configuration before the bot runs with it, for errors and cautions."""

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from bot.domain.policy import Policy
from bot.domain.references import why_weak
from bot.settings import SERVICES, Environment, Settings, SettingsError, example, load_policy, load_settings
from bot.wiring.database import anchors_of
from storage.disk_space import volatile_file_system
from storage.engine import PostgresServer, SqliteFile, parse_address
from storage.errors import StorageError

_ROTATE = "A database that was written with this key takes another one by `switchboard rotate-key`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Settings and policy as far as readable, and one line for each error that prevents the bot from running."""

    settings: Settings
    broken: frozenset[str]
    """Variables that break a rule; ``settings`` has their defaults."""
    policy: Policy | None
    problems: Sequence[str]


def examine_all() -> Configuration:
    """Read settings and policy and collect all problems. SettingsError if ``.env`` is unreadable."""
    problems: list[str] = []
    broken: dict[str, Any] = {}
    try:
        settings = load_settings()
    except SettingsError as unreadable:
        broken = {name: Settings.model_fields[name].default for name in unreadable.variables}
        if not broken:
            raise
        problems += unreadable.problems
        settings = load_settings(**broken)
    policy: Policy | None = None
    try:
        policy = load_policy(settings.policy_file)
    except SettingsError as unusable:
        problems += unusable.problems
    found = obstacles(settings, policy)
    problems += [line for line in found if line.split()[0].lower() not in broken]
    return Configuration(settings=settings, broken=frozenset(broken), policy=policy, problems=problems)


def obstacles(settings: Settings, policy: Policy | None) -> list[str]:
    """Return a line for each setting that is missing for ``run``, or too weak for production."""
    problems = [
        f"{name} is missing. Example: {example(name)}"
        for name in ("SLACK_BOT_TOKEN", "SECRET_KEY", *(() if settings.socket_mode else ("SLACK_SIGNING_SECRET",)))
        if getattr(settings, name.lower()) is None
    ]
    if settings.environment is not Environment.PRODUCTION:
        return problems
    problems += [
        f"{name} must be https in production unless it is a loopback address. Example: {name}=https://…"
        for name in (key.upper() for key in Settings.model_fields if key.endswith("_url") and key != "database_url")
        if _exposed(getattr(settings, name.lower()))
    ]
    if settings.public_url is None and not settings.socket_mode:
        problems.append(f"PUBLIC_URL is missing: Slack and callbacks cannot reach us. Example: {example('PUBLIC_URL')}")
    if settings.anchors_file is None and isinstance(_database(settings), PostgresServer):
        problems.append(
            "ANCHORS_FILE is missing: with PostgreSQL they need a disk that outlives the process. Move the "
            f"switchboard.anchors that there is, if there is one. Example: {example('ANCHORS_FILE')}"
        )
    problems += weak_key(settings)
    if policy is not None and not settings.missing_for_payments and not policy.people.approvers:
        problems.append(
            'people.approvers of the policy is empty: nobody could approve. Example: approvers = ["S0TREASURY"]'
        )
    return problems


def weak_key(settings: Settings) -> list[str]:
    key = settings.secret_key
    weak = why_weak(key.get_secret_value()) if key is not None else ""
    return [f"SECRET_KEY {weak}. Example: {example('SECRET_KEY')}. {_ROTATE}"] if weak else []


def cautions(settings: Settings) -> list[str]:
    """Return a sentence for each setting that is accepted but that the operator should know about, for the log."""
    found: list[str] = []
    if settings.payments_allowed_sources and settings.callback_allowed_sources:
        found.append("CALLBACK_ALLOWED_SOURCES is not looked at, because PAYMENTS_ALLOWED_SOURCES is set")
    asked = (
        ("payments", settings.missing_for_payments),
        ("delivery", settings.missing_for_delivery),
        ("localization", settings.missing_for_localization),
        ("e-mail processing", settings.missing_for_emails),
    )
    for service, missing in asked:
        given = [name.upper() for name in SERVICES[service] if getattr(settings, name)]
        if missing and given:
            found.append(
                f"{service} is only partly configured, so its commands are off: {', '.join(given)} "
                f"{'is' if len(given) == 1 else 'are'} set, {', '.join(missing)} "
                f"{'is' if len(missing) == 1 else 'are'} missing. Example: {example(missing[0])}"
            )
    uses = (("single addresses", settings.missing_for_single_emails), ("whole files", settings.missing_for_email_files))
    found += [
        f"e-mail processing works, but not for {what}: {missing[0]} is missing. Example: {example(missing[0])}"
        for what, missing in uses
        if missing and not settings.missing_for_emails
    ]
    if settings.public_url is None and not (settings.missing_for_payments and settings.missing_for_delivery):
        found.append(
            "PUBLIC_URL is missing, so these are not there: callbacks (polling finds out, more slowly), webhooks of "
            "stores, and the search at each start for payments at the service that this database lacks. "
            f"Example: {example('PUBLIC_URL')}"
        )
    if settings.environment is not Environment.PRODUCTION:
        return [*found, *(f"production would refuse this: {weak}" for weak in weak_key(settings))]
    lists = (
        ("PAYMENTS_ALLOWED_SOURCES", settings.missing_for_payments or settings.payments_sources),
        ("DELIVERY_ALLOWED_SOURCES", settings.missing_for_delivery or settings.delivery_allowed_sources),
    )
    found += [
        f"{name} is empty: callbacks are taken from any source that knows their address. Example: {example(name)}"
        for name, is_closed in lists
        if not is_closed
    ]
    if settings.metrics_token is None:
        rule = "anyone who can reach this port can read /metrics"
        found.append(f"METRICS_TOKEN is not set: {rule}. Example: {example('METRICS_TOKEN')}")
    return [*found, *_lost_at_a_restart(settings)]


def _database(settings: Settings) -> SqliteFile | PostgresServer | None:
    """Parse the database's address; None if it is malformed, which opening the database reports."""
    try:
        return parse_address(settings.database_url)
    except StorageError:
        return None


def _lost_at_a_restart(settings: Settings) -> Iterator[str]:
    """Yield a sentence for each persistent file on a volatile file system."""
    database = _database(settings)
    if database is None:
        return
    kept = {"the anchors (ANCHORS_FILE)": anchors_of(settings)}
    if isinstance(database, SqliteFile):
        kept = {"the database (DATABASE_URL)": database.path, **kept}
    for what, path in kept.items():
        if kind := volatile_file_system(path):
            yield (
                f"{what} lies on {kind}, which a restart of the machine or container empties: {path}. "
                "Put it on a disk or a volume that stays"
            )


def _exposed(url: str | None) -> bool:
    if url is None or urlsplit(url).scheme == "https":
        return False
    host = urlsplit(url).hostname or ""
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
