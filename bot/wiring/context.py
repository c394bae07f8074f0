"""Builds the context of every workflow."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from bot.clients.payments import PaymentsClient
from bot.domain.policy import Policy
from bot.domain.proof import Quiet
from bot.settings import Environment, Settings
from bot.slack.people import Directory
from bot.wiring.database import Database
from bot.wiring.services import Outside, make_emails, make_localization
from bot.wiring.slack import Slack, make_people
from bot.wiring.surroundings import Surroundings
from bot.wiring.workers import KINDS, RECOVERIES, SUBJECTS, Worker
from bot.workflows import quarantine
from bot.workflows.admin.audit import Anchoring
from bot.workflows.admin.damage import DamageWatch, DiskWatch, Retention
from bot.workflows.admin.highwater import HighWater
from bot.workflows.admin.overview import UnreadLog
from bot.workflows.context import Context
from bot.workflows.requests.reach import Reach
from bot.workflows.services.delivery import DeliveryService
from bot.workflows.services.pressure import Pressure
from bot.workflows.services.service import Service
from bot.workflows.workers import Workers
from handlers.measures import Measures
from storage.leases import Leases

NOWHERE: Final = "https://switchboard.invalid"
"""Where callbacks reach nobody: the top-level domain ``invalid`` never exists (RFC 2606)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that exist before the identity at Slack is known. ``stack`` closes everything."""

    settings: Settings
    policy: Policy
    around: Surroundings
    stack: AsyncExitStack
    database: Database
    outside: Outside
    payments: Service[PaymentsClient]
    delivery: Service[DeliveryService]
    high_water: HighWater
    unread: UnreadLog
    wake: Callable[[], None]
    measures: Measures


def make_context(parts: Parts, slack: Slack, *, url: str) -> Context:
    settings, around, database = parts.settings, parts.around, parts.database
    # The services require a callback address, even without PUBLIC_URL. In production it must not be a loopback address:
    # the service would call a program on its own machine.
    local = NOWHERE if settings.environment is Environment.PRODUCTION else url
    people = make_people(slack, parts.policy, around)
    parts.stack.push_async_callback(people.close)
    counted = make_people(slack, parts.policy, around)
    parts.stack.push_async_callback(counted.close)
    return Context(
        store=database.store,
        payments=parts.payments,
        delivery=parts.delivery,
        localization=make_localization(parts.outside),
        emails=make_emails(parts.outside, Pressure(clock=around.clock.boottime)),
        messenger=slack.messenger,
        files=slack.files,
        downloads=slack.downloads,
        people=people,
        policy=parts.policy,
        clock=database.clock,
        home=slack.identity.team_id,
        owner=around.owner,
        token_key=settings.key_for("callbacks"),
        callback_base=settings.public_url or local,
        public=settings.public_url is not None,
        poll_seconds=settings.poll_seconds,
        quiet=Quiet(settings.quiet_seconds),
        wake=parts.wake,
        high_water=parts.high_water,
        pace=slack.pace,
        turns=slack.turns,
        subjects=SUBJECTS,
        kinds=KINDS,
        recoveries=RECOVERIES,
        file_actions=around.file_actions,
        bot_user=slack.identity.bot_user_id,
        chores=_chores(parts, counted),
        assumptions=parts.outside.routes().assumptions(),
        server_now=around.server_now,
        leases=Leases(store=database.store, clock=database.clock, owner=around.owner, sleep=around.sleep),
        workers=Workers(run=quarantine.take),
        peers=database.peers,
        attempted=parts.measures.attempted,
    )


def _chores(parts: Parts, people: Directory) -> Mapping[str, Worker]:
    # Periodic work without rows. `people` is a separate reader: no vote counts by what was read for a count.
    database = parts.database
    anchoring = Anchoring(
        store=database.store, file=database.anchors, clock=database.clock, high_water=parts.high_water
    )
    parts.stack.push_async_callback(anchoring.finish)
    return {
        "anchors": lambda _: anchoring.due(),
        "disk": DiskWatch().look,
        "unread": lambda _: parts.unread.flush(),
        "damage": DamageWatch().look,
        "retention": Retention().prune_due,
        "reach": Reach(people).look,
    }
