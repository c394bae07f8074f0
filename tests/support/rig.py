"""The whole product in one process: real local workspace, real simulator, real database, real application.

``Rig.open`` with ``ticking=True`` (the default) runs like production, on the machine's clock. With a
``ManualClock`` nothing happens by itself: ``settle`` does what is due, ``pass_time`` moves the clock and settles.
"""

import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from itertools import chain
from pathlib import Path
from typing import Any, Self

from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from bot.app import Switchboard
from bot.cli.manifest import bot_scopes
from bot.clients.limiter import Lane, SendTurn
from bot.domain.clock import SystemClock
from bot.playground.process import free_port
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.emails import EmailsSimulator
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.workspace import Ack, Message, View, Workspace
from bot.presentation.payments import forms
from bot.settings import Settings, load_policy
from bot.slack.pace import Pace
from bot.wiring.surroundings import Surroundings
from tests.support.clock import ManualClock
from tests.support.scratch import scratch
from tests.support.settling import Ticks, settle

SECRET_KEY = "a-secret-key-for-tests-0123456789"

MARIA = "U0MARIA"
"""Requester."""
TOM = "U0TOM"
"""Requester and approver."""
ADA = "U0ADA"
"""Approver."""
LIN = "U0LIN"
"""Approver."""
OLGA = "U0OLGA"
"""Admin."""
GUS = "U0GUS"
"""Guest; wrongly in the approvers' group."""
EVE = "U0EVE"
"""Member of another workspace; wrongly in the approvers' group."""
ZOE = "U0ZOE"
"""Full member without any role."""

FINANCE = "C0FINANCE"
APPROVALS = "C0APPROVE"
ALERTS = "C0ALERTS"
MONEY = "C0MONEY"
RANDOM = "C0RANDOM"
"""The bot is no member here."""

POLICY = """
[channels]
approvals = "C0APPROVE"
payments = "C0MONEY"
alerts = "C0ALERTS"

[people]
requesters = ["S0FINANCE"]
approvers = ["S0TREASURY"]
admins = ["U0OLGA"]

[approval]
quorum = 1
expires = "24h"
execute_within = "60m"
daily_limit = "25000.00"

[[approval.rule]]
over = "1000.00"
quorum = 2
typed_amount = true
"""

ANYWAY = "Approve anyway"
"""The button of the form that says what is not fine about the recipient's account."""

PEOPLE_SECONDS = 20.0
CONNECT_SECONDS = 50.0
HANDLER_SECONDS = 26.0
HANDLER_MOMENT = 10.0
ACK_SECONDS = 30.0
"""Ten times the product's and Slack's limits, because these tests do not measure a busy machine."""


class Unlimited:
    """Send slots without a limit, for tests on a clock that stands still."""

    async def acquire(self, lane: Lane, *, patience: float) -> SendTurn:  # noqa: ARG002 - the protocol's names
        return self

    async def departs(self) -> bool:
        return True

    async def answered(self) -> None:
        return None

    def over(self) -> None:
        return None

    async def slow_down(self, retry_after: float | None) -> None:  # noqa: ARG002 - the protocol's name
        return None


class GivenSettings(Settings):
    """Settings from a test's arguments only: environment variables are ignored."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the library's names
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def _unhurried(clock: ManualClock) -> dict[str, Any]:
    pace = Pace(monotonic=clock.boottime, at_once=10_000)
    return {"limiter": Unlimited(), "pace": pace, "sleep": clock.sleep, "server_now": clock.now}


class Rig:
    def __init__(self) -> None:
        self._clock: ManualClock | None = None
        self.workspace: Workspace
        self.payments: PaymentsSimulator
        self.delivery: DeliverySimulator | None = None
        self.localization: LocalizationSimulator
        self.emails: EmailsSimulator
        self.switchboard: Switchboard
        self.settings: Settings
        self.policy_text = POLICY
        self._stack = AsyncExitStack()
        self._around: dict[str, Any] = {}
        self._generation = 0
        self._ticks = Ticks()
        self._anchors: Path | None = None

    @classmethod
    async def open(
        cls,
        *,
        database_url: str,
        clock: ManualClock | None = None,
        policy: str = POLICY,
        services: str | None = None,
        socket_mode: bool = False,
        simulator: dict[str, Any] | None = None,
        around: dict[str, Any] | None = None,
        start: bool = True,
        delivery: DeliverySimulator | None = None,
        prepare: Callable[[Workspace], None] | None = None,
        **settings: Any,
    ) -> Self:
        rig = cls()
        rig._clock = clock
        rig.policy_text = policy
        rig._around = dict(around or {})
        seconds: dict[str, Any] = {"clock": clock.seconds} if clock else {}
        patience: dict[str, Any] = {"ack_seconds": ACK_SECONDS, "trigger_seconds": ACK_SECONDS}
        rig.workspace = Workspace(scopes=bot_scopes(), enforce_rates=False, **patience, **seconds)
        if clock is not None:
            rig.workspace._delivery.signing_clock = clock.seconds
        furnish(rig.workspace)
        if prepare is not None:
            prepare(rig.workspace)  # e.g. mounts the page, which cannot be done later
        step = {} if clock else {"step_seconds": 0.05}
        rig.payments = PaymentsSimulator(
            **{**seconds, **step, "rate_limit": None if clock else 10, **(simulator or {})}
        )
        rig.delivery = delivery
        rig.localization, rig.emails = LocalizationSimulator(**seconds), EmailsSimulator(**seconds)
        for outside in (rig.workspace, rig.payments, rig.delivery, rig.localization, rig.emails):
            if outside is not None:
                await outside.start()
                rig._stack.push_async_callback(outside.stop)
        directory = Path(rig._stack.enter_context(tempfile.TemporaryDirectory(dir=scratch())))
        if not database_url.startswith("sqlite"):
            rig._anchors = directory / "switchboard.anchors"  # by default, in the working directory
        if services is not None:
            settings["services_file"] = directory / "services.toml"
            settings["services_file"].write_text(services, encoding="utf-8")
        rig.settings = rig._settings(directory, database_url, socket_mode=socket_mode, **settings)
        if start:
            await rig.start()
        return rig

    def _settings(self, directory: Path, database_url: str, *, socket_mode: bool, **more: Any) -> Settings:
        policy_file = directory / "policy.toml"
        policy_file.write_text(self.policy_text)
        values: dict[str, Any] = {
            "slack_bot_token": "xoxb-playground",
            "slack_signing_secret": "playground-signing-secret",
            "slack_app_token": "xapp-playground" if socket_mode else None,
            "slack_api_url": self.workspace.api_url,
            "port": 0,
            "secret_key": SECRET_KEY,
            "database_url": database_url,
            "policy_file": policy_file,
            "payments_base_url": self.payments.base_url,
            "payments_partner_id": "partner",
            "payments_partner_secret": "partner-secret",
            "localization_base_url": self.localization.base_url,
            "localization_api_key": self.localization.api_key,
            "email_single_base_url": self.emails.single_url,
            "email_bulk_base_url": self.emails.bulk_url,
            "email_api_key": self.emails.api_key,
            "poll_seconds": 30 if self._clock else 0.2,
            "quiet_seconds": 900 if self._clock else 2,
        }
        if self.delivery is not None:
            port = free_port()  # webhooks are registered with a public address only
            values |= {"delivery_base_url": self.delivery.base_url, "delivery_master_key": self.delivery.master_key}
            values |= {"port": port, "public_url": f"http://127.0.0.1:{port}"}
        return GivenSettings(**{**values, **more})

    async def start(self) -> None:
        """Start the application (again); for leases it is a new process."""
        self._generation += 1
        self._ticks = Ticks()
        around: dict[str, Any] = {
            "clock": self._clock or SystemClock(),
            "owner": f"process-{self._generation}",
            "ticking": self._clock is None,
            "anchors": self._anchors,
            "people_total": PEOPLE_SECONDS,
            "service_connect": CONNECT_SECONDS,
            "handler_total": HANDLER_SECONDS,
            "handler_moment": HANDLER_MOMENT,
            **(_unhurried(self._clock) if self._clock else {}),
            **self._around,
        }
        policy = load_policy(self.settings.policy_file)
        self.switchboard = Switchboard(settings=self.settings, policy=policy, surroundings=Surroundings(**around))
        await self.switchboard.start()
        await self.switchboard.until_joined()
        self.workspace.deliver_to(None if self.settings.socket_mode else f"{self.switchboard.url}/slack/events")

    async def start_another(self, owner: str, **around: Any) -> Switchboard:
        """Start a second process on the same PostgreSQL. It gets no requests of the workspace and ends with the rig."""
        settings = self.settings.model_copy(update={"port": 0})
        surroundings = Surroundings(clock=SystemClock(), owner=owner, anchors=self._anchors, **around)
        process = Switchboard(settings=settings, policy=load_policy(settings.policy_file), surroundings=surroundings)
        self._stack.push_async_callback(process.stop)
        await process.start()
        await process.until_joined()
        return process

    async def start_again(self, **around: Any) -> None:
        """Stop the application in the ordinary way and start it again, from then on also with ``around``."""
        await self.switchboard.stop()
        self._around |= around
        await self.start()

    async def close(self) -> None:
        await self.switchboard.stop()
        await self._stack.aclose()

    @property
    def clock(self) -> ManualClock:
        """The clock that stands still until a test moves it."""
        assert self._clock is not None
        return self._clock

    # driving

    async def settle(self) -> None:
        """Run due work until nothing is due."""
        await settle(self.switchboard.context, self._ticks)

    async def pass_time(self, seconds: float, *, steps: int = 1) -> None:
        """Move the clock in so many steps, and run due work at each."""
        for _ in range(steps):
            self.clock.advance(seconds / steps)
            await self.settle()

    def add_payees(self, *emails: str) -> None:
        """Accounts of people about whom nothing is unusual."""
        for email in emails:
            self.payments.add_account(email, full_name=email.partition("@")[0].title())

    async def pay(
        self, text: str = 'send ana@example.com 25.00 "March translation"', *, user: str = MARIA, channel: str = FINANCE
    ) -> Ack:
        if self._clock is not None:
            self._clock.advance(0.001)  # requests have an order
        ack = await self.workspace.slash(user, channel, "/pay", text)
        if self._clock is not None:
            await self.settle()
        return ack

    async def approve_and_fail(self, why: str) -> None:
        """Approve the request; the service fails the payout with ``why``."""
        self.payments.switches.fail_reason = why
        await self.press("approve")
        await self.payments.advance()
        await self.pass_time(60)
        self.payments.switches.fail_reason = None

    async def card(self, channel: str = APPROVALS) -> Message:
        """The newest card in a channel, once there is one."""
        return await self.workspace.until(lambda: self.cards(channel)[-1] if self.cards(channel) else None)

    def cards(self, channel: str = APPROVALS) -> list[Message]:
        """The cards of a channel and the lines of requests, oldest first: root messages with a headline or a line."""
        roots = [m for m in self.workspace.messages(channel) if m.thread_ts in (None, "", m.ts)]
        return [m for m in roots if is_card(m)]

    async def press(
        self, action: str, *, user: str = ADA, channel: str = APPROVALS, confirm: bool = True, **more: Any
    ) -> Ack:
        """Press a button (``approve``, ``reject``, …) on the newest card of a channel, or choose it in its menu.

        ``confirm``: a form that only asks to confirm is submitted.
        """
        card = await self.card(channel)
        ack = await press(self.workspace, card, action, user=user, **more)
        view = self.workspace.modal(user)
        if confirm and view is not None and view.close == "Keep it" and not view.values:
            ack = await self.workspace.submit(user, {})
        if confirm and is_confirmation(view):
            ack = await self.workspace.submit(user, {})
        if self._clock is not None:
            await self.settle()
        return ack

    async def submit(self, user: str, values: dict[str, str]) -> Ack:
        ack = await self.workspace.submit(user, values)
        if self._clock is not None:
            await self.settle()
        return ack

    async def click(self, message: Message, action: str, *, user: str = MARIA, **more: Any) -> Ack:
        """Press a button of a message, and run due work."""
        ack = await self.workspace.click(user, message.channel, message.ts, action, **more)
        await self.settle()
        return ack

    async def reject(self, reason: str = "Invoice number is missing") -> None:
        await self.press("reject")
        await self.submit(ADA, {"reason": reason})

    def form(self, user: str = MARIA) -> View:
        """The form that this person sees."""
        view = self.workspace.modal(user)
        assert view is not None
        return view

    def news(self, channel: str) -> list[Message]:
        """Messages in the threads of a channel's cards."""
        threads: dict[str, list[Message]] = {card.ts: [] for card in self.cards(channel)}
        for message in self.workspace.messages(channel):
            if message.thread_ts in threads and message.ts != message.thread_ts:
                threads[message.thread_ts].append(message)
        return list(chain.from_iterable(threads.values()))

    @property
    def paid(self) -> list[tuple[str, int]]:
        """Payments out of the partner's account by the simulator's ledger: address and cents."""
        return [(entry.email, entry.cents) for entry in self.payments.ledger.entries if entry.cents > 0]


def is_card(message: Message) -> bool:
    """Whether a message is a card, or the line of a request; news have neither a headline nor that line."""
    return any(one["type"] == "header" or str(one.get("block_id", "")).startswith("line:") for one in message.blocks)


def menu_of(card: Message) -> dict[str, str]:
    """What stands behind the three dots of a card: the word of each choice, and the value that it sends."""
    elements = [one for block in card.blocks for one in block.get("elements", []) if one.get("type") == "overflow"]
    values = [option["value"] for one in elements for option in one["options"]]
    return {value.partition(":")[0]: value for value in values}


def offers(card: Message, action: str) -> bool:
    """Whether a card has such a button, or such a choice in its menu."""
    return action in menu_of(card) or any(button.action_id == f"payout.{action}" for button in card.buttons)


async def press(workspace: Workspace, card: Message, action: str, *, user: str, **more: Any) -> Ack:
    """Press a button of this card, or choose it in its menu where it has no such button."""
    offered = {button.action_id for button in card.buttons}
    chosen = menu_of(card).get(action)
    if chosen is not None and f"payout.{action}" not in offered:
        return await workspace.click(user, card.channel, card.ts, "payout.menu", value=chosen, **more)
    return await workspace.click(user, card.channel, card.ts, f"payout.{action}", **more)


def is_confirmation(view: View | None) -> bool:
    """Whether a form only asks to confirm that a request is approved although something may be wrong with it."""
    return view is not None and view.submit == ANYWAY and forms.AMOUNT not in view.values


async def approve_card(rig: Rig, card: Message, user: str = ADA) -> None:
    """Press Approve on this card and confirm what may be wrong, before anything that is due is done."""
    await rig.workspace.click(user, card.channel, card.ts, "payout.approve")
    if is_confirmation(rig.workspace.modal(user)):
        await rig.workspace.submit(user, {})


def furnish(workspace: Workspace) -> None:
    """Add the people, groups and channels of the tests' policy."""
    people = {
        MARIA: "Maria Silva",
        TOM: "Tom Berg",
        ADA: "Ada Okafor",
        LIN: "Lin Chen",
        OLGA: "Olga Reis",
        ZOE: "Zoe Fox",
    }
    for user, name in people.items():
        workspace.add_user(user, name.split()[0].lower(), real_name=name)
    workspace.add_user(GUS, "gus", real_name="Gus Guest", restricted=True)
    workspace.add_user(EVE, "eve", real_name="Eve Else", team_id="T0OTHER")
    workspace.add_group("S0FINANCE", "finance", users=[MARIA, TOM])
    workspace.add_group("S0TREASURY", "treasury", users=[ADA, LIN, TOM, GUS, EVE])
    everybody = [*people, GUS, EVE]
    for channel, name in ((FINANCE, "finance"), (APPROVALS, "approvals"), (ALERTS, "alerts"), (MONEY, "payments")):
        workspace.add_channel(channel, name, members=everybody)
    workspace.add_channel(RANDOM, "random", members=everybody, bot_member=False)
    for command in ("/pay", "/deliver", "/localize", "/email", "/switchboard"):
        workspace.add_command(command)
