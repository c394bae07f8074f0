"""Construction of the Slack clients from settings, the socket of Socket Mode, and the check for enough approvers."""

from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.approvals import Membership, may_request
from bot.domain.errors import OperatorError, ServiceNow
from bot.domain.policy import Policy
from bot.presentation.reasons import worded
from bot.settings import Environment, Settings, SettingsError, policy_example
from bot.slack.calls import call, until_answered
from bot.slack.files import Downloads, Uploads
from bot.slack.messenger import Ephemerals, Messenger
from bot.slack.pace import Pace, PacedClient, Turns
from bot.slack.people import BotIdentity, Directory, who_we_are
from bot.wiring.services import Outside
from bot.wiring.surroundings import Surroundings
from bot.workflows.admin.home import OpenHomes
from bot.workflows.context import Context
from bot.workflows.requests.reach import approvers
from handlers.bolt import build
from handlers.metrics import Measures
from handlers.registry import make_router
from handlers.router import Allowance, Dependencies
from handlers.socket_mode import SocketMode

log = structlog.get_logger(__name__)

_CONNECTIONS: Final = 400
"""Maximum of simultaneous connections: more than all work that can wait for Slack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """Everything that calls Slack. ``patient`` is unpaced, for start-up, Socket Mode and Bolt."""

    patient: AsyncWebClient
    client: PacedClient
    identity: BotIdentity
    pace: Pace
    turns: Turns
    messenger: Messenger
    files: Uploads
    downloads: Downloads
    ephemerals: Ephemerals


async def open_slack(
    settings: Settings, around: Surroundings, stack: AsyncExitStack, pace: Pace, measures: Measures
) -> Slack:
    """Build the clients and read the bot's identity, retrying until Slack answers. OperatorError for a bad token."""
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
        timeout=aiohttp.ClientTimeout(total=around.slack_total),
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    stack.push_async_callback(session.close)
    token, api_url = _bot_token(settings), settings.slack_api_url
    library: dict[str, Any] = {"token": token, "base_url": api_url, "session": session, "retry_handlers": []}
    patient, client = AsyncWebClient(**library), PacedClient(pace=pace, watch=measures.slack, **library)
    identity = await until_answered(lambda: who_we_are(patient), setting="SLACK_BOT_TOKEN")
    messenger = Messenger(client=client)
    ephemerals = Ephemerals(session=session, messenger=messenger, api_url=api_url, watch=measures.slack)
    stack.push_async_callback(ephemerals.drain)
    return Slack(
        patient=patient,
        client=client,
        identity=identity,
        pace=pace,
        turns=Turns(pace=pace, monotonic=around.clock.boottime, sleep=around.sleep),
        messenger=messenger,
        files=Uploads(client=client, session=session, api_url=api_url),
        downloads=Downloads(client=client, session=session, token=token, api_url=api_url),
        ephemerals=ephemerals,
    )


def make_people(slack: Slack, policy: Policy, around: Surroundings) -> Directory:
    people = policy.people
    return Directory(
        client=slack.client,
        groups=[name for name in (*people.requesters, *people.approvers, *people.admins) if name[0] == "S"],
        monotonic=around.clock.boottime,
        timeout=around.people_total,
        is_slowed=slack.pace.is_slowed,
    )


def make_bolt(slack: Slack, ctx: Context, outside: Outside, around: Surroundings, homes: OpenHomes) -> AsyncApp:
    extensions = [one.command(outside) for one in around.extensions]
    return build(
        client=slack.patient,
        token=_bot_token(outside.settings),
        identity=slack.identity,
        deps=Dependencies(
            ctx=ctx,
            messenger=slack.messenger,
            ephemerals=slack.ephemerals,
            allowance=Allowance(monotonic=around.clock.boottime),
            homes=homes,
        ),
        router=make_router(around.file_actions, prefix=ctx.command_prefix, more=extensions),
        patience=around.handler_total,
        moment=around.handler_moment,
    )


async def open_socket(
    settings: Settings, around: Surroundings, slack: Slack, bolt: AsyncApp, stack: AsyncExitStack, measures: Measures
) -> SocketMode | None:
    """Open the socket in Socket Mode, which the library then keeps open; return None if Slack calls us over HTTP."""
    if settings.slack_app_token is None:
        return None
    token = settings.slack_app_token.get_secret_value()
    # Request the first URL here, because the library would retry forever even if Slack refuses the token.
    opened = await until_answered(
        lambda: call(slack.patient.apps_connections_open(app_token=token)), setting="SLACK_APP_TOKEN"
    )
    socket = SocketMode(bolt, token, monotonic=around.clock.boottime, acked=measures.acked)
    stack.push_async_callback(socket.close_async)
    socket.client.wss_uri = str(opened["url"])
    await socket.connect_async()  # type: ignore[no-untyped-call]  # the library has no annotation here
    return socket


async def require_approvers(settings: Settings, policy: Policy, people: Directory, *, home: str) -> None:
    """Check that all requests allowed by the policy can be approved. Raises SettingsError in production, else warns."""

    async def read() -> list[Membership]:
        return await approvers(policy, people, home=home, most=enough(policy))

    if settings.environment is Environment.PRODUCTION:
        problems = unmet(policy, await until_answered(read, setting="SLACK_BOT_TOKEN"), home=home)
        if problems:
            raise SettingsError([f"{settings.policy_file.name}: {problem}" for problem in problems])
        return
    try:
        problems = unmet(policy, await read(), home=home)
    except ServiceNow as silent:
        problems = [f"can't check whether there are enough approvers: Slack {worded(silent.reason)}"]
    for problem in problems:
        log.warning("approver check failed", problem=problem)


def enough(policy: Policy) -> int:
    """Return a number of approvers that always suffices: the largest quorum, one for a duplicate, one requester."""
    return max(quorum for quorum, _ in _asked(policy)) + 2


def unmet(policy: Policy, found: Collection[Membership], *, home: str) -> list[str]:
    """Return a line with the fix for each rule that can never be met."""
    there = besides(policy, found, home=home)
    return [
        f"{key}: asks for {quorum} besides the requester, and only {there} of the approvers "
        f"{'is a full member' if there == 1 else 'are full members'} of this workspace who did not ask. "
        f"Example: {policy_example('people.approvers')}"
        for quorum, key in _asked(policy)
        if quorum > there
    ]


def besides(policy: Policy, found: Collection[Membership], *, home: str) -> int:
    """Return how many of these approvers can vote on any request, given that its requester can't."""
    may_ask = any(may_request(one, people=policy.people, home=home) is None for one in found)
    return len(found) - (1 if may_ask else 0)


def _asked(policy: Policy) -> list[tuple[int, str]]:
    rules = [(one.quorum, f"approval.rule {n} ({one.words}): quorum") for n, one in enumerate(policy.approval.rule, 1)]
    return [(policy.approval.quorum, "approval.quorum"), *rules]


def _bot_token(settings: Settings) -> str:
    if settings.slack_bot_token is None:
        raise OperatorError("SLACK_BOT_TOKEN is missing")
    return settings.slack_bot_token.get_secret_value()
