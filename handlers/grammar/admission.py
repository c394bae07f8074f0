"""Permission checks and service calls, shared by commands, forms and buttons.

Each function that admits a user returns the service to use, or raises ``DeclinedError`` with the refusal.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Final, TypedDict, TypeVar

import structlog

from bot.clients.emails import EmailsClient
from bot.clients.localization import LocalizationClient
from bot.clients.payments import PaymentsClient
from bot.domain.approvals import (
    Membership,
    No,
    NoAddress,
    Role,
    address_of,
    full_member,
    listed,
    may_look,
    may_request,
)
from bot.domain.content import Block, Content
from bot.domain.errors import ServiceNever, ServiceNow, SwitchboardError
from bot.domain.fields import Mention
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.policy import People
from bot.domain.reasons import Reason
from bot.domain.services import DELIVERY, EMAILS, LOCALIZATION, PAYMENTS
from bot.presentation import answers
from bot.presentation.bookings import answers as bookings
from bot.presentation.payments.answers import refused_while_frozen
from bot.presentation.reasons import sentence
from bot.slack.messenger import Messenger, Posted
from bot.workflows.payments.callbacks import check_way_back
from bot.workflows.requests.authority import frozen
from bot.workflows.requests.send import over_today
from bot.workflows.services import DeliveryService, Service
from handlers.incoming import Command
from handlers.replies import Answer, DeclinedError, Later, Open, Private, Reply
from handlers.router import Dependencies

log = structlog.get_logger(__name__)

A = TypeVar("A", bound=Answer | Open)
C = TypeVar("C")
Opens = Callable[..., Awaitable[Reply]]

_MEMBERSHIP_SECONDS: Final = 0.7

Rule = Callable[..., No | None]
"""A function of :mod:`bot.domain.approvals` that returns the reason for a refusal, or None if the user may."""


def member(standing: Membership, *, people: People, home: str) -> No | None:  # noqa: ARG001 - any role, or none
    return full_member(standing.person, home=home)


def admin(standing: Membership, *, people: People, home: str) -> No | None:
    return may_look(standing, people=people, home=home) or (
        None if listed(Role.ADMIN, standing, people) else No.NOT_ADMIN
    )


async def admit(
    deps: Dependencies, user: str, rule: Rule = member, *, wording: Callable[[No], Content] = answers.refused
) -> Membership:
    ctx = deps.ctx
    standing = await ctx.people.standing(user)
    no = rule(standing, people=ctx.policy.people, home=ctx.home)
    if no is not None:
        raise DeclinedError(wording(no))
    return standing


def configured(service: Service[C], name: str) -> C:
    """Return a service's client; DeclinedError if it isn't configured. ``name``: display name of the service."""
    if service.client is None:
        raise DeclinedError(answers.not_configured(name, service.missing))
    return service.client


async def admitted(
    deps: Dependencies,
    user: str,
    service: Service[C],
    name: str,
    *,
    rule: Rule = member,
    wording: Callable[[No], Content] = answers.refused,
) -> C:
    """Return a service's client if ``rule`` allows the user; DeclinedError otherwise. ``name``: display name."""
    await admit(deps, user, rule, wording=wording)
    return configured(service, name)


async def payments_for(deps: Dependencies, user: str, rule: Rule = may_look) -> PaymentsClient:
    return await admitted(deps, user, deps.ctx.payments, PAYMENTS, rule=rule)


async def payments_to_request(
    deps: Dependencies, user: str, kind: Kind | None = None, *, even_frozen: bool = True
) -> PaymentsClient:
    """Return the payments client for a user who requests a payment; ``kind`` is None if nothing will be sent.

    ``even_frozen``: also while payments are frozen.
    """
    payments = configured(deps.ctx.payments, PAYMENTS)
    await admit(deps, user, may_request)
    if kind is not None:
        check_way_back(deps.ctx, kind)
        deps.ctx.kinds[kind].ready(payments)
    stopped = None if even_frozen else await deps.ctx.read(frozen)
    if stopped is not None:
        raise DeclinedError(refused_while_frozen(stopped))
    return payments


async def payee_address(deps: Dependencies, command: Command, payee: str | Mention) -> str:
    """Return the typed address, or the profile address of the mentioned user; DeclinedError if it can't be used."""
    if isinstance(payee, str):
        return payee
    user = payee.id or command.mentioned.get(payee.name, "")
    person = (await deps.ctx.people.standing(user)).person if user else None
    found = address_of(person, home=deps.ctx.home)
    if isinstance(found, NoAddress):
        named = f"@{payee.name or (person.handle if person is not None else payee.id)}"
        raise DeclinedError(answers.no_address(named, found))
    return found


async def delivery_for(deps: Dependencies, user: str, rule: Rule = may_look) -> DeliveryService:
    return await admitted(deps, user, deps.ctx.delivery, DELIVERY, rule=rule, wording=bookings.refused)


async def localization_for(deps: Dependencies, user: str) -> LocalizationClient:
    return await admitted(deps, user, deps.ctx.localization, LOCALIZATION)


async def emails_for(deps: Dependencies, user: str) -> EmailsClient:
    return await admitted(deps, user, deps.ctx.emails, EMAILS)


def opens(admits: Callable[[Dependencies, str], Awaitable[object]], form: Callable[[Command], Block]) -> Opens:
    async def run(deps: Dependencies, command: Command, _values: object = None) -> Reply:
        await admits(deps, command.user)
        return Open(form(command))

    return run


def then(ask: Callable[[], Awaitable[C]], say: Callable[[C], A]) -> Callable[[], Awaitable[A]]:
    async def work() -> A:
        return say(await ask())

    return work


def service_call(
    work: Callable[[], Awaitable[Answer | Open]], *, service: str = PAYMENTS, meanwhile: Answer | Open | None = None
) -> Later:
    """Run ``work`` without delaying the ack. ``meanwhile`` defaults to a notice with the service's display name."""

    async def call() -> Answer | Open:
        try:
            return await work()
        except (ServiceNow, ServiceNever) as trouble:
            log.warning("request failed on a service error", service=service, reason=str(trouble))
            return Private(answers.trouble(sentence(trouble)))

    return Later(call, meanwhile or Private(answers.asking(service)))


delivery_call = partial(service_call, service=DELIVERY)
"""Like :func:`service_call`, for the delivery service."""


async def send_file(
    deps: Dependencies, user: str, content: bytes | AsyncIterator[bytes], length: int | None = None, /, **about: str
) -> Posted:
    """Share a file with a user in a direct message. ``about``: its name, title, alternative text and comment."""
    channel = await deps.messenger.direct_message(user)
    return await deps.ctx.files.share(content=content, length=length, channel=channel, thread_ts=None, **about)


class ForRequester(TypedDict):
    """Facts for the answer to a requester: whether we can post there, and what prevents sending today."""

    member: bool
    over: Reason | None


async def for_requester(deps: Dependencies, instruction: Instruction, channel: str) -> ForRequester:
    over = await deps.ctx.read(lambda uow: over_today(uow, instruction))
    return {"member": await can_post(deps.messenger, channel), "over": over}


async def can_post(messenger: Messenger, channel: str) -> bool:
    """Return whether the bot can post in a channel; True if the check fails, since the request is already stored."""
    try:
        async with asyncio.timeout(_MEMBERSHIP_SECONDS):
            return await messenger.is_member(channel)
    except (SwitchboardError, TimeoutError):
        return True
