"""Webhooks of stores: one address a kind of event, registered with the store's key, and listed to see what stands."""

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from pydantic import SecretStr

from bot.domain.bookings.record import HookState, Point, WebhookKind
from bot.domain.errors import OperatorError
from bot.domain.outcome import Done
from bot.domain.reasons import OfBooking, Reason
from bot.domain.references import callback_token, token_hash, ulid
from bot.domain.services import DELIVERY
from bot.domain.troubles import failed
from bot.workflows.bookings.record import note
from bot.workflows.bookings.stores import Outcome, changed_at_the_service
from bot.workflows.context import Context, Unit
from bot.workflows.services import DeliveryService
from storage.rows import StoreHook

_PATH = "/callbacks/delivery/"
_SET_PUBLIC_URL = (
    "set PUBLIC_URL, e.g. PUBLIC_URL=https://switchboard.example.com; until then bookings are read now and then"
)


async def registered(ctx: Context, delivery: DeliveryService, store: str) -> list[HookState]:
    """What is registered at the service; raises what ``DeliveryClient.list_webhooks`` does."""
    return await _listed(ctx, delivery, store, await delivery.key_of(ctx.store, store), {})


async def turn_on(ctx: Context, delivery: DeliveryService, store: str) -> list[HookState]:
    """Register both kinds at addresses of their own, and list them to see that it took effect.

    Raises:
        OperatorError: there is no address that the service could reach; nothing was registered.
        ServiceNow, ServiceNever, OperatorError: they could not be listed.
    """
    if not ctx.public:
        raise OperatorError(Reason(OfBooking.NO_PUBLIC_URL), mend=_SET_PUBLIC_URL)
    key = await delivery.key_of(ctx.store, store)

    async def register(kind: WebhookKind) -> Reason | None:
        """Register one address; it is stored here first, because the first event may arrive before the answer."""
        now = ctx.clock.now()
        identifier = ulid(now)
        token = callback_token(key=ctx.token_key, instruction_id=f"store-hook:{identifier}", kind=kind.value)
        hook = StoreHook(
            token_hash=token_hash(token), id=identifier, store=store, kind=kind.value, created_at=now, ended_at=None
        )

        def claim(uow: Unit) -> bool:
            uow.store_events.give_out(hook)
            return True

        def done(uow: Unit) -> None:
            uow.store_events.end_hooks(store, kind.value, uow.now, but=identifier)
            note(uow, Point.HOOK, store)

        address = f"{ctx.callback_base.rstrip('/')}{_PATH}{token}"
        send = partial(delivery.client.register_webhook, kind, address, key=key)
        return _trouble(await changed_at_the_service(ctx, delivery, send, claim=claim, done=done))

    troubles = {kind: await register(kind) for kind in WebhookKind}
    return await _listed(ctx, delivery, store, key, troubles)


async def turn_off(ctx: Context, delivery: DeliveryService, store: str) -> list[HookState]:
    """Remove both registrations, list what is left, and accept no more events; raises as :func:`registered`."""
    key = await delivery.key_of(ctx.store, store)
    troubles: dict[WebhookKind, Reason | None] = {}
    for kind in WebhookKind:
        delete = partial(delivery.client.delete_webhook, kind, key=key)
        troubles[kind] = _trouble(await changed_at_the_service(ctx, delivery, delete))
    found = await _listed(ctx, delivery, store, key, troubles)
    await ctx.write(
        lambda uow: [uow.store_events.end_hooks(store, kind.value, uow.now) for kind in WebhookKind],
        name="hooks_off",
        wakes=False,
    )
    return found


async def _listed(
    ctx: Context, delivery: DeliveryService, store: str, key: SecretStr, troubles: Mapping[WebhookKind, Reason | None]
) -> list[HookState]:
    by_kind = {one.kind.upper(): one.url for one in await delivery.client.list_webhooks(key=key)}
    own = {hook.token_hash for hook in await ctx.read(lambda uow: uow.store_events.hooks_of(store))}
    found = []
    for kind in WebhookKind:
        url, host = by_kind.get(kind.value, ""), None
        with suppress(ValueError):
            host = urlsplit(url).hostname or ""
        ours = token_hash(url.rpartition("/")[2]) in own
        found.append(HookState(kind=kind, host=host, ours=ours, trouble=troubles.get(kind)))
    return found


def _trouble(outcome: Outcome | None) -> Reason | None:
    return None if outcome is None or isinstance(outcome, Done) else failed(outcome, service=DELIVERY)
