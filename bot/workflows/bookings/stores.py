"""Stores: list, create, change, and their webhooks.

A received key is sealed in the transaction that stores its store. There is one webhook address per kind of event; it is
registered with the store's key, and then listed to read the actual state.
"""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import structlog
from pydantic import SecretStr

from bot.clients.delivery import StoreForm
from bot.clients.transport import Guard
from bot.domain.bookings.record import HookState, KnownStore, Point, StoreRecord, StoreState, WebhookKind
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import OfBooking, Reason
from bot.domain.references import callback_token, token_hash, ulid
from bot.domain.services import DELIVERY
from bot.domain.troubles import failed
from bot.workflows.bookings.observe import note
from bot.workflows.context import Context, Unit
from bot.workflows.effect import asked
from bot.workflows.services import DeliveryService, no_key
from storage.repositories.bookings import folded
from storage.repositories.leased import columns
from storage.rows import StoreHook, StoreRow

log = structlog.get_logger(__name__)

_LISTED = "delivery:stores_listed"
_KEPT_QUOTE = timedelta(hours=24)
"""How long unconfirmed forms are kept: they contain customers' addresses."""
_LOOK_AFTER = timedelta(seconds=60)
"""Delay before searching for a store whose creating process died: longer than a request may take."""
_SET_PUBLIC_URL = (
    "set PUBLIC_URL, e.g. PUBLIC_URL=https://switchboard.example.com; until then bookings are read now and then"
)

Outcome = Done[Any] | NotExecuted | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Result of creating or changing a store. ``trouble`` is None on success."""

    name: str
    record: Mapping[str, Any]
    trouble: Reason | None = None
    unknown: bool = False


async def known_stores(ctx: Context, delivery: DeliveryService) -> list[KnownStore]:
    def known(uow: Unit) -> list[KnownStore]:
        rows = {row.folded: row for row in uow.stores.all()}
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

    return await ctx.read(known)


async def store_names(ctx: Context, delivery: DeliveryService) -> list[str]:
    return await ctx.read(delivery.store_names)


async def list_stores(ctx: Context, delivery: DeliveryService) -> list[KnownStore]:
    """Read and store the service's stores, keys sealed, if there is a master key; return all known stores."""
    if delivery.client.has_master_key:
        found = await delivery.client.list_stores()
        now = ctx.clock.now()

        def work(uow: Unit) -> None:
            for record in found:
                _keep(uow, delivery, record)
            uow.flags.set(_LISTED, {"due": (now + timedelta(hours=1)).isoformat()}, now)

        await ctx.write(work, name="stores_listed", wakes=False)
    return await known_stores(ctx, delivery)


async def list_due(ctx: Context) -> int:
    """List the stores periodically, so that they can be chosen by name. Always returns 0: nothing becomes due."""
    delivery = ctx.delivery.client
    if delivery is None:
        return 0
    now = ctx.clock.now()
    flag = await ctx.read(lambda uow: uow.flags.readable(_LISTED))
    with suppress(ValueError):  # a damaged time: list them now
        due = flag.get("due") if isinstance(flag, dict) else None
        if due is not None and datetime.fromisoformat(str(due)) > now:
            return 0

    def work(uow: Unit) -> None:
        uow.flags.set(_LISTED, {"due": (now + timedelta(minutes=5)).isoformat()}, now)
        uow.bookings.forget_quotes(now - _KEPT_QUOTE)

    await ctx.write(work, name="list_stores", wakes=False)
    if delivery.client.has_master_key:
        await _were_listed(ctx)
    return 0


async def ask_something(ctx: Context) -> None:
    """Make a cheap read as a probe: one store, or all stores if no store's key is known."""
    delivery = ctx.delivery.required()
    keys = await ctx.read(lambda uow: [delivery.key(uow, name) for name in delivery.store_names(uow)])
    key = next((one for one in keys if one is not None), None)
    if key is not None:
        await delivery.client.get_store(key=key)
    elif delivery.client.has_master_key:
        await delivery.client.list_stores()


async def create_store(ctx: Context, delivery: DeliveryService, form: StoreForm, *, by: str) -> Changed:
    """Create a store, once; after a lost answer, a listing shows whether it was created."""
    if not delivery.client.has_master_key:
        return Changed(name=form.name or "", record={}, trouble=Reason(OfBooking.NO_MASTER_KEY))
    now = ctx.clock.now()
    name = " ".join((form.name or "").split())
    row = replace(_row(name, now), state=StoreState.CREATING, created_by=by, due_at=now + _LOOK_AFTER)

    def claim(uow: Unit) -> StoreRow | None:
        return row if delivery.spelled(uow, name) is None and uow.stores.add(row) else None

    created = await asked(
        ctx,
        delivery.client.circuit,
        claim,
        lambda _, guard: delivery.client.create_store(form, guard=guard),
        partial(_created, delivery),
        name="store_created",
        read_back=lambda uow: uow.stores.by_id(row.id),
    )
    ctx.wake()
    match created:
        case None:
            return Changed(name=name, record={}, trouble=Reason(OfBooking.NAME_TAKEN, store=name))
        case NotExecuted():
            return Changed(name=name, record={}, trouble=failed(created, service=DELIVERY))
        case (changed, _):
            return changed


def _created(delivery: DeliveryService, uow: Unit, row: StoreRow, outcome: Outcome) -> Changed:
    match outcome:
        case Done(value=record):
            current = uow.stores.by_id(row.id)
            if current is not None and current.state is StoreState.CREATING:  # otherwise a listing has stored the key
                seen = {"remote_id": record.id, "record": as_json(record), "seen_at": uow.now, "due_at": None}
                sealed = delivery.sealed(record.key, row=row.id)
                uow.stores.move(current, StoreState.READY, sealed_key=sealed, **seen)
                note(uow, Point.STORE, row.name)
            return Changed(name=row.name, record=as_json(record))
        case NotExecuted():
            uow.stores.remove(row.id)
        case Unknown():
            uow.stores.touch(row, due_at=uow.now)
    trouble, unknown = failed(outcome, service=DELIVERY), isinstance(outcome, Unknown)
    return Changed(name=row.name, record={}, trouble=trouble, unknown=unknown)


async def settle_due(ctx: Context) -> int:
    """Find the outcome of creations without an answer by listing; return their number."""
    delivery = ctx.delivery.client
    if delivery is None:
        return 0
    now = ctx.clock.now()
    due = await ctx.read(lambda uow: uow.stores.due(now, 10))
    if not due:
        return 0
    again = now + ctx.quiet.spacing

    def give_up(uow: Unit) -> None:
        # A store that isn't listed after the quiet period was never created.
        for row in due:
            current = uow.stores.by_id(row.id)
            waiting = current is not None and current.state is StoreState.CREATING
            if waiting and uow.quiet.over(sent_at=row.created_at, now=uow.now):
                uow.stores.remove(row.id)

    await ctx.write(lambda uow: [uow.stores.touch(row, due_at=again) for row in due], name="settle_stores", wakes=False)
    if await _were_listed(ctx):
        await ctx.write(give_up, name="stores_settled", wakes=False)
    return len(due)


async def _were_listed(ctx: Context) -> bool:
    try:
        await list_stores(ctx, ctx.delivery.required())
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        log.warning("the stores could not be listed", reason=str(trouble))
        return False
    return True


async def read_store(ctx: Context, delivery: DeliveryService, name: str) -> KnownStore:
    """Read one store with its own key; raises like ``DeliveryClient.get_store``."""
    key = await delivery.key_of(ctx.store, name)
    record = await delivery.client.get_store(key=key)
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        note(uow, Point.STORE_READ, name)
        row = uow.stores.get(name)
        if row is None:
            uow.stores.add(_row(name, now, record))  # its key is only in the settings
        else:
            uow.stores.touch(row, record=as_json(record), seen_at=now)

    await ctx.write(work, name="store_read", wakes=False)
    return KnownStore(name=name, record=as_json(record), usable=True)


async def change_store(ctx: Context, delivery: DeliveryService, name: str, form: StoreForm) -> Changed:
    key = await ctx.read(lambda uow: delivery.key(uow, name))
    if key is None:
        return Changed(name=name, record={}, trouble=failed(no_key(name)))
    wanted = " ".join((form.name or name).split())

    def is_free(uow: Unit) -> bool:
        return folded(wanted) == folded(name) or delivery.spelled(uow, wanted) is None

    update = partial(delivery.client.update_store, form, key=key)
    outcome = await changed_at_the_service(ctx, delivery, update, claim=is_free)
    if outcome is None:
        return Changed(name=name, record={}, trouble=Reason(OfBooking.NAME_TAKEN, store=wanted))
    said = None if isinstance(outcome, Done) else failed(outcome, service=DELIVERY)
    try:
        record = await delivery.client.get_store(key=key)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        return Changed(name=name, record={}, trouble=said or failed(silent))

    def work(uow: Unit) -> str:
        row = uow.stores.get(name)
        return name if row is None else _update(uow, delivery, row, record)

    return Changed(name=await ctx.write(work, name="store_changed", wakes=False), record=as_json(record), trouble=said)


async def changed_at_the_service(
    ctx: Context,
    delivery: DeliveryService,
    send: Callable[..., Awaitable[Outcome]],
    *,
    claim: Callable[[Unit], bool] = lambda _: True,
    done: Callable[[Unit], None] = lambda _: None,
) -> Outcome | None:
    """Make a change whose result is read afterwards, so that a lost outcome needs no search; return the outcome.

    ``send`` makes the request with its ``guard``. ``claim`` stores what the request requires; if it returns False,
    nothing is sent and the result is None. ``done`` stores the effect after success.
    """

    async def sending(_: bool, guard: Guard) -> Outcome:
        return await send(guard=guard)

    def store(uow: Unit, _: bool, outcome: Outcome) -> None:
        if isinstance(outcome, Done):
            done(uow)

    circuit = delivery.client.circuit
    found = await asked(ctx, circuit, lambda uow: claim(uow) or None, sending, store, name="changed_at_the_service")
    return found[1] if isinstance(found, tuple) else found


def as_json(record: StoreRecord) -> dict[str, str]:
    """Return the fields of a store that may be stored and shown: all but its key."""
    return {name: value for name, value in columns(record).items() if name != "key"}


def _keep(uow: Unit, delivery: DeliveryService, record: StoreRecord) -> None:
    key = record.key
    row = uow.stores.by_remote(record.id) or uow.stores.get(record.name)
    if row is not None and row.remote_id and record.id and row.remote_id != record.id:
        row = None  # another store of the same name
    if row is None and key is not None:
        row = next((one for one in uow.stores.all() if delivery.unsealed(one) == key), None)
    if row is None:
        if key not in delivery.given_keys.values():  # otherwise the operator named it in the settings
            name = plain = " ".join(record.name.split())
            number = 1
            while uow.stores.get(name) is not None or delivery.spelled(uow, name) is not None:
                number += 1
                name = f"{plain} ({number})"
            row = _row(name, uow.now, record)
            uow.stores.add(replace(row, sealed_key="" if key is None else delivery.sealed(key, row=row.id)))
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


def _row(name: str, now: datetime, record: StoreRecord | None = None) -> StoreRow:
    """Return a new row without its key; ``record`` is the service's, None before the store exists there."""
    return StoreRow(
        id=ulid(now),
        name=name,
        folded=folded(name),
        state=StoreState.READY,
        sealed_key="",
        remote_id="" if record is None else record.id,
        record={} if record is None else as_json(record),
        created_at=now,
        created_by="",
        seen_at=None if record is None else now,
        due_at=None,
    )


def _update(uow: Unit, delivery: DeliveryService, row: StoreRow, record: StoreRecord) -> str:
    """Store the service's record, and its name unless another store has it or the settings name the store.

    Returns the current name.
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


async def webhooks(ctx: Context, delivery: DeliveryService, store: str, *, on: bool | None) -> list[HookState]:
    """Register (``on``) or remove the webhooks of all kinds, then return the registered ones; None only lists them.

    Raises OperatorError, with nothing registered, if the service can't reach our address; also raises like the listing.
    """
    if on and not ctx.public:
        raise OperatorError(Reason(OfBooking.NO_PUBLIC_URL), mend=_SET_PUBLIC_URL)
    key = await delivery.key_of(ctx.store, store)
    outcomes: dict[str, Outcome | None] = {}
    for kind in WebhookKind if on is not None else ():
        if on:
            outcomes |= await _register(ctx, delivery, store, kind, key)
            continue
        for name in delivery.client.names_of(kind):
            delete = partial(delivery.client.delete_webhook, name, key=key)
            outcomes[name] = await changed_at_the_service(ctx, delivery, delete)
    by_kind = {one.kind.upper(): one.url for one in await delivery.client.list_webhooks(key=key)}
    own = {hook.token_hash for hook in await ctx.read(lambda uow: uow.store_events.hooks_of(store))}
    found = []
    for name in (name for kind in WebhookKind for name in delivery.client.names_of(kind)):
        url, host, outcome = by_kind.get(name.upper(), ""), None, outcomes.get(name)
        with suppress(ValueError):
            host = urlsplit(url).hostname or ""
        ours = token_hash(url.rpartition("/")[2]) in own
        trouble = None if outcome is None or isinstance(outcome, Done) else failed(outcome, service=DELIVERY)
        found.append(HookState(kind=name, host=host, ours=ours, trouble=trouble))
    if on and all(one.ours for one in found):
        await ctx.write(lambda uow: note(uow, Point.HOOK, store), name="hooks_on", wakes=False)
    if on is False:
        await ctx.write(
            lambda uow: [uow.store_events.end_hooks(store, kind.value, uow.now) for kind in WebhookKind],
            name="hooks_off",
            wakes=False,
        )
    return found


async def _register(
    ctx: Context, delivery: DeliveryService, store: str, kind: WebhookKind, key: SecretStr
) -> dict[str, Outcome | None]:
    """Register one address under each name of the kind; store it first, as an event may arrive before the answer."""
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

    address = f"{ctx.callback_base.rstrip('/')}/callbacks/delivery/{token}"
    outcomes: dict[str, Outcome | None] = {}
    for number, name in enumerate(delivery.client.names_of(kind)):
        send = partial(delivery.client.register_webhook, name, address, key=key)
        first = {} if number else {"claim": claim}
        outcomes[name] = await changed_at_the_service(ctx, delivery, send, done=done, **first)
    return outcomes
