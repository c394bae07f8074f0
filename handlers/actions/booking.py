"""The buttons of a booking's card, and of the certification checklist."""

from collections.abc import Awaitable, Callable
from functools import wraps

from bot.domain.approvals import Refusal
from bot.domain.bookings.booking import Booking
from bot.domain.errors import ServiceTrouble
from bot.presentation import answers
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import certification
from bot.presentation.bookings import forms as views
from bot.workflows.bookings import acting
from bot.workflows.bookings.lookup import booking_on_card, evidence
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.input.deliveries import COMMAND, told, with_delivery
from handlers.input.service_call import delivery_call
from handlers.replies import Answer, Later, Nothing, Open, Private, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Start search, Cancel, Refresh, Show contact, Track; Export."""
    router.actions[booking_cards.START] = start
    router.actions[booking_cards.CANCEL] = cancel
    router.actions[booking_cards.REFRESH] = refresh
    router.actions[booking_cards.CONTACT] = contact
    router.actions[booking_cards.TRACK] = track
    router.actions[certification.EXPORT] = export


def _on_card(
    run: Callable[[Dependencies, DeliveryService, Click, Booking], Awaitable[Reply]],
) -> Callable[[Dependencies, Click], Awaitable[Reply]]:
    """A button that is given its booking, if the message is its card, posted by us, and the user may act on it."""

    @with_delivery
    @wraps(run)
    async def press(deps: Dependencies, delivery: DeliveryService, click: Click) -> Reply:
        booking = await booking_on_card(deps.ctx, click.value, channel=click.channel, ts=click.ts)
        if booking is None:
            return Private(answers.refused(Refusal.STALE))
        return await run(deps, delivery, click, booking)

    return press


@_on_card
async def start(deps: Dependencies, delivery: DeliveryService, click: Click, booking: Booking) -> Reply:
    """Search for a driver before the cook time is over."""

    async def ask() -> Answer:
        return told(await acting.start_search(deps.ctx, delivery, booking, by=click.user))

    return delivery_call(ask)


@_on_card
async def cancel(_deps: Dependencies, _delivery: DeliveryService, _click: Click, booking: Booking) -> Reply:
    """Open the form that asks for the reason and is the confirmation."""
    if not booking.can_cancel:
        return told(acting.cannot_cancel(booking))
    return Open(views.cancel(booking))


@_on_card
async def refresh(deps: Dependencies, delivery: DeliveryService, _click: Click, booking: Booking) -> Reply:
    """Read the booking from the service now; the card is updated afterwards."""

    async def ask() -> Answer:
        return told(await acting.refresh(deps.ctx, delivery, booking))

    return delivery_call(ask)


@_on_card
async def contact(deps: Dependencies, _delivery: DeliveryService, _click: Click, booking: Booking) -> Reply:
    """Send the requesting user the customer's number, address and code privately, if they may see them."""
    return Private(booking_cards.card(booking, now=deps.ctx.clock.now(), private=True))


async def track(_deps: Dependencies, _click: Click) -> Reply:
    """Do nothing: the browser opens the link itself, and Slack needs only the ack."""
    return Nothing()


@with_delivery
async def export(deps: Dependencies, _delivery: DeliveryService, click: Click) -> Reply:
    """Send the list as a file in a direct message."""

    async def share() -> Answer:
        seen, states = await evidence(deps.ctx)
        now = deps.ctx.clock.now()
        text = certification.as_file(seen, states, command=deps.spelled(COMMAND), now=now)
        try:
            await deps.ctx.files.share(
                name=certification.FILE_NAME,
                content=text.encode(),
                title=certification.FILE_TITLE,
                alt=certification.FILE_ALT,
                comment=certification.FILE_COMMENT,
                channel=await deps.messenger.direct_message(click.user),
                thread_ts=None,
            )
        except ServiceTrouble as refused:
            return Private(answers.not_shared(refused))
        return Private(deliveries.exported())

    return Later(share, Nothing())
