"""The buttons of a booking's card, and of the certification checklist."""

from bot.domain.approvals import Refusal
from bot.domain.bookings.booking import Booking
from bot.presentation import answers
from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import certification
from bot.presentation.bookings import forms as views
from bot.workflows.bookings import acting
from bot.workflows.services.delivery import DeliveryService
from handlers.commands.deliver import told
from handlers.commands.deliver_certify import export
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.input.deliveries import admitted, asking
from handlers.replies import Answer, Nothing, Open, Private, Reply
from handlers.router import Router
from storage.store import Tx


def register(router: Router) -> None:
    """Start search, Cancel, Refresh, Show contact, Track; Export."""
    router.actions[booking_cards.START] = start
    router.actions[booking_cards.CANCEL] = cancel
    router.actions[booking_cards.REFRESH] = refresh
    router.actions[booking_cards.CONTACT] = contact
    router.actions[booking_cards.TRACK] = track
    router.actions[certification.EXPORT] = export


async def start(deps: Dependencies, click: Click) -> Reply:
    """Search for a driver before the cook time is over."""
    found = await _meant(deps, click)
    if isinstance(found, Private):
        return found
    delivery, booking = found

    async def ask() -> Answer:
        return told(await acting.start_search(deps.ctx, delivery, booking, by=click.user))

    return asking(ask)


async def cancel(deps: Dependencies, click: Click) -> Reply:
    """Open the form that asks for the reason and is the confirmation."""
    found = await _meant(deps, click)
    if isinstance(found, Private):
        return found
    _, booking = found
    if not booking.can_cancel:
        trouble = "It cannot be canceled as it stands."
        return told(acting.Acted(act=acting.Act.CANCEL, booking=booking, trouble=trouble))
    return Open(views.cancel(booking))


async def refresh(deps: Dependencies, click: Click) -> Reply:
    """Read it now; the card follows."""
    found = await _meant(deps, click)
    if isinstance(found, Private):
        return found
    delivery, booking = found

    async def ask() -> Answer:
        return told(await acting.refresh(deps.ctx, delivery, booking))

    return asking(ask)


async def contact(deps: Dependencies, click: Click) -> Reply:
    """The card with the customer's number, address and code, for the eyes of who pressed and may see them."""
    found = await _meant(deps, click)
    if isinstance(found, Private):
        return found
    _, booking = found
    return Private(booking_cards.card(booking, now=deps.ctx.clock.now(), private=True))


async def track(_deps: Dependencies, _click: Click) -> Reply:
    """The browser opens the link by itself; Slack only wants to hear that we know."""
    return Nothing()


async def _meant(deps: Dependencies, click: Click) -> tuple[DeliveryService, Booking] | Private:
    """The booking, if the message is its card that we posted ourselves and the person may act on it."""
    delivery = await admitted(deps, click.user)
    if isinstance(delivery, Private):
        return delivery

    def look(tx: Tx) -> Booking | None:
        board = tx.boards.find(click.channel, click.ts)
        booking = tx.bookings.get(click.value)
        return booking if board is not None and booking is not None and board.subject == booking.subject else None

    booking = await deps.ctx.store.read(look)
    return (delivery, booking) if booking is not None else Private(answers.refused(Refusal.STALE))
