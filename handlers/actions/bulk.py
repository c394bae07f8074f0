"""Buttons of bulk payments: other pages, cancel what is pending, a template."""

from bot.domain.approvals import Refusal
from bot.domain.errors import PersonError
from bot.domain.payments.operation import Operation
from bot.presentation import answers
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import bulk_answers, bulk_cards, forms
from bot.workflows.payments.payout_cancel_request import request_return
from bot.workflows.requests.buttons import shown_as
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.input import bulk, fields
from handlers.input.admission import payments_for, payments_to_request
from handlers.input.presence import can_post
from handlers.input.service_call import service_call
from handlers.replies import Answer, Nothing, Private, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Previous, Next, Cancel pending, Cancel and return the money, Send me a template."""
    router.actions[bulk_answers.PREVIOUS] = turn
    router.actions[bulk_answers.NEXT] = turn
    router.actions[bulk_cards.CANCEL] = cancel
    router.actions[bulk_cards.RETURN] = return_money
    router.actions[forms.TEMPLATE] = template


async def turn(deps: Dependencies, click: Click) -> Reply:
    """Show the page that the button names, after checking again that the user may see it."""
    payments = await payments_for(deps, click.user)
    named, _, number = click.value.rpartition(":")
    what, _, name = named.partition(":")
    try:
        page = fields.page(number)
    except PersonError:
        return Private(answers.refused(Refusal.STALE))
    match what:
        case "history":
            return service_call(lambda: bulk.turn_history(deps, payments, page=page, instead=True), meanwhile=Nothing())
        case "items" | "failed":
            return service_call(
                lambda: bulk.turn_items(deps, payments, name, page=page, failed=what == "failed", instead=True),
                meanwhile=Nothing(),
            )
        case _:
            return Private(answers.refused(Refusal.STALE))


async def cancel(deps: Dependencies, click: Click) -> Reply:
    """Request the cancellation of everything that is pending now in the bulk payment of this card."""
    await payments_to_request(deps, click.user)
    found = await shown_as(deps.ctx, click.value, channel=click.channel, ts=click.ts)
    if found is None:
        return Private(answers.refused(Refusal.STALE))
    return await bulk.request_cancellation(
        deps,
        user=click.user,
        channel=click.channel,
        text=found[0].reference,
        hashes=None,
        source_key=f"click:{click.trigger_id}",
    )


async def return_money(deps: Dependencies, click: Click) -> Reply:
    """Request the cancellation of the payout in escrow of this card."""
    payments = await payments_to_request(deps, click.user)
    found = await shown_as(deps.ctx, click.value, channel=click.channel, ts=click.ts)
    if found is None:
        return Private(answers.refused(Refusal.STALE))
    payout, _ = found

    async def work() -> Answer:
        asked = await request_return(
            deps.ctx,
            payments,
            payout,
            requester=click.user,
            channel=click.channel,
            source_key=f"click:{click.trigger_id}",
        )
        if isinstance(asked, Operation):
            return Private(bulk_answers.not_returned(payout.reference, asked.status))
        return Private(payment_answers.requested(asked, member=await can_post(deps.messenger, click.channel)))

    return service_call(work)


async def template(deps: Dependencies, click: Click) -> Reply:
    """Send an empty table to fill in."""
    return await bulk.send_template(deps, click.user)
