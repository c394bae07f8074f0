"""The bot in a process of its own, between a local workspace and a payments simulator that live in the test."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, BinaryIO, Self

import aiohttp

from bot.cli.manifest import bot_scopes
from bot.domain.audit import Verdict
from bot.domain.payments.instruction import Instruction, State
from bot.domain.references import derived_key
from bot.playground.process import free_port
from bot.playground.simulators.emails import EmailsSimulator, Manners
from bot.playground.simulators.ledger import EntryKind
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.workspace import Ack, Message, Workspace
from storage.store import Store
from tests.process.bot_process import BotProcess
from tests.process.gate import Gate, payments_operation
from tests.support.databases import sqlite_address
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, POLICY, SECRET_KEY, furnish
from tests.support.rows import audit_rows, verify

_LOOK_AGAIN = 0.02
_ENOUGH = 30.0


class Scene:
    """Made by :meth:`open`; ``close`` ends everything."""

    workspace: Workspace
    payments: PaymentsSimulator
    bot: BotProcess

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.slack_gate = Gate(lambda request: request.match_info.get("method", ""))
        self.payments_gate = Gate(payments_operation)
        self.emails = EmailsSimulator(manners=Manners(latency=0.05))
        self.session: aiohttp.ClientSession
        self.socket_mode = False
        self._stack = AsyncExitStack()

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        program: Sequence[str] = (),
        installed: str = "",
        policy: str = POLICY,
        socket_mode: bool = False,
        workspace: Mapping[str, Any] | None = None,
        simulator: Mapping[str, Any] | None = None,
        start: bool = True,
        **environment: str | None,
    ) -> Self:
        """Set everything up; ``workspace``, ``simulator`` and ``environment`` say what differs; None removes one."""
        scene = cls(folder)
        scene.socket_mode = socket_mode
        scene.workspace = Workspace(scopes=bot_scopes(), enforce_rates=False, **(workspace or {}))
        scene.payments = PaymentsSimulator(**{"step_seconds": 0.05, **(simulator or {})})
        furnish(scene.workspace)
        (folder / "policy.toml").write_text(policy, encoding="utf-8")
        try:
            await scene._open_outside()
            scene.bot = BotProcess(
                environment=scene._environment(environment), folder=folder, program=program, installed=installed
            )
            scene._stack.push_async_callback(scene.bot.discard)
            scene.workspace.deliver_to(None if socket_mode else scene.slack_url)
            if start:
                await scene.start()
        except BaseException:
            await scene._stack.aclose()
            raise
        return scene

    async def _open_outside(self) -> None:
        self.slack_gate.install(self.workspace.app)
        self.payments_gate.install(self.payments.app)
        for outside in (self.workspace, self.payments, self.emails):
            await outside.start()
            self._stack.push_async_callback(outside.stop)
        self._stack.callback(self.slack_gate.close)
        self._stack.callback(self.payments_gate.close)
        self.session = await self._stack.enter_async_context(aiohttp.ClientSession())

    async def close(self) -> None:
        await self._stack.aclose()
        assert self.bot.stderr == "", self.bot.stderr
        assert "Traceback" not in self.bot.stdout, self.bot.stdout

    async def start(self, **changed: str) -> None:
        await self.bot.start(**changed)
        await self.bot.ready()

    async def restart(self) -> None:
        await self.bot.kill()
        await self.start()

    @property
    def slack_url(self) -> str:
        return f"{self.bot.url}/slack/events"

    @property
    def database(self) -> Path:
        return self.folder / "switchboard.db"

    def _environment(self, changed: Mapping[str, str | None]) -> dict[str, str]:
        identity = self.workspace.identity
        values: dict[str, str | None] = {
            "SLACK_APP_TOKEN": identity.app_token if self.socket_mode else None,
            "SLACK_SIGNING_SECRET": None if self.socket_mode else identity.signing_secret,
            "SLACK_BOT_TOKEN": identity.bot_token,
            "SLACK_API_URL": self.workspace.api_url,
            "PORT": str(free_port()),
            "DATABASE_URL": sqlite_address(self.database),
            "SECRET_KEY": SECRET_KEY,
            "POLICY_FILE": str(self.folder / "policy.toml"),
            "PAYMENTS_BASE_URL": self.payments.base_url,
            "PAYMENTS_PARTNER_ID": self.payments.partner_id,
            "PAYMENTS_PARTNER_SECRET": self.payments.partner_secret,
            "EMAIL_SINGLE_BASE_URL": self.emails.single_url,
            "EMAIL_BULK_BASE_URL": self.emails.bulk_url,
            "EMAIL_API_KEY": self.emails.api_key,
            "POLL_SECONDS": "0.2",
            "QUIET_SECONDS": "1.2",
            **changed,
        }
        return {name: value for name, value in values.items() if value is not None}

    # people

    async def pay(
        self, text: str = 'send ana@example.com 25.00 "March translation"', *, user: str = MARIA, channel: str = FINANCE
    ) -> Ack:
        return await self.workspace.slash(user, channel, "/pay", text)

    async def press(self, action: str, *, user: str = ADA, channel: str = APPROVALS) -> Ack:
        """Press a button on the newest card of a channel, once it has that button."""
        card = await self.workspace.until(lambda: self._with_button(channel, f"payout.{action}"), timeout=_ENOUGH)
        return await self.workspace.click(user, channel, card.ts, f"payout.{action}")

    async def pay_and_approve(self) -> None:
        await self.pay()
        await self.press("approve")

    def _with_button(self, channel: str, action_id: str) -> Message | None:
        for card in reversed(self.cards(channel)):
            if any(button.action_id == action_id for button in card.buttons):
                return card
        return None

    # looking

    def cards(self, channel: str) -> list[Message]:
        messages = self.workspace.messages(channel)
        return [one for one in messages if one.blocks and one.thread_ts in ("", one.ts) and not one.ephemeral_to]

    def news(self, channel: str) -> list[str]:
        said = self.workspace.messages(channel)
        return [one.text for one in said if one.thread_ts not in ("", one.ts) and not one.ephemeral_to]

    def ephemerals(self, user: str) -> list[str]:
        return [one.text for one in self.workspace.ephemerals(user)]

    def executions(self) -> Counter[str]:
        return Counter(entry.code or "" for entry in self.payments.ledger.entries if entry.kind is EntryKind.PAYOUT)

    def is_over(self, *, at_least: int) -> bool:
        """Whether every card shows a payment, at least so many, and both channels have the same number."""
        asked, decided = (self.cards(channel) for channel in (FINANCE, APPROVALS))
        return len(asked) == len(decided) >= at_least and all(map(is_paid, [*asked, *decided]))

    async def settled(self, *, timeout: float = _ENOUGH) -> None:
        """Wait until ``/readyz`` reports nothing left to post or verify."""
        async with asyncio.timeout(timeout):
            while True:
                async with self.session.get(f"{self.bot.url}/readyz") as answer:
                    told = await answer.json()
                if answer.status == 200 and all(age is None for age in told["oldest_seconds"].values()):
                    return
                await asyncio.sleep(_LOOK_AGAIN)

    async def told(self, word: str, *, times: int = 1, patience: float = _ENOUGH) -> None:
        """Wait for news with this word where it was requested; it comes once for each request and not again.

        Every card and line then shows the word and has no button left.
        """

        def is_so() -> bool:
            return all(
                len(self.cards(channel)) >= times
                and len(self._saying(FINANCE, word)) >= times
                and all(word in card.text.casefold() and not card.buttons for card in self.cards(channel))
                for channel in (FINANCE, APPROVALS)
            )

        await self.workspace.until(is_so, timeout=patience)
        await self.settled()
        assert is_so()
        for channel in (FINANCE, APPROVALS):
            assert len(self.cards(channel)) == times, self.workspace.picture()
        assert len(self._saying(FINANCE, word)) == times, self.workspace.picture()
        assert not self._saying(APPROVALS, word), "the card says it"

    def _saying(self, channel: str, word: str) -> list[str]:
        return [text for text in self.news(channel) if f"*{word}*" in text.casefold()]

    async def completed_once(self) -> None:
        """Assert that the one request is paid once, told once, and shown on each copy of its card."""
        await self.told("paid")
        assert list(self.executions().values()) == [1]
        assert [entry.cents for entry in self.payments.ledger.entries] == [2500]

    async def stored(self) -> list[Instruction]:
        """Every request in the database, read while no bot runs; their audit chain must hold."""
        assert not self.bot.running
        instructions, verdict = await stored(sqlite_address(self.database))
        assert verdict.bad_seq is None, verdict.problem
        return instructions

    # requests of the test's own making

    async def post(self, body: bytes | BinaryIO, headers: Mapping[str, str]) -> tuple[int, str]:
        async with self.session.post(self.slack_url, data=body, headers=headers) as answer:
            return answer.status, await answer.text()

    async def send_raw(self, request: bytes, *, end: bool = False) -> bytes:
        """Send raw bytes that no client library would send, then EOF with ``end``; returns the answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", int(self.bot.environment["PORT"]))
        try:
            writer.write(request)
            if end:
                writer.write_eof()
            async with asyncio.timeout(_ENOUGH):
                return await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()

    def callback_addresses(self, n: int = 0) -> dict[str, str]:
        body = self.payments.calls_of("create_payout")[n].body
        assert isinstance(body, dict)
        return {name: str(value) for name, value in body.items() if name.endswith("_uri")}


async def stored(url: str) -> tuple[list[Instruction], Verdict]:
    """All requests of a database, and whether its audit chain holds."""
    key = derived_key(SECRET_KEY, "audit")
    store = await Store.open(url, audit_key=key)
    try:
        verdict = await store.read(lambda tx: verify(key=key, rows=audit_rows(tx)))
        return await store.read(lambda tx: tx.instructions.awaiting(tuple(State))), verdict
    finally:
        await store.close()


def is_paid(card: Message) -> bool:
    return re.match(r"(Paid|All \d+ paid): ", card.text) is not None and not card.buttons
