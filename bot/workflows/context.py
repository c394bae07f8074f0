"""What every workflow is given. Built once by the composition root, handed down, never global."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from bot.clients.payments import PaymentsClient
from bot.domain.clock import Clock
from bot.domain.overview import Assumption
from bot.domain.payments.payout import Quiet
from bot.domain.policy import Policy
from bot.slack.downloads import Downloads
from bot.slack.files import Files
from bot.slack.messenger import Messenger
from bot.slack.pace import Pace
from bot.slack.people import People
from bot.slack.turns import Turns
from bot.workflows.admin.audit import Anchoring
from bot.workflows.admin.highwater import HighWater
from bot.workflows.admin.retention import Retention
from bot.workflows.admin.unread import UnreadLog
from bot.workflows.bookings.service import DeliveryService
from bot.workflows.leases import Leases
from bot.workflows.slack.file_actions import Usable
from bot.workflows.slack.subjects import Subject
from bot.workflows.workers import Workers
from storage.peers import Peers
from storage.store import Store

if TYPE_CHECKING:  # what runs is given the context
    from bot.workflows.emails.engine import EmailEngine
    from bot.workflows.localization.running import Localizing

SYSTEM = "switchboard"
"""Actor of what nobody clicked."""

LEASE_SECONDS = 60.0
"""So long after its process died a row is free for another; a step that takes longer renews it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The outside world as workflows see it.

    Attributes:
        payments: None when payments is not configured; ``missing`` then names the variables.
        delivery: None when the delivery service is not configured; ``delivery_missing`` then names the variables.
        emails: works on lists of addresses, and holds the e-mail service.
        home: id of the workspace whose members count.
        owner: id of this process, under which it holds leases.
        token_key: seals callback addresses.
        callback_base: what callback addresses begin with. Without ``PUBLIC_URL`` it is where this process listens,
            which only this machine reaches.
        public: ``PUBLIC_URL`` is set.
        poll_seconds: base polling interval.
        quiet: what must pass before an unknown outcome may be called "not executed".
        wake: tells the drains of this process that there is work; a tick would find it too, only later.
        pace: how fast Slack may be called.
        turns: the order of posts within a conversation.
        subjects: what boards say, by their kind.
        uses: what can be done with files, in the order in which it is offered.
        bot_user: who we are among the people of the workspace.
        localizing: the localization service, and its calls that are under way.
        assumptions: lines of the route table that nobody has vouched for.
        anchoring: writes down outside the database where the audit chain stands.
        high_water: the same before each request with an effect, and what that says of the database.
        unread: answers of the services that could not be read.
        retention: forgets what nobody needs any more.
        server_now: stands for the clock of the database's server where time is played.
        leases: renews what this process holds while it works on it.
        peers: the other processes of a PostgreSQL database; None: there are none.
        workers: what this process works on, row by row.
    """

    store: Store
    payments: PaymentsClient | None
    missing: tuple[str, ...]
    messenger: Messenger
    files: Files
    downloads: Downloads
    people: People
    policy: Policy
    clock: Clock
    home: str
    owner: str
    token_key: bytes
    callback_base: str
    public: bool
    poll_seconds: float
    quiet: Quiet
    wake: Callable[[], None]
    anchoring: Anchoring
    high_water: HighWater
    unread: UnreadLog
    pace: Pace
    turns: Turns
    subjects: Mapping[str, Subject]
    uses: Sequence[Usable]
    bot_user: str
    retention: Retention = field(default_factory=Retention)
    server_now: Callable[[], datetime] | None = None
    leases: Leases = field(default_factory=lambda: Leases(seconds=LEASE_SECONDS))
    workers: Workers
    peers: Peers | None = None
    delivery: DeliveryService | None = None
    delivery_missing: tuple[str, ...] = ()
    assumptions: Sequence[Assumption] = ()
    localizing: "Localizing"
    emails: "EmailEngine"
