"""Slack: settings in, clients out; the bot's identity, and the socket of Socket Mode."""

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.policy import Policy
from bot.settings import Settings
from bot.slack.calls import call, until_answered
from bot.slack.client import PacedClient
from bot.slack.downloads import Downloads
from bot.slack.ephemerals import Ephemerals
from bot.slack.files import Files
from bot.slack.identity import Identity, who_we_are
from bot.slack.messenger import Messenger
from bot.slack.pace import Pace
from bot.slack.people import People
from bot.slack.turns import Turns
from bot.wiring.keys import bot_token
from bot.wiring.outside import Outside
from bot.wiring.surroundings import Surroundings
from bot.workflows.context import Context
from handlers.allowance import Allowance
from handlers.bolt import build
from handlers.measures import Measures
from handlers.registry import make_router
from handlers.router import Dependencies
from handlers.socket_mode import SocketMode

_CONNECTIONS: Final = 400
"""Connections at a time: more than the slots of all work that waits there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack:
    """Everything that calls Slack.

    Attributes:
        patient: client for calls at the start and for opening sockets: waits by itself for as long as Slack says.
        identity: of the bot.
    """

    patient: AsyncWebClient
    client: PacedClient
    identity: Identity
    pace: Pace
    turns: Turns
    messenger: Messenger
    files: Files
    downloads: Downloads
    ephemerals: Ephemerals


async def open_slack(
    settings: Settings, around: Surroundings, stack: AsyncExitStack, pace: Pace, measures: Measures
) -> Slack:
    """Ask Slack for the bot's identity until it answers. The stack closes the session.

    Raises:
        OperatorError: Slack does not accept our token.
    """
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=_CONNECTIONS),
        timeout=aiohttp.ClientTimeout(total=around.slack_total),
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    stack.push_async_callback(session.close)
    token, api_url = bot_token(settings), settings.slack_api_url
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
        files=Files(client=client, session=session, api_url=api_url),
        downloads=Downloads(client=client, session=session, token=token, api_url=api_url),
        ephemerals=ephemerals,
    )


def make_people(slack: Slack, policy: Policy, around: Surroundings) -> People:
    """The reader of people and of the policy's groups."""
    people = policy.people
    return People(
        client=slack.client,
        groups=[name for name in (*people.requesters, *people.approvers, *people.admins) if name[0] == "S"],
        monotonic=around.clock.boottime,
        timeout=around.people_total,
        is_slowed=slack.pace.is_slowed,
    )


def make_bolt(slack: Slack, ctx: Context, outside: Outside, around: Surroundings) -> AsyncApp:
    """The Bolt application with every handler."""
    settings = outside.settings
    extensions = [one.command(outside) for one in around.extensions]
    deps = Dependencies(
        ctx=ctx,
        messenger=slack.messenger,
        ephemerals=slack.ephemerals,
        allowance=Allowance(monotonic=around.clock.boottime),
        command_prefix=settings.command_prefix,
    )
    return build(
        client=slack.patient,
        token=bot_token(settings),
        identity=slack.identity,
        deps=deps,
        router=make_router(around.offered, prefix=settings.command_prefix, more=extensions),
        patience=around.handler_total,
        moment=around.handler_moment,
    )


async def open_socket(
    settings: Settings, around: Surroundings, slack: Slack, bolt: AsyncApp, stack: AsyncExitStack, measures: Measures
) -> SocketMode | None:
    """In Socket Mode, open the socket; the library keeps it open from then on. None: Slack calls us over HTTP."""
    if settings.slack_app_token is None:
        return None
    token = settings.slack_app_token.get_secret_value()
    # Asked here, because the library would retry for ever, whatever Slack objects to.
    opened = await until_answered(
        lambda: call(slack.patient.apps_connections_open(app_token=token)), setting="SLACK_APP_TOKEN"
    )
    socket = SocketMode(bolt, token, monotonic=around.clock.boottime, acked=measures.acked)
    stack.push_async_callback(socket.close_async)
    socket.client.wss_uri = str(opened["url"])
    await socket.connect_async()  # type: ignore[no-untyped-call]  # the library has no annotation here
    return socket
