"""Client of the delivery service: bookings, pre-bookings, stores and webhooks, and the errors specific to it.

Error bodies are ``{message, messageKey, data?}`` (assumed). A rejected key and a key for the other environment both
return 401 or 403 and differ only in the message. A suspended workspace may return any status.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Required, TypedDict, TypeVar, Unpack

from pydantic import SecretStr

from bot.clients.calls import MayLeave, Outcome, ServiceCalls, always, json_request, read_failure
from bot.clients.delivery import wire
from bot.clients.routes import Route, RouteTable
from bot.clients.transport import Guard, Transport, decimal_of
from bot.clients.unread import AnswerObserver
from bot.domain.bookings.booking import BookingRequest
from bot.domain.bookings.record import (
    NO_DESK,
    BookingRecord,
    Desk,
    Payment,
    Phone,
    Position,
    PrebookingRecord,
    Quote,
    StoreRecord,
    Webhook,
    WebhookKind,
)
from bot.domain.errors import OperatorError, ServiceNever, SwitchboardError
from bot.domain.outcome import NotExecuted, Reply, read_error
from bot.domain.overview import Word
from bot.domain.reasons import Exchange, Failed, Reason

SERVICE: Final = "delivery"
T = TypeVar("T")

_CLOSED: Final = "suspen[ds]|inactiv|disabled|deactivat|deshabilitad|desactivad"
_WORKSPACE: Final = "workspace|company|account|business|organi[sz]ation|tenant|empresa|cuenta|negocio"
_SUSPENDED: Final = re.compile(_CLOSED, re.IGNORECASE)
_SAYS_SUSPENDED: Final = re.compile(
    rf"({_WORKSPACE}).{{0,60}}({_CLOSED})|({_CLOSED}).{{0,60}}({_WORKSPACE})|^\W*(suspended\W+)*suspended\W*$",
    re.IGNORECASE | re.DOTALL,
)
_OF_SOMEBODY_ELSE: Final = re.compile("customer|recipient|driver|cliente|conductor", re.IGNORECASE)
_CLOSED_DOORS: Final = frozenset(
    {HTTPStatus.UNAUTHORIZED, HTTPStatus.PAYMENT_REQUIRED, HTTPStatus.FORBIDDEN, HTTPStatus.LOCKED}
)
"""Statuses that refuse the caller; with them a word for suspension suffices."""
_NOT_COVERED: Final = re.compile(
    r"\bcover|\bcobert|out of (range|reach)|fuera de (cobert|rango|alcance|(la )?zona)", re.IGNORECASE
)
_WORDS: Final = ("message", "messageKey", "error", "code")
_HOLDS: Final = ("data", "webhooks", "id", "numeric_id", "key", "fee", "fee_with_tax", "url")
"""Our names of fields whose presence shows that a 2xx is a result."""
_ENVIRONMENT: Final = re.compile(r"environment|sandbox|production|ambiente|entorno", re.IGNORECASE)


class NotCovered(ServiceNever):
    """A quote was refused because the service doesn't deliver there, as its message shows."""


def _said(reply: Reply) -> str:
    """Return the message and codes of an error body of any shape."""
    body = reply.json if isinstance(reply.json, dict) else {}
    parts = [body, *(one for one in (body.get("error"), body.get("data")) if isinstance(one, dict))]
    told = [str(part[name]) for part in parts for name in _WORDS if isinstance(part.get(name), str)]
    return " ".join([read_error(reply).whole, *told])


def _is_suspended(reply: Reply, route: Route) -> bool:
    """Return whether an answer reports suspension; it must name the workspace unless its status refuses the caller.

    A 2xx counts only if it contains none of the requested data.
    """
    if reply.is_html or reply.failure is not None:
        return False
    if reply.is_success and not isinstance(reply.json, dict | str):
        return False
    if reply.is_success and isinstance(reply.json, dict):
        names = [name for ours in _HOLDS for name in route.reply.get(ours, ())]
        held = (reply.json.get(name) for name in {"data", "stores", *names})
        if any(one.keys() - {*_WORDS} if isinstance(one, dict) else one for one in held):
            return False
    said = _said(reply)
    if reply.status in _CLOSED_DOORS:
        return _SUSPENDED.search(said) is not None
    return _SAYS_SUSPENDED.search(said) is not None and _OF_SOMEBODY_ELSE.search(said) is None


def _locked(reply: Reply, *, with_master: bool) -> tuple[Reason, str] | None:
    """Return the reason for a rejected key and the operator's fix; None for any other answer."""
    if reply.status not in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or reply.is_html:
        return None
    if _ENVIRONMENT.search(_said(reply)):
        mend = "DELIVERY_BASE_URL and the keys must both be of the sandbox, or both of production"
        return Reason(Exchange.OTHER_ENVIRONMENT), mend
    if with_master:
        mend = "copy it again from the settings of the delivery dashboard into DELIVERY_MASTER_KEY"
        return Reason(Exchange.MASTER_KEY), mend
    mend = "copy it again from the stores view of the delivery dashboard into DELIVERY_STORE_KEYS, "
    return Reason(Exchange.STORE_KEY), mend + "or list the stores again"


def _anything(document: object, _: Route) -> object:
    """Accept any answer, because the resource itself is read afterwards."""
    return document


@dataclass(frozen=True, kw_only=True)
class StoreForm:
    """Desired fields of a store. On update, None leaves a field unchanged."""

    name: str | None = None
    email: str | None = None
    phone: Phone | None = None
    position: Position | None = None
    address: str | None = None
    reference: str | None = None
    exterior: str | None = None
    interior: str | None = None
    number: str | None = None
    building: str | None = None
    city: str | None = None
    zip_code: str | None = None
    country: str | None = None

    def values(self) -> Mapping[str, object]:
        """Return the request's fields under our names, with degrees as exact numbers."""
        values: dict[str, object] = {**vars(self)}
        position, phone = values.pop("position"), values.pop("phone")
        if isinstance(position, Position):
            values |= {"latitude": Decimal(position.latitude), "longitude": Decimal(position.longitude)}
        if isinstance(phone, Phone):
            values |= {"mobile": phone.national, "country_code": phone.country_code or None}
        return values


class CallOptions(TypedDict, total=False):
    """Options of a request that changes something. ``guard``: see ``ServiceCalls``."""

    key: Required[SecretStr]
    guard: Guard | None


class DeliveryClient(ServiceCalls):
    """:class:`ServiceCalls` for one company. ``master_key`` is used only to create and list stores."""

    def __init__(
        self,
        *,
        routes: RouteTable,
        transport: Transport,
        master_key: SecretStr | None,
        may_leave: MayLeave = always,
        answers: AnswerObserver | None = None,
        desk: Desk = NO_DESK,
    ) -> None:
        super().__init__(SERVICE, routes, transport, may_leave, answers)
        self._master_key = master_key
        self._desk = desk

    @property
    def has_master_key(self) -> bool:
        return self._master_key is not None

    @property
    def words(self) -> Sequence[Word]:
        """Lines of the route table for the service's states, kinds of events and units."""
        return self._dialect.words

    def state_of(self, word: str) -> str:
        """Return our state for the service's word, or the word itself if the route table has no line for it."""
        return self._dialect.state(word)

    @property
    def _words(self) -> dict[str, Any]:
        return {"states": self.state_of, "a_minute": self._dialect.a_minute("cook_time")}

    def names_of(self, kind: WebhookKind) -> tuple[str, ...]:
        """Return the service's names for a kind of event."""
        return self._dialect.kinds(kind.value)

    def _wanted(self, external_id: str, request: BookingRequest) -> dict[str, object]:
        """Return a booking's fields under our names, without position and address; None for empty ones."""
        return {
            "name": request.name,
            "last_name": request.last_name,
            "email": request.email or None,
            "country_code": request.country_code,
            "mobile": request.mobile,
            "payment_method": request.payment.value,
            "amount": decimal_of(request.cents),
            "reference": request.place_reference or None,
            "notes": request.notes or None,
            "cook_time": request.cook_minutes * self._dialect.a_minute("cook_time") or None,
            "external_id": external_id,
        }

    async def create_store(self, form: StoreForm, *, guard: Guard | None = None) -> Outcome[StoreRecord]:
        """Create a store with the master key. Done contains the store's key: encrypt it at once."""
        read = partial(wire.read_store, is_new=True)
        return await self._change("create_store", form.values(), read, key=None, guard=guard)

    async def list_stores(self) -> tuple[StoreRecord, ...]:
        """List all stores of the company with their keys, using the master key."""
        return await self._look("list_stores", {}, wire.read_stores, key=None)

    async def get_store(self, *, key: SecretStr) -> StoreRecord:
        """Read the store that the key belongs to."""
        return await self._look("get_store", {}, wire.read_store, key=key)

    async def update_store(self, form: StoreForm, **sending: Unpack[CallOptions]) -> Outcome[object]:
        """Update the store that the key belongs to. Read it afterwards to verify."""
        return await self._change("update_store", form.values(), _anything, **sending)

    async def quote(
        self, *, key: SecretStr, position: Position, payment: Payment, cents: int, vehicle: str = ""
    ) -> Quote:
        """Quote the price of a delivery without booking. ``NotCovered`` if the service doesn't deliver there."""
        values = {
            "latitude": Decimal(position.latitude),
            "longitude": Decimal(position.longitude),
            "payment_method": payment.value,
            "amount": decimal_of(cents),
            "vehicle": vehicle or None,
        }
        try:
            return replace(await self._look("quote", values, wire.read_quote, key=key), vehicle=vehicle)
        except ServiceNever as refused:
            if _NOT_COVERED.search(refused.words):
                raise NotCovered(SERVICE, refused.reason, status=refused.status, words=refused.words) from None
            raise

    async def create_booking(
        self, external_id: str, request: BookingRequest, **sending: Unpack[CallOptions]
    ) -> Outcome[BookingRecord]:
        """Book under our own id. After Unknown, look it up with ``find_booking``; never resend it."""
        values, where = self._wanted(external_id, request), request.position
        values["address"] = request.address or None
        if where is not None:
            values |= {"latitude": Decimal(where.latitude), "longitude": Decimal(where.longitude)}
        read = partial(wire.read_booking, **self._words, external_id=external_id)
        return await self._change("create_booking", values, read, **sending)

    async def get_booking(self, booking_id: str, *, key: SecretStr) -> BookingRecord:
        """Read a booking by its internal id or its number; a record with other ids is refused."""
        read = partial(wire.read_booking, **self._words, booking_id=booking_id)
        return await self._look("get_booking", {"id": booking_id}, read, key=key)

    async def find_booking(self, external_id: str, *, key: SecretStr) -> BookingRecord:
        """Read a booking by our own id; a record with another external id is refused."""
        read = partial(wire.read_booking, **self._words, external_id=external_id)
        return await self._look("get_booking", {"external_id": external_id}, read, key=key)

    async def cancel_booking(self, booking_id: str, *, reason: str, **sending: Unpack[CallOptions]) -> Outcome[object]:
        values = {"id": booking_id, "reason": reason}
        return await self._change("cancel_booking", values, _anything, conflict=Exchange.BOOKING_FIXED, **sending)

    async def start_search(self, booking_id: str, **sending: Unpack[CallOptions]) -> Outcome[object]:
        """Start searching for a driver before the cook time is over; only from ON_HOLD."""
        return await self._change(
            "start_search", {"id": booking_id}, _anything, conflict=Exchange.SEARCH_BEGUN, **sending
        )

    async def create_prebooking(
        self, external_id: str, request: BookingRequest, **sending: Unpack[CallOptions]
    ) -> Outcome[PrebookingRecord]:
        """Create a pre-booking. It can't be looked up by our own id, so after Unknown a person decides."""
        read = partial(wire.read_prebooking, states=self.state_of)
        return await self._change("create_prebooking", self._wanted(external_id, request), read, **sending)

    async def get_prebooking(self, prebooking_id: str, *, key: SecretStr, needs_link: bool = False) -> PrebookingRecord:
        """Read a pre-booking with its link (documented); a record with another id is refused.

        ``needs_link``: we don't have the link yet, so refuse a record that still needs an address but has no link.
        """
        read = partial(wire.read_prebooking, states=self.state_of, prebooking_id=prebooking_id, needs_link=needs_link)
        return await self._look("get_prebooking", {"id": prebooking_id}, read, key=key)

    async def cancel_prebooking(self, prebooking_id: str, **sending: Unpack[CallOptions]) -> Outcome[object]:
        """Cancel a pre-booking, so that it no longer becomes a booking."""
        values = {"id": prebooking_id}
        return await self._change("cancel_prebooking", values, _anything, conflict=Exchange.PREBOOKING_FIXED, **sending)

    async def list_webhooks(self, *, key: SecretStr) -> tuple[Webhook, ...]:
        return await self._look("list_webhooks", {}, wire.read_webhooks, key=key)

    def read_report(self, document: object) -> tuple[str, BookingRecord]:
        """Return the booking id in a webhook's payload for looking it up, and the unverified record in it."""
        return wire.read_event(document, self._route("get_booking"), **self._words)

    async def register_webhook(self, kind: str, url: str, **sending: Unpack[CallOptions]) -> Outcome[object]:
        """Register an address for the service's kind of event. List afterwards to verify."""
        return await self._change("register_webhook", {"type": kind, "url": url}, _anything, **sending)

    async def delete_webhook(self, kind: str, **sending: Unpack[CallOptions]) -> Outcome[object]:
        """Delete a registration. List afterwards to verify, because proxies may drop the body of a DELETE."""
        return await self._change("delete_webhook", {"type": kind}, _anything, **sending)

    async def _change(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        key: SecretStr | None,
        guard: Guard | None = None,
        conflict: Exchange | None = None,
    ) -> Outcome[T]:
        """Send once. ``key``: a store's, or None for the master key. ``conflict``: reason for a 409 without effect."""
        route = self._route(operation)
        send = partial(self._send, route, values, key=key, guard=guard)
        reply = await self._leave(route, values.get("external_id") or values.get("id"), send)
        if isinstance(reply, NotExecuted):
            return reply
        said = read_error(reply)
        suspended = self._suspended(reply, route) if (reply.status or 0) < HTTPStatus.INTERNAL_SERVER_ERROR else None
        if suspended is None and conflict is not None and reply.status == HTTPStatus.CONFLICT:
            reason = Reason(conflict)
            return NotExecuted(again=False, reason=reason, words=said.words, detail=said.whole, status=reply.status)
        if suspended is None:
            outcome = self._became(reply, route, read, earlier_unknown=False)
            suspended = _locked(reply, with_master=key is None) if isinstance(outcome, NotExecuted) else None
            if suspended is None:
                return outcome
        reason = Reason(Failed.MENDED, why=suspended[0].saying(said.words), mend=suspended[1])
        return NotExecuted(again=False, reason=reason, status=reply.status, detail=said.whole)

    def _suspended(self, reply: Reply, route: Route) -> tuple[Reason, str] | None:
        """Return the reason for a suspended workspace and the fix; None for any other answer."""
        if not _is_suspended(reply, route):
            return None
        where = self._desk.support or self._desk.dashboard or "the chat of its dashboard"
        return Reason(Exchange.SUSPENDED), f"contact its operator: {where}; nothing is repeated until then"

    async def _look(
        self, operation: str, values: Mapping[str, object], read: Callable[[object, Route], T], *, key: SecretStr | None
    ) -> T:
        """Send a request that only reads, and read its answer."""
        route = self._route(operation)

        def failure(reply: Reply) -> SwitchboardError:
            locked = _locked(reply, with_master=key is None)
            if locked is not None:
                return OperatorError(locked[0], mend=locked[1], words=read_error(reply).words, service=SERVICE)
            return read_failure(
                reply, service=SERVICE, address="DELIVERY_BASE_URL", credentials="DELIVERY_MASTER_KEY", names=route.ours
            )

        reply = await self._ask(partial(self._send, route, values, key=key))
        if (suspended := self._suspended(reply, route)) is not None:
            raise OperatorError(suspended[0], mend=suspended[1], words=read_error(reply).words, service=SERVICE)
        return self._read(reply, read, route, failure=failure)

    async def _send(
        self, route: Route, values: Mapping[str, object], *, key: SecretStr | None, guard: Guard | None = None
    ) -> Reply:
        chosen = key or self._master_key
        if chosen is None:
            raise OperatorError(
                "the key that lists and creates stores is missing",
                service=SERVICE,
                mend="set DELIVERY_MASTER_KEY to the key in the settings of the delivery dashboard; stores of "
                "DELIVERY_STORE_KEYS need none",
            )
        secret, language = chosen.get_secret_value(), self._dialect.language
        request = json_request(route, values, {"Authorization": f"Bearer {secret}", "content-language": language})
        # Only requests with the master key return keys of stores.
        brings = route.reply.get("key", ()) if key is None else ()
        return await self._transport.send(replace(request, brings=tuple(brings)), guard=guard)
