"""Stores: list, create, change. A key that arrives is sealed in the transaction that stores its store."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import structlog
from pydantic import SecretStr

from bot.clients.delivery import StoreForm
from bot.domain.bookings.record import (
    HookState,
    KnownStore,
    Payment,
    Point,
    Position,
    Quote,
    StoreRecord,
    StoreState,
    WebhookKind,
)
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted
from bot.domain.reasons import OfBooking, Reason
from bot.domain.references import callback_token, token_hash, ulid
from bot.domain.services import DELIVERY
from bot.domain.troubles import failed
from bot.workflows.bookings.record import note
from bot.workflows.context import Context, Unit
from bot.workflows.keeping import keep
from bot.workflows.services.delivery import DeliveryService, no_key
from storage.repositories.bookings import folded
from storage.repositories.leased import columns
from storage.rows import StoreHook, StoreRow
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_LISTED = "delivery:stores_listed"
_FRESH = timedelta(hours=1)
_RETRY = timedelta(minutes=5)
_KEPT_QUOTE = timedelta(hours=24)
"""Unconfirmed forms are kept only this long: they hold customers' addresses."""
_LOOK_AFTER = timedelta(seconds=60)
"""Longer than a request may take: afterwards a store whose creating process died is searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Result of creating or changing a store. ``trouble``: None when all is well."""

    name: str
    record: Mapping[str, Any]
    trouble: Reason | None = None
    unknown: bool = False


async def known_stores(ctx: Context, delivery: DeliveryService) -> list[KnownStore]:
    """Every store that is known here, by name."""
    return await ctx.read(lambda uow: _known(uow, delivery))


async def store_names(ctx: Context, delivery: DeliveryService) -> list[str]:
    """The names of the stores that can be used."""
    return await ctx.read(delivery.store_names)


async def list_stores(ctx: Context, delivery: DeliveryService) -> list[KnownStore]:
    """List all stores at the service and store them, keys sealed. Without a master key: those known here.

    Raises:
        ServiceNow, ServiceNever, OperatorError: see ``DeliveryClient.list_stores``.
    """
    if not delivery.client.has_master_key:
        return await known_stores(ctx, delivery)
    found = await delivery.client.list_stores()
    now = ctx.clock.now()

    def work(uow: Unit) -> list[KnownStore]:
        for record in found:
            _keep(uow, delivery, record)
        uow.flags.set(_LISTED, {"due": (now + _FRESH).isoformat()}, now)
        return _known(uow, delivery)

    return await ctx.write(work, name="stores_listed", wakes=False)


async def list_due(ctx: Context) -> int:
    """List the stores periodically, so that they can be chosen by name. Always returns 0: nothing becomes due."""
    delivery = ctx.delivery.client
    if delivery is None:
        return 0
    now = ctx.clock.now()
    flag = await ctx.read(lambda uow: uow.flags.readable(_LISTED))
    with suppress(ValueError):  # a damaged time: they are listed now
        due = flag.get("due") if isinstance(flag, dict) else None
        if due is not None and datetime.fromisoformat(str(due)) > now:
            return 0
    later = {"due": (now + _RETRY).isoformat()}

    def work(uow: Unit) -> None:
        uow.flags.set(_LISTED, later, now)
        uow.bookings.forget_quotes(now - _KEPT_QUOTE)

    await ctx.write(work, name="list_stores", wakes=False)
    if not delivery.client.has_master_key:
        return 0
    await _were_listed(ctx)
    return 0


async def ask_something(ctx: Context) -> None:
    """Cheap read for a probe: one store, or all of them where no store's key is known."""
    delivery = ctx.delivery.required()
    keys = await ctx.read(lambda uow: [delivery.key(uow, name) for name in delivery.store_names(uow)])
    key = next((one for one in keys if one is not None), None)
    if key is not None:
        await delivery.client.get_store(key=key)
    elif delivery.client.has_master_key:
        await delivery.client.list_stores()


async def create_store(ctx: Context, delivery: DeliveryService, form: StoreForm, *, by: str) -> Changed:
    """Create a store once; after a lost answer, listing shows whether it was created."""
    if not delivery.client.has_master_key:
        return Changed(name=form.name or "", record={}, trouble=Reason(OfBooking.NO_MASTER_KEY))
    now = ctx.clock.now()
    name = " ".join((form.name or "").split())
    row = _row(name, None, now, state=StoreState.CREATING, created_by=by, due_at=now + _LOOK_AFTER)
    taken = await ctx.write(lambda uow: delivery.spelled(uow, name) is not None or not uow.stores.add(row), wakes=False)
    if taken:
        return Changed(name=name, record={}, trouble=Reason(OfBooking.NAME_TAKEN, store=name))
    outcome = await delivery.client.create_store(form)
    if isinstance(outcome, Done):
        record = outcome.value
        return await keep(ctx, lambda uow: _created(uow, delivery, row, record), name="store_created")
    if isinstance(outcome, NotExecuted):
        await keep(ctx, lambda uow: uow.stores.remove(row.id), name="store_refused")
        return Changed(name=name, record={}, trouble=failed(outcome, service=DELIVERY))
    await keep(ctx, lambda uow: uow.stores.touch(row, due_at=uow.now), name="store_unknown")
    ctx.wake()
    return Changed(name=name, record={}, trouble=failed(outcome, service=DELIVERY), unknown=True)


async def settle_due(ctx: Context) -> int:
    """Find the outcome of creations without an answer, by listing; returns how many there were."""
    delivery = ctx.delivery.client
    if delivery is None:
        return 0
    now = ctx.clock.now()
    due = await ctx.read(lambda uow: uow.stores.due(now, 10))
    if not due:
        return 0
    again = now + ctx.quiet.spacing
    await ctx.write(lambda uow: [uow.stores.touch(row, due_at=again) for row in due], name="settle_stores", wakes=False)
    if await _were_listed(ctx):
        await ctx.write(lambda uow: _give_up(uow, due), name="stores_settled", wakes=False)
    return len(due)


async def _were_listed(ctx: Context) -> bool:
    try:
        await list_stores(ctx, ctx.delivery.required())
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        log.warning("the stores could not be listed", reason=str(trouble))
        return False
    return True


async def read_store(ctx: Context, delivery: DeliveryService, name: str) -> KnownStore:
    """Read one store with its own key.

    Raises:
        ServiceNow, ServiceNever, OperatorError: see ``DeliveryClient.get_store``.
    """
    key = await delivery.key_of(ctx.store, name)
    record = await delivery.client.get_store(key=key)
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        note(uow, Point.STORE_READ, name)
        row = uow.stores.get(name)
        if row is None:
            uow.stores.add(_row(name, record, now))  # its key is in the settings, and stays there
        else:
            uow.stores.touch(row, record=as_json(record), seen_at=now)

    await ctx.write(work, name="store_read", wakes=False)
    return KnownStore(name=name, record=as_json(record), usable=True)


async def change_store(ctx: Context, delivery: DeliveryService, name: str, form: StoreForm) -> Changed:
    """Change a store with its own key, and read what it is now."""
    key = await ctx.read(lambda uow: delivery.key(uow, name))
    if key is None:
        return Changed(name=name, record={}, trouble=failed(no_key(name)))
    wanted = " ".join((form.name or name).split())
    if folded(wanted) != folded(name) and await ctx.read(lambda uow: delivery.spelled(uow, wanted)) is not None:
        return Changed(name=name, record={}, trouble=Reason(OfBooking.NAME_TAKEN, store=wanted))
    outcome = await delivery.client.update_store(form, key=key)
    said = None if isinstance(outcome, Done) else failed(outcome, service=DELIVERY)
    try:
        record = await delivery.client.get_store(key=key)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        return Changed(name=name, record={}, trouble=said or failed(silent))

    def work(uow: Unit) -> str:
        row = uow.stores.get(name)
        if row is None:
            return name
        return _update(uow, delivery, row, record)

    return Changed(name=await ctx.write(work, name="store_changed", wakes=False), record=as_json(record), trouble=said)


def as_json(record: StoreRecord) -> dict[str, str]:
    """What may be stored and shown of a store: everything but its key."""
    return {name: value for name, value in columns(record).items() if name != "key"}


def _known(tx: Tx, delivery: DeliveryService) -> list[KnownStore]:
    rows = {row.folded: row for row in tx.stores.all()}
    found = []
    for name in delivery.given_keys:
        row = rows.pop(folded(name), None)
        found.append(KnownStore(name=name, record={} if row is None else row.record, usable=True, given=True))
    found += [
        KnownStore(
            name=row.name,
            record=row.record,
            usable=delivery.unsealed(row) is not None,
            creating=row.state is StoreState.CREATING,
        )
        for row in rows.values()
    ]
    return sorted(found, key=lambda one: folded(one.name))


def _created(uow: Unit, delivery: DeliveryService, row: StoreRow, record: StoreRecord) -> Changed:
    assert record.key is not None
    name = row.name
    current = uow.stores.by_id(row.id)
    if current is None or current.state is not StoreState.CREATING:
        return Changed(name=name, record=as_json(record))  # a concurrent listing already stored the key
    uow.stores.move(
        current,
        StoreState.READY,
        sealed_key=delivery.sealed(record.key, row=row.id),
        remote_id=record.id,
        record=as_json(record),
        seen_at=uow.now,
        due_at=None,
    )
    note(uow, Point.STORE, name)
    return Changed(name=name, record=as_json(record))


def _keep(uow: Unit, delivery: DeliveryService, record: StoreRecord) -> None:
    """Store one store of a listing."""
    key = record.key
    row = uow.stores.by_remote(record.id) or _same_name(uow, record) or _same_key(uow, delivery, key)
    if row is None:
        if _is_given(delivery, key):
            return  # the operator gave it a name of their own
        _add(uow, delivery, record)
        return
    sealed = row.sealed_key
    if key is not None and (held := delivery.unsealed(row)) != key:
        if held is not None:
            log.warning("the key of a store has changed", store=row.name)
        sealed = delivery.sealed(key, row=row.id)
    if row.state is StoreState.CREATING:
        note(uow, Point.STORE, row.name)
        kept = uow.stores.move(row, StoreState.READY, sealed_key=sealed, due_at=None)
    else:
        kept = uow.stores.touch(row, sealed_key=sealed)
    if kept is not None:
        _update(uow, delivery, kept, record)


def _add(uow: Unit, delivery: DeliveryService, record: StoreRecord) -> None:
    row = _row(_free_name(uow, delivery, record.name), record, uow.now)
    sealed = "" if record.key is None else delivery.sealed(record.key, row=row.id)
    uow.stores.add(replace(row, sealed_key=sealed))


def _row(
    name: str,
    record: StoreRecord | None,
    now: datetime,
    *,
    state: StoreState = StoreState.READY,
    created_by: str = "",
    due_at: datetime | None = None,
) -> StoreRow:
    """Row of a store, without its key; ``record``: the service's, None before it has one."""
    return StoreRow(
        id=ulid(now),
        name=name,
        folded=folded(name),
        state=state,
        sealed_key="",
        remote_id="" if record is None else record.id,
        record={} if record is None else as_json(record),
        created_at=now,
        created_by=created_by,
        seen_at=None if record is None else now,
        due_at=due_at,
    )


def _update(uow: Unit, delivery: DeliveryService, row: StoreRow, record: StoreRecord) -> str:
    """Store the service's record; a new name replaces the old one, unless another store has it.

    A store whose key is in the settings keeps its name there.
    """
    name = " ".join(record.name.split())
    values: dict[str, Any] = {"record": as_json(record), "seen_at": uow.now}
    if record.id:
        values["remote_id"] = record.id
    free = uow.stores.get(name) is None and row.folded not in {folded(given) for given in delivery.given_keys}
    if folded(name) != row.folded and free:
        values |= {"name": name, "folded": folded(name)}
        uow.bookings.rename_store(row.name, name)
        uow.store_events.rename_store(row.name, name)
    uow.stores.touch(row, **values)
    return str(values.get("name", row.name))


def _same_name(tx: Tx, record: StoreRecord) -> StoreRow | None:
    """A store with this name whose id at the service is not known yet."""
    row = tx.stores.get(record.name)
    return row if row is not None and (not row.remote_id or not record.id) else None


def _same_key(tx: Tx, delivery: DeliveryService, key: SecretStr | None) -> StoreRow | None:
    if key is None:
        return None
    return next((row for row in tx.stores.all() if delivery.unsealed(row) == key), None)


def _is_given(delivery: DeliveryService, key: SecretStr | None) -> bool:
    return any(key == given for given in delivery.given_keys.values())


def _free_name(tx: Tx, delivery: DeliveryService, name: str) -> str:
    plain = " ".join(name.split())
    chosen, number = plain, 1
    while tx.stores.get(chosen) is not None or delivery.spelled(tx, chosen) is not None:
        number += 1
        chosen = f"{plain} ({number})"
    return chosen


def _give_up(uow: Unit, due: Sequence[StoreRow]) -> None:
    """Give up creations: a store that is not listed after the quiet period was never made."""
    for row in due:
        current = uow.stores.by_id(row.id)
        waiting = current is not None and current.state is StoreState.CREATING
        if waiting and uow.now - row.created_at >= timedelta(seconds=uow.quiet.seconds):
            uow.stores.remove(row.id)


_PATH = "/callbacks/delivery/"
_SET_PUBLIC_URL = (
    "set PUBLIC_URL, e.g. PUBLIC_URL=https://switchboard.example.com; until then bookings are read now and then"
)


async def look(ctx: Context, delivery: DeliveryService, store: str) -> list[HookState]:
    """What is registered at the service.

    Raises:
        ServiceNow, ServiceNever, OperatorError: see ``DeliveryClient.list_webhooks``.
    """
    key = await delivery.key_of(ctx.store, store)
    return await _listed(ctx, delivery, store, key, {})


async def turn_on(ctx: Context, delivery: DeliveryService, store: str) -> list[HookState]:
    """Register both kinds at addresses of their own, and list them to see that it took effect.

    Raises:
        OperatorError: there is no address that the service could reach; nothing was registered.
        ServiceNow, ServiceNever, OperatorError: they could not be listed.
    """
    if not ctx.public:
        raise OperatorError(Reason(OfBooking.NO_PUBLIC_URL), mend=_SET_PUBLIC_URL)
    key = await delivery.key_of(ctx.store, store)
    troubles = {kind: await _register(ctx, delivery, store, kind, key) for kind in WebhookKind}
    return await _listed(ctx, delivery, store, key, troubles)


async def turn_off(ctx: Context, delivery: DeliveryService, store: str) -> list[HookState]:
    """Remove both registrations, list what is left, and accept no more events.

    Raises:
        ServiceNow, ServiceNever, OperatorError: they could not be listed.
    """
    key = await delivery.key_of(ctx.store, store)
    troubles: dict[WebhookKind, Reason | None] = {}
    for kind in WebhookKind:
        outcome = await delivery.client.delete_webhook(kind, key=key)
        troubles[kind] = None if isinstance(outcome, Done) else failed(outcome, service=DELIVERY)
    found = await _listed(ctx, delivery, store, key, troubles)
    now = ctx.clock.now()
    await ctx.write(
        lambda uow: [uow.store_events.end_hooks(store, kind.value, now) for kind in WebhookKind],
        name="hooks_off",
        wakes=False,
    )
    return found


async def _register(
    ctx: Context, delivery: DeliveryService, store: str, kind: WebhookKind, key: SecretStr
) -> Reason | None:
    """Register one address; what went wrong, if anything did.

    It is stored here first: the first event may arrive before the answer.
    """
    now = ctx.clock.now()
    identifier = ulid(now)
    token = callback_token(key=ctx.token_key, instruction_id=f"store-hook:{identifier}", kind=kind.value)
    hook = StoreHook(
        token_hash=token_hash(token), id=identifier, store=store, kind=kind.value, created_at=now, ended_at=None
    )
    await ctx.write(lambda uow: uow.store_events.give_out(hook), name="hook", wakes=False)
    address = f"{ctx.callback_base.rstrip('/')}{_PATH}{token}"
    outcome = await delivery.client.register_webhook(kind, address, key=key)
    if not isinstance(outcome, Done):
        return failed(outcome, service=DELIVERY)

    def work(uow: Unit) -> None:
        uow.store_events.end_hooks(store, kind.value, ctx.clock.now(), but=identifier)
        note(uow, Point.HOOK, store)

    await ctx.write(work, name="hook_registered", wakes=False)
    return None


async def _listed(
    ctx: Context, delivery: DeliveryService, store: str, key: SecretStr, troubles: Mapping[WebhookKind, Reason | None]
) -> list[HookState]:
    by_kind = {one.kind.upper(): one.url for one in await delivery.client.list_webhooks(key=key)}
    own = {hook.token_hash for hook in await ctx.read(lambda uow: uow.store_events.hooks_of(store))}
    return [
        HookState(
            kind=kind,
            host=_host(by_kind.get(kind.value, "")),
            ours=token_hash(by_kind.get(kind.value, "").rpartition("/")[2]) in own,
            trouble=troubles.get(kind),
        )
        for kind in WebhookKind
    ]


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return None


async def price(
    ctx: Context, delivery: DeliveryService, store: str, *, position: Position, payment: Payment, cents: int
) -> Quote:
    """Ask what a delivery would cost; nothing is stored except that it was asked.

    Raises:
        NotCovered: the service does not deliver there.
        ServiceNow, ServiceNever, OperatorError: see ``DeliveryClient.quote``.
    """
    key = await delivery.key_of(ctx.store, store)
    found = await delivery.client.quote(key=key, position=position, payment=payment, cents=cents)
    await ctx.write(lambda uow: note(uow, Point.QUOTE, store), name="priced", wakes=False)
    return found
