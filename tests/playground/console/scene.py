"""A small office for tests of the page: a real workspace, a real Bolt app that is easily led, a payments simulator."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.cli.manifest import bot_scopes
from bot.playground.console import Console, Guide, PaymentsPanel, ServicePanel, WorkspacePanel
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.workspace import Workspace
from tests.playground.blocks import Json, actions, button, entry, modal, option, plain, section
from tests.playground.workspace.conftest import served

NORA, TOMAS, IDA, GUS, EVE = "U0NORA", "U0TOMAS", "U0IDA", "U0GUS", "U0EVE"
FINANCE, APPROVALS, GENERAL = "C0FINANCE", "C0APPROVE", "C0GENERAL"
PATIENCE = 60.0
"""Seconds within which a busy machine answers; what people have is tested on the workspace itself."""
TRY_IT = '/pay send ana@example.com 25.00 "March translation"'


TITLE = {"type": "header", "text": plain("Pay $25.00")}
CONFIRM = {
    "title": plain("Withdraw?"),
    "text": plain("It is gone then."),
    "confirm": plain("Withdraw"),
    "deny": plain("Keep"),
}
CARD: list[Json] = [
    TITLE,
    {"type": "section", "fields": [{"type": "mrkdwn", "text": "*To*\nana@example.com"}]},
    actions(
        button("approve", "r1", "Approve", style="primary"),
        button("reject", "r1", "Reject", style="danger"),
        button("withdraw", "r1", "Withdraw", confirm=CONFIRM),
        {"type": "static_select", "action_id": "page", "options": [option("One", "1"), option("Two", "2")]},
        {"type": "users_select", "action_id": "who"},
        {"type": "overflow", "action_id": "more", "options": [option("Show", "show"), option("Hide", "hide")]},
        block_id="decide",
    ),
]
KINDS = {"type": "radio_buttons", "action_id": "k", "options": [option("Late", "late"), option("No", "no")]}
WHY = {"type": "plain_text_input", "action_id": "text", "multiline": True}
REASON: list[Json] = [
    entry("why", WHY, label="Reason", hint=plain("The requester reads it")),
    entry("kind", KINDS, label="Kind"),
    entry("helper", {"type": "users_select", "action_id": "u"}, label="Who helps", optional=True),
]
PARTS = {
    "type": "multi_static_select",
    "action_id": "m",
    "options": [option("One", "1"), option("Two", "2")],
    "initial_options": [option("Two", "2")],
}
TABLE = {"type": "file_input", "action_id": "f", "filetypes": ["csv"], "max_files": 1}
PEOPLE = {"type": "multi_users_select", "action_id": "p", "initial_users": [TOMAS]}
GIVE: list[Json] = [
    entry("table", TABLE, label="Table"),
    entry("more", {"type": "file_input", "action_id": "f"}, label="More", optional=True),
    entry("people", PEOPLE, label="People", optional=True),
    entry("parts", PARTS, label="Parts"),
]


def form(title: str, blocks: list[Json], callback_id: str = "reason") -> Json:
    return modal(*blocks, callback_id=callback_id, title=plain(title), close=plain("Cancel"))


@dataclass
class Bot:
    """Does as the words of the command say, and writes down what it hears."""

    client: AsyncWebClient
    heard: list[Json] = field(default_factory=list)

    def app(self) -> AsyncApp:
        app = AsyncApp(signing_secret="playground-signing-secret", client=self.client)
        app.command("/pay")(self._pay)
        app.action("approve")(self._approve)
        app.action("reject")(self._reject)
        for action in ("withdraw", "page", "who", "more"):
            app.action(action)(self._hear)
        app.view("reason")(self._submitted)
        app.view("give")(self._given)
        app.event("message")(self._hear)
        app.event("file_shared")(self._hear)
        app.event("file_deleted")(self._hear)
        app.shortcut("use_file")(self._use)
        app.event("app_home_opened")(self._home)
        return app

    async def _hear(self, ack: Any, body: Json) -> None:
        await ack()
        self.heard.append(body)

    async def _pay(self, ack: Any, body: Json) -> None:
        self.heard.append(body)
        if not body["text"].startswith("send"):
            await ack({"response_type": "ephemeral", "text": f"*verb*: `send` is one. You said: {body['text']}"})
            return
        await ack()
        for channel in {body["channel_id"], APPROVALS}:
            await self.client.chat_postMessage(channel=channel, text="Pay $25.00", blocks=CARD)

    async def _approve(self, ack: Any, body: Json, respond: Any) -> None:
        await ack()
        self.heard.append(body)
        if body["user"]["id"] == NORA:
            await respond("Somebody else must approve it.", replace_original=False, response_type="ephemeral")
            return
        place = {"channel": body["channel"]["id"]}
        await self.client.chat_update(
            **place, ts=body["message"]["ts"], text="Completed", blocks=[TITLE, section("*Completed*")]
        )
        text = f"*Completed*, approved by <@{body['user']['id']}>"
        await self.client.chat_postMessage(**place, thread_ts=body["message"]["ts"], text=text)

    async def _reject(self, ack: Any, body: Json) -> None:
        await ack()
        await self.client.views_open(trigger_id=body["trigger_id"], view=form("Reject it", REASON))

    async def _use(self, ack: Any, body: Json) -> None:
        await ack()
        self.heard.append(body)
        await self.client.views_open(trigger_id=body["trigger_id"], view=form("Give me files", GIVE, "give"))

    async def _given(self, ack: Any, body: Json) -> None:
        self.heard.append(body)
        await ack()

    async def _submitted(self, ack: Any, body: Json) -> None:
        self.heard.append(body)
        reason = body["view"]["state"]["values"]["why"]["text"]["value"]
        if reason == "short":
            await ack(response_action="errors", errors={"why": "Say more than that."})
        elif reason == "push":
            await ack(response_action="push", view=form("One more", REASON))
        else:
            await ack()

    async def _home(self, event: Json) -> None:
        empty = {"type": "section", "text": plain("Nothing waits for you")}
        await self.client.views_publish(user_id=event["user"], view={"type": "home", "blocks": [empty]})


@dataclass
class Scene:
    """Everything a test of the page holds on to."""

    workspace: Workspace
    payments: PaymentsSimulator
    bot: Bot
    http: aiohttp.ClientSession

    @property
    def url(self) -> str:
        return self.workspace.url

    async def state(self, person: str = NORA) -> Json:
        async with self.http.get(f"{self.url}/console/state", params={"as": person}) as answer:
            picture: Json = await answer.json()
            assert answer.status == 200, picture
        return picture

    async def do(self, action: str, body: Json, *, status: int = 200) -> Json:
        async with self.http.post(f"{self.url}/console/{action}", json=body) as answer:
            told: Json = await answer.json()
            assert answer.status == status, told
        return told

    async def commit(self, *, code: str = "c1") -> None:
        """Have the payments service pay 25.00, as the bot would."""
        order = {
            "email": "ana@example.com",
            "description": "March translation",
            "amount": 25.00,
            "code": code,
            "confirmation_uri": f"{self.url}/callbacks/payments/very-secret-token",
            "failure_uri": f"{self.url}/callbacks/payments/very-secret-token",
        }
        headers = {"Authorization": aiohttp.encode_basic_auth("partner", "partner-secret")}
        async with self.http.post(f"{self.payments.base_url}/payouts", json=order, headers=headers) as answer:
            operation = await answer.json()
        url = f"{self.payments.base_url}/payouts/{operation['id']}/commit"
        async with self.http.post(url, json={}, headers=headers) as answer:
            await answer.read()


def furnish(workspace: Workspace) -> None:
    workspace.add_user(NORA, "nora", real_name="Nora Vidal", title="Requester")
    workspace.add_user(TOMAS, "tomas", real_name="Tomás Berg", title="Approver")
    workspace.add_user(IDA, "ida", real_name="Ida Okafor", title="Approver")
    workspace.add_user(GUS, "gus", real_name="Gus Lindt", restricted=True)
    workspace.add_user(EVE, "eve", real_name="Eve Marsh", team_id="T0OTHER")
    workspace.add_channel(GENERAL, "general", members=[NORA, TOMAS, IDA, GUS], topic="Everything else")
    workspace.add_channel(FINANCE, "finance", members=[NORA, TOMAS, IDA, EVE])
    workspace.add_channel(APPROVALS, "approvals", members=[TOMAS, IDA], private=True)
    workspace.add_group("S0TREASURY", "treasury", users=[TOMAS, IDA])
    workspace.add_command("/pay", hint="send <email> <amount> <description>", description="Pay somebody")
    workspace.add_shortcut("use_file", "Use this file")
    workspace.add_command("/switchboard", hint="status", description="How everything is doing")


@asynccontextmanager
async def open_scene() -> AsyncIterator[Scene]:
    """Start everything, in the order in which the playground does."""
    workspace = Workspace(scopes=bot_scopes(), enforce_rates=False, ack_seconds=PATIENCE, trigger_seconds=PATIENCE)
    furnish(workspace)
    payments = PaymentsSimulator()
    panels: list[ServicePanel] = [PaymentsPanel(simulator=payments), WorkspacePanel(workspace=workspace)]
    guide = Guide(try_it=TRY_IT, person=NORA, channel=FINANCE)
    Console(workspace=workspace, services=panels, guide=guide).mount(workspace.app)
    async with payments, aiohttp.ClientSession() as session, AsyncExitStack() as stack:
        await workspace.start()
        bot = Bot(AsyncWebClient(token="xoxb-playground", base_url=workspace.api_url, session=session))
        await stack.enter_async_context(served(bot.app(), workspace))
        stack.push_async_callback(workspace.stop)
        yield Scene(workspace=workspace, payments=payments, bot=bot, http=session)


class Events:
    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    async def next(self, kind: str = "change", *, timeout: float = 10.0) -> Json:
        """The data of the next event of this kind, skipping others; its ``id`` is kept under ``_id``."""
        async with asyncio.timeout(timeout):
            while True:
                fields = await self._fields()
                if fields.get("event") == kind:
                    return {**json.loads(fields["data"]), "_id": fields.get("id", "")}

    async def until(self, wanted: str, *, timeout: float = 10.0) -> Json:
        """The next change whose ``kind`` is wanted."""
        async with asyncio.timeout(timeout):
            while True:
                change = await self.next()
                if change["kind"] == wanted:
                    return change

    async def _fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        async for raw in self._answer.content:
            line = raw.decode().rstrip("\n")
            if not line and fields:
                return fields
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
        raise EOFError


@asynccontextmanager
async def listening(scene: Scene, person: str, *, after: str = "", last_event_id: str = "") -> AsyncIterator[Events]:
    """Open the stream of a person, from now on or after an earlier position."""
    headers = {"Last-Event-ID": last_event_id} if last_event_id else {}
    params = {"as": person, "after": after or (await scene.state())["position"]}
    async with scene.http.get(f"{scene.url}/console/stream", params=params, headers=headers) as answer:
        yield Events(answer)
