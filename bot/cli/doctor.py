"""``switchboard doctor``: look at settings, policy, database, Slack and the services, and change nothing."""

import sys
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import Final, TypeVar

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.cli.checks import cautions, examine_all
from bot.cli.manifest import ADDRESS_SCOPE, SCOPES, WIDER_SCOPES
from bot.clients.limiter import PartnerTurns, SlidingWindow
from bot.clients.routes_file import load_routes
from bot.domain.approvals import Role, full_member
from bot.domain.bookings.record import is_unknown
from bot.domain.clock import TOLERATED, SystemClock
from bot.domain.errors import OperatorError, ServiceTrouble
from bot.domain.policy import Policy
from bot.domain.services import DELIVERY, EMAILS, LOCALIZATION, PAYMENTS
from bot.domain.text import Secrets
from bot.presentation.blocks.text import counted, duration
from bot.presentation.notices import channel_help, unusable
from bot.presentation.reasons import problem_of, short_of_people, told, worded
from bot.presentation.unread import finding as finding_of
from bot.presentation.unread import state_finding
from bot.settings import Environment, Settings, SettingsError, policy_example
from bot.slack.calls import call
from bot.slack.messenger import Messenger
from bot.slack.people import BotIdentity, Directory, named, who_we_are
from bot.wiring.database import anchors_of
from bot.wiring.http import ENOUGH, limit
from bot.wiring.services import Outside, make_delivery, make_payments, routes_of
from bot.wiring.slack import besides, enough, unmet
from bot.workflows.admin import clocks
from bot.workflows.bookings.observe import gathered
from bot.workflows.requests.reach import all_short, approvers
from bot.workflows.restored import restored, resumed_at
from storage.anchors import AnchorFile
from storage.errors import NewerDatabase, OtherKey, StorageBusy, StorageError
from storage.migrate import moved_to
from storage.reading import open_for_reading
from storage.transaction import Tx

T = TypeVar("T")

_SECONDS: Final = 10.0


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    level: Level
    what: str
    mend: str = ""


_ok, _warning, _error = (partial(Finding, level) for level in Level)


async def examine() -> int:
    """Print every finding as it is made; 0 when none of them is an error."""
    errors = 0
    async for finding in _findings():
        errors += finding.level is Level.ERROR
        sys.stdout.write(f"{finding.level.value:<8} {finding.what}\n")
        if finding.mend:
            sys.stdout.write(f"{'':<8} → {finding.mend}\n")
        sys.stdout.flush()
    fix = f"{counted(errors, 'error')} to fix before Switchboard can start."
    sys.stdout.write(f"{fix if errors else 'All checks passed.'}\n")
    return 1 if errors else 0


async def _findings() -> AsyncIterator[Finding]:
    try:
        found = examine_all()
    except SettingsError as unreadable:
        for problem in unreadable.problems:
            yield _error(problem)
        return
    for problem in found.problems:
        yield _error(problem)
    settings, policy = found.settings, found.policy
    if found.broken:
        # No outside call with a default in place of a broken setting.
        for finding in (*map(_warning, cautions(settings)), *_routes(settings)):
            yield finding
        return
    yield _ok(f"the settings are readable; environment: {settings.environment.value}")
    if policy is not None:
        yield _ok(f"the policy {settings.policy_file.name} is readable; its digest is {policy.digest}")
    few = f"this process may open {limit()} files and connections, and needs {ENOUGH} when many connect at once"
    mend = "raise the limit. Example: LimitNOFILE=4096 of systemd, or ulimit -n 4096"
    limited = [_warning(few, mend)] if limit() < ENOUGH else []
    for finding in (*map(_warning, cautions(settings)), *limited, *_routes(settings), *_database(settings)):
        yield finding
    async for finding in _outside(settings, policy):
        yield finding


def _routes(settings: Settings) -> Iterator[Finding]:
    try:
        table = load_routes(settings.services_file, environment=settings.environment.value, more=routes_of())
    except OperatorError as broken:
        yield _error(problem_of(broken), broken.mend)
        return
    for route in (one for one in table.rows() if one.is_unconfirmed):
        yield _warning(
            f"{route.name} ({route.method} {route.path}) is assumed and moves money; production refuses it",
            f"check it, then write [{route.name}] confirmed = true into SERVICES_FILE",
        )
    yield _ok(f"the route table is readable; {len(table.assumptions())} assumed routes are unconfirmed")
    words = table.dialect("delivery").words
    states, own = [one for one in words if one.table == "states"], sum(one.overridden for one in words)
    cook = next(one.ours for one in words if one.table == "units")
    yield _ok(f"delivery: {len(states)} words for states, cook time in {cook}; {own} lines of SERVICES_FILE")


def _database(settings: Settings) -> Iterator[Finding]:
    if settings.secret_key is None:
        return
    try:
        with open_for_reading(settings.database_url, audit_key=settings.key_for("audit")) as reading:
            reading.refuse_newer()
            rows = reading.read(lambda tx: tx.audit.head().seq)
            fits = reading.fits()
            inside = reading.read(lambda tx: list(_inside(settings, tx, rows))) if fits else []
            moved = reading.read(lambda tx: moved_to(tx.flags))
    except StorageBusy as away:
        yield _error(f"the database doesn't answer: {away.problem}", away.mend)
    except NewerDatabase as newer:
        yield _error(problem_of(newer), newer.mend)
    except StorageError as trouble:
        yield _warning(f"the database isn't ready: {trouble.problem}", "run `switchboard migrate`")
    else:
        if not fits:
            other = OtherKey()
            yield _error(problem_of(other), other.mend)
        elif moved:
            yield _error(f"this database was moved to {moved}", "set DATABASE_URL to that one")
        else:
            yield _ok(f"the database can be read; the audit has {rows} rows")
            yield from inside


def _inside(settings: Settings, tx: Tx, rows: int) -> Iterator[Finding]:
    yield from _anchored(settings, tx, rows)
    if tx.unread.is_there():  # an older database has no table of answers that could not be read
        found = [one for one in tx.unread.all() if one.mended_at is None]
        for one in found:
            yield _warning(*finding_of(one))
        if not found:
            yield _ok("no unread answers from the services")
    with suppress(OperatorError):  # told already
        dialect = load_routes(settings.services_file, environment=settings.environment.value).dialect("delivery")
        for state in gathered(tx, ours=dialect.state)[1]:
            if is_unknown(state.status):
                yield _warning(*state_finding(state))
    yield from out_of_reach(tx)
    yield from _clocks(tx, datetime.now(UTC))


def _anchored(settings: Settings, tx: Tx, rows: int) -> Iterator[Finding]:
    """Whether the database may be older than what was sent, by the anchors."""
    earlier = [(one.until, one.anchors) for one in tx.audit.closed_keys()]
    file = AnchorFile(anchors_of(settings), key=settings.key_for("anchor"), earlier=earlier)
    mend = "run `switchboard resume`: it shows what to check at the providers"
    resumed = resumed_at(tx)
    if restored(tx) is not None:
        yield _error("payments are frozen: the database is older than what was sent", mend)
        return
    try:
        newest = file.last()
    except OSError as refused:
        what = f"{file.path} cannot be read, so nothing would be sent: {refused.strerror}"
        yield _error(what, "let the user that runs Switchboard read and write it")
        return
    if newest is None and rows:
        what = f"there are no anchors in {file.path}: an older copy of the database would be noticed late, or not"
        yield _warning(what, "copy that file from where the bot ran before")
    elif newest is not None and not tx.audit.holds(newest.seq, newest.head) and (not resumed or newest.at > resumed):
        yield _error(f"the database is older than {file.path}; payments would be frozen", mend)


def _clocks(tx: Tx, now: datetime) -> Iterator[Finding]:
    """Whether a running process found a clock off, and whether the newest rows are ahead of the clock."""
    if (seconds := clocks.seconds_off(tx)) is not None:
        by = f"{duration(abs(seconds))} {'ahead of' if seconds > 0 else 'behind'}"
        mend = "sync the clock with NTP; if it is right already, stop all Switchboard processes, then start them"
        yield _warning(f"a clock is {by} that of the running bot", mend)
    newest, now = tx.times.newest(), tx.server_now() or now
    if newest is not None and newest - now > TOLERATED:
        ahead = duration((newest - now).total_seconds())
        mend = "sync the clock with NTP; if it is right, deadlines stored before come that much later"
        yield _warning(f"the newest rows are {ahead} ahead of the clock", mend)


def out_of_reach(tx: Tx) -> Iterator[Finding]:
    """Requests that need more approvals than people can give, by the last count of the bot."""
    for one in all_short(tx):
        mend = f"{policy_example('people.approvers')} with more people"
        yield _warning(f"{one.instruction.reference}: {short_of_people(one.short)}", mend)


async def _outside(settings: Settings, policy: Policy | None) -> AsyncIterator[Finding]:
    async with AsyncExitStack() as stack:
        timeout = aiohttp.ClientTimeout(total=_SECONDS)
        session = await stack.enter_async_context(aiohttp.ClientSession(timeout=timeout, trust_env=False))
        if settings.slack_bot_token is not None:
            async for finding in _slack(settings, policy, session):
                yield finding
        outside = Outside(
            settings=settings,
            stack=stack,
            total=_SECONDS,
            monotonic=SystemClock().boottime,
            secrets=Secrets(settings.hidden_in_words()),
        )
        yield await _payments(outside)
        yield await _delivery(outside)
        emails = (settings.email_single_base_url, settings.email_bulk_base_url)
        yield await _answers(session, LOCALIZATION, settings.missing_for_localization, settings.localization_base_url)
        yield await _answers(session, EMAILS, settings.missing_for_emails, *emails)


async def _slack(settings: Settings, policy: Policy | None, session: aiohttp.ClientSession) -> AsyncIterator[Finding]:
    token = settings.slack_bot_token
    assert token is not None
    client = AsyncWebClient(
        token=token.get_secret_value(), base_url=settings.slack_api_url, session=session, retry_handlers=[]
    )
    try:
        identity = await who_we_are(client)
    except OperatorError as ours:
        yield _error(f"Slack: {problem_of(ours)}", ours.mend)
        return
    except ServiceTrouble as silent:
        mend = "look at SLACK_API_URL and the network, or copy SLACK_BOT_TOKEN again from OAuth & Permissions"
        yield _error(f"Slack: {worded(silent.reason)}", mend)
        return
    yield _ok(f"Slack knows us in the workspace {identity.team} ({identity.team_id})")
    yield _scopes(identity)
    if settings.slack_app_token is not None:
        app_token = settings.slack_app_token.get_secret_value()
        _, trouble = await _asked(call(client.apps_connections_open(app_token=app_token)))
        if trouble:
            mend = "SLACK_APP_TOKEN is an app-level token with the scope connections:write"
            yield _error(f"Socket Mode: {trouble}", mend)
        else:
            yield _ok("Socket Mode can be opened")
    if policy is not None:
        pays = not settings.missing_for_payments
        looks = [_channels(policy, Messenger(client=client)), _people(policy, client, identity.team_id, pays=pays)]
        for look in [*looks, *([_quorums(settings, policy, client, identity.team_id)] if pays else [])]:
            async for finding in look:
                yield finding


def _scopes(identity: BotIdentity) -> Finding:
    lacking = [scope for scope in SCOPES if scope not in identity.scopes]
    if not identity.scopes:
        return _warning("Slack did not say which scopes the bot token has")
    mend = "put the manifest of `switchboard manifest` into the app's settings and install the app again"
    if lacking:
        return _error(f"the bot token lacks the scopes {', '.join(lacking)}", mend)
    narrow = [scope for scope in WIDER_SCOPES if scope not in identity.scopes]
    without = []
    if narrow:
        scopes = ", ".join(narrow)
        without.append(f"without the scopes {scopes} files in conversations of several people are not noticed")
    if ADDRESS_SCOPE not in identity.scopes:
        without.append(f"without the scope {ADDRESS_SCOPE} @name can't be paid, and approvers may pay themselves")
    if without:
        return _warning("; ".join(without), mend)
    return _ok("the bot token has every scope that is used")


async def _channels(policy: Policy, messenger: Messenger) -> AsyncIterator[Finding]:
    named = policy.channels
    channels = {"approvals": named.approvals, "payments": named.payments, "bookings": named.bookings}
    channels |= {"alerts": named.alerts, **{f"stores: {store}": channel for store, channel in named.stores.items()}}
    for name, channel in channels.items():
        if not channel:
            continue
        error, trouble = await _asked(messenger.unusable(channel))
        if error == "":
            yield _ok(f"the bot is in the channel of {name} ({channel})")
        else:
            what, mend = trouble or unusable(error or ""), channel_help(error or "", policy.setting_of(channel))
            level = Level.ERROR if name == "approvals" else Level.WARNING
            yield Finding(level, f"channel of {name} ({channel}): {what}", mend)


async def _people(policy: Policy, client: AsyncWebClient, home: str, *, pays: bool) -> AsyncIterator[Finding]:
    people = Directory(client=client, groups=(), monotonic=SystemClock().boottime, timeout=_SECONDS)
    for role in Role:
        names: tuple[str, ...] = getattr(policy.people, role.value)
        if "*" in names:
            yield _ok(f"{role.value}: every full member")
            continue
        count, trouble = await _asked(_full_members(names, people, home=home))
        needed = policy.approval.quorum if role is Role.APPROVER and pays else 1
        if count is None:
            yield _error(f"{role.value}: {trouble}")
        elif count < needed:
            level = Level.ERROR if role is Role.APPROVER and pays else Level.WARNING
            what = f"{count} of the people named are full, active members of this workspace; {needed} needed"
            yield Finding(level, f"{role.value}: {what}", f'people.{role.value} = ["S0…"] in the policy')
        else:
            yield _ok(f"{role.value}: {count} {'person' if count == 1 else 'people'}")


async def _full_members(names: tuple[str, ...], people: Directory, *, home: str) -> int:
    return [full_member((await people.standing(one)).person, home=home) for one in await named(names, people)].count(
        None
    )


async def _quorums(settings: Settings, policy: Policy, client: AsyncWebClient, home: str) -> AsyncIterator[Finding]:
    """Whether there are enough approvers for the policy; production does not start otherwise."""
    groups = [name for list_ in (policy.people.requesters, policy.people.approvers) for name in list_ if name[0] == "S"]
    people = Directory(client=client, groups=groups, monotonic=SystemClock().boottime, timeout=_SECONDS)
    found, trouble = await _asked(approvers(policy, people, home=home, most=enough(policy)))
    if found is None:
        yield _warning(f"can't check whether there are enough approvers: Slack {trouble}")
        return
    problems = unmet(policy, found, home=home)
    level = Level.ERROR if settings.environment is Environment.PRODUCTION else Level.WARNING
    for problem in problems:
        yield Finding(level, problem)
    if not problems and besides(policy, found, home=home) < enough(policy) - 1:  # that one is the requester
        what = "a duplicate of the largest kind needs one more approver than there are besides the requester"
        yield _warning(what, f"{policy_example('people.approvers')} with one more person")


async def _payments(outside: Outside) -> Finding:
    limiter = PartnerTurns(SlidingWindow(clock=outside.monotonic), clock=outside.monotonic)
    try:
        payments = make_payments(outside, limiter)
    except OperatorError:
        return _error("payments: the route table can't be used")
    if payments.client is None:
        return _missing(PAYMENTS, payments.missing)
    asked = await _asked(payments.client.partner())
    return _said(PAYMENTS, asked, "PAYMENTS_BASE_URL, PAYMENTS_PARTNER_ID and …_SECRET")


async def _delivery(outside: Outside) -> Finding:
    missing = outside.settings.missing_for_delivery or (() if outside.settings.secret_key else ("SECRET_KEY",))
    try:
        service = make_delivery(outside).client if not missing else None
    except OperatorError:
        return _error("delivery: the route table can't be used")
    if service is None:
        return _missing(DELIVERY, missing)
    if service.client.has_master_key:
        asked = await _asked(service.client.list_stores())
        return _said(DELIVERY, asked, "DELIVERY_BASE_URL and DELIVERY_MASTER_KEY")
    for name, key in service.given_keys.items():
        answer = await _asked(service.client.get_store(key=key))
        if answer[0] is None:
            return _said(f"delivery, store {name}", answer, "DELIVERY_BASE_URL and DELIVERY_STORE_KEYS")
    return _said(DELIVERY, (service, ""), "")


async def _answers(session: aiohttp.ClientSession, name: str, missing: tuple[str, ...], *urls: str | None) -> Finding:
    """Whether the host answers; these services have no read without an effect or a bill."""
    if missing:
        return _missing(name, missing)
    for url in filter(None, urls):
        try:
            async with session.get(url, allow_redirects=False):
                pass
        except (aiohttp.ClientError, TimeoutError) as silent:
            what = f"{name}: no answer from {url} ({type(silent).__name__})"
            return _error(what, "look at the address and at the network")
    return _ok(f"{name} is reachable; its key can't be checked without a billable call")


def _said(name: str, answer: tuple[object | None, str], variables: str) -> Finding:
    found, trouble = answer
    if found is None:
        return _error(f"{name}: {trouble}", f"look at {variables}")
    return _ok(f"{name} is reachable and accepts our key")


def _missing(name: str, variables: tuple[str, ...]) -> Finding:
    what = f"{name} is not configured; everything else works without it"
    return _warning(what, f"to use it, set {', '.join(variables)}")


async def _asked(pending: Awaitable[T]) -> tuple[T | None, str]:
    try:
        return await pending, ""
    except OperatorError as trouble:
        return None, problem_of(trouble)
    except ServiceTrouble as trouble:
        return None, told(trouble)
