"""Everything on this machine in one process tree: workspace, simulators, page, throw-away database, the real bot."""

import asyncio
import errno
import secrets
import signal
import sys
import tempfile
from collections.abc import Collection
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import aiohttp

from bot.playground.cast import (
    BOOK,
    DELIVERIES,
    FINANCE,
    FIRST_COMMAND,
    POLICY,
    REQUESTER,
    SAMPLE,
    SAMPLE_NAME,
    SECOND_COMMAND,
    furnish,
    open_accounts,
    open_stores,
)
from bot.playground.console.console import Console, Guide
from bot.playground.console.delivery_panel import DeliveryPanel
from bot.playground.console.emails_panel import EmailsPanel
from bot.playground.console.localization_panel import LocalizationPanel
from bot.playground.console.payments_panel import PaymentsPanel
from bot.playground.console.workspace_panel import WorkspacePanel
from bot.playground.process import BotProcess, free_port
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.emails import EmailsSimulator, Manners
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.workspace import Workspace

_LOOK_SECONDS = 0.5
_READY_SECONDS = 120.0  # a busy machine needs half a minute for the imports alone
_OK = 200
UNSTEADY_SECONDS = 6.0
"""Seconds that *unknown* lasts at least; otherwise a read would settle it before a person sees it."""
WORK_SECONDS = {"*": 1.5, "music_source_separation": 12.0, "audio_extraction": 6.0, "audio_conversion": 4.0}
"""Seconds that localization takes here: long enough to watch the progress and to cancel."""


class Playground:
    """The whole playground. :meth:`start` returns when the bot is ready.

    ``scopes`` are those that the app requests from Slack. ``haste`` is the factor by which services are faster than a
    person can watch.
    """

    def __init__(self, *, port: int, scopes: Collection[str], socket_mode: bool = False, haste: float = 1.0) -> None:
        self._port = port
        self._socket_mode = socket_mode
        self._poll_seconds = 3.0 / haste
        self._stack = AsyncExitStack()
        self.workspace = Workspace(scopes=scopes)
        self.payments = PaymentsSimulator(step_seconds=4.0 / haste)
        self.payments.be_unsteady(UNSTEADY_SECONDS / haste)
        self.delivery = DeliverySimulator(step_seconds=6.0 / haste)
        self.localization = LocalizationSimulator(work_seconds={what: it / haste for what, it in WORK_SECONDS.items()})
        self.emails = EmailsSimulator(manners=Manners(latency=0.3, file_latency=1.5))
        self.bot: BotProcess
        self._bot_url = ""
        self._console: Console
        self._waiting: asyncio.Task[None] | None = None
        self._following: asyncio.Task[None] | None = None
        self.services_file: Path
        """``SERVICES_FILE`` of the bot, empty at first."""

    @property
    def url(self) -> str:
        """Address of the page."""
        return self.workspace.url

    async def start(self) -> None:
        """Start the workspace and the simulators, then the bot."""
        furnish(self.workspace)
        open_accounts(self.payments)
        open_stores(self.delivery)
        self._console = console = Console(
            workspace=self.workspace,
            services=(
                PaymentsPanel(simulator=self.payments),
                DeliveryPanel(simulator=self.delivery),
                LocalizationPanel(simulator=self.localization),
                EmailsPanel(simulator=self.emails),
                WorkspacePanel(workspace=self.workspace),
            ),
            guide=Guide(
                try_it=FIRST_COMMAND,
                again=SECOND_COMMAND,
                person=REQUESTER,
                channel=FINANCE,
                sample_name=SAMPLE_NAME,
                sample=SAMPLE,
                book=BOOK,
                book_channel=DELIVERIES,
            ),
        )
        console.mount(self.workspace.app)
        await self._open_page()
        self._stack.push_async_callback(self.workspace.stop)
        for simulator in (self.payments, self.delivery, self.localization, self.emails):
            await simulator.start()
            self._stack.push_async_callback(simulator.stop)
        directory = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="switchboard-"))
        bot_url = f"http://127.0.0.1:{free_port()}"
        self.bot = BotProcess(
            environment=self._environment(Path(directory), bot_url), directory=directory, ended=self._bot_ended
        )
        await self.bot.start()
        self._stack.push_async_callback(self.bot.stop)
        self.workspace.deliver_to(None if self._socket_mode else f"{bot_url}/slack/events")
        self._bot_url = bot_url
        await self.until_ready()
        self._following = asyncio.create_task(self._follow(), name="follow SERVICES_FILE")

    async def until_ready(self) -> None:
        """Wait until the bot is ready, after a start or a crash."""
        await _until_ready(self._bot_url)

    async def _follow(self) -> None:
        """Restart the bot when a person changes the names of its services."""
        known = await asyncio.to_thread(self.services_file.read_bytes)
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            found = await asyncio.to_thread(self.services_file.read_bytes)
            if found != known:
                known = found
                self.bot.restart()

    def _bot_ended(self, code: int) -> None:
        """Show on the page that the bot ended, until it answers again."""
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}, and the terminal says why"
        self._console.tell_of_bot(f"The bot {how}. It starts again by itself; nothing is lost.")
        sys.stdout.write(f"The bot {how}. It starts again.\n")
        self._waiting = asyncio.create_task(self._until_back(), name="wait for the bot")

    async def _until_back(self) -> None:
        with suppress(TimeoutError):
            await self.until_ready()
            self._console.tell_of_bot("")

    async def stop(self) -> None:
        """Stop everything and delete the data."""
        for task in filter(None, (self._waiting, self._following)):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._stack.aclose()

    async def _open_page(self) -> None:
        try:
            await self.workspace.start(port=self._port)
        except OSError as busy:
            if busy.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            await self.workspace.start(port=0)
            word = "is taken" if busy.errno == errno.EADDRINUSE else "may not be used by this user"
            sys.stdout.write(f"Port {self._port} {word}, so the page is somewhere else.\n")

    def _environment(self, directory: Path, bot_url: str) -> dict[str, str]:
        policy = directory / "policy.toml"
        policy.write_text(POLICY, encoding="utf-8")
        self.services_file = directory / "services.toml"
        self.services_file.touch()
        identity = self.workspace.identity
        reached = (
            {"SLACK_APP_TOKEN": identity.app_token}
            if self._socket_mode
            else {"SLACK_SIGNING_SECRET": identity.signing_secret}
        )
        return {
            **reached,
            "SLACK_BOT_TOKEN": identity.bot_token,
            "SLACK_API_URL": self.workspace.api_url,
            "HOST": "127.0.0.1",
            "PORT": bot_url.rpartition(":")[2],
            "PUBLIC_URL": bot_url,
            "DATABASE_URL": f"sqlite+aiosqlite:///{directory / 'playground.db'}",
            "SECRET_KEY": secrets.token_urlsafe(32),
            "POLICY_FILE": str(policy),
            "SERVICES_FILE": str(self.services_file),
            "PAYMENTS_BASE_URL": self.payments.base_url,
            "PAYMENTS_PARTNER_ID": "partner",
            "PAYMENTS_PARTNER_SECRET": "partner-secret",
            "DELIVERY_BASE_URL": self.delivery.base_url,
            "DELIVERY_MASTER_KEY": self.delivery.master_key,
            "DELIVERY_DASHBOARD_URL": f"{self.delivery.base_url}/dashboard",
            "DELIVERY_SUPPORT_URL": f"{self.delivery.base_url}/support",
            "LOCALIZATION_BASE_URL": self.localization.base_url,
            "LOCALIZATION_API_KEY": self.localization.api_key,
            "EMAIL_SINGLE_BASE_URL": self.emails.single_url,
            "EMAIL_BULK_BASE_URL": self.emails.bulk_url,
            "EMAIL_API_KEY": self.emails.api_key,
            "POLL_SECONDS": f"{self._poll_seconds:g}",
            "QUIET_SECONDS": "40",
        }


async def play(*, port: int, scopes: Collection[str], socket_mode: bool) -> int:
    """Run the playground until it is stopped from the terminal. ``scopes``: of the bot."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    playground = Playground(port=port, scopes=scopes, socket_mode=socket_mode)
    try:
        await playground.start()
        sys.stdout.write(
            f"\n  The playground is open:  {playground.url}\n\n"
            f"  Type  {FIRST_COMMAND}\n  and approve it as another person. Stop with Ctrl-C.\n"
            f"  Names of the services' fields: {playground.services_file} (a change restarts the bot)\n\n"
        )
        sys.stdout.flush()
        await stop.wait()
    finally:
        await playground.stop()
    return 0


async def _until_ready(bot_url: str) -> None:
    async with aiohttp.ClientSession() as session, asyncio.timeout(_READY_SECONDS):
        while True:
            try:
                async with session.get(f"{bot_url}/readyz") as answer:
                    if answer.status == _OK:
                        return
            except aiohttp.ClientError:
                pass  # not listening yet
            await asyncio.sleep(0.1)
