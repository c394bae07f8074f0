"""Client of the delivery service: bookings, pre-bookings, stores, webhooks; its errors, each with a message of its own.

Error bodies are ``{message, messageKey, data?}`` (assumed). A suspended workspace, a key that is not accepted and
a key of the other environment all come as 401 or 403; only their words tell them apart.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from http import HTTPStatus
from typing import Final, TypeVar

from pydantic import SecretStr

from bot.clients.calls import MayLeave, ServiceCalls, always, json_request, read_failure
from bot.clients.delivery import wire
from bot.clients.routes import Route, RouteTable
from bot.clients.transport import Guard, Transport, decimal_of
from bot.clients.unread import NOBODY, AnswerObserver
from bot.domain.bookings.booking import BookingRequest
from bot.domain.bookings.record import (
    BookingRecord,
    Payment,
    Phone,
    Position,
    PrebookingRecord,
    Quote,
    StoreRecord,
    Webhook,
    WebhookKind,
)
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Reply, Unknown, read_error
from bot.domain.reasons import Exchange, Failed, Reason

SERVICE: Final = "delivery"

_LOCKED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_SUSPENDED: Final = re.compile(r"suspend|inactiv|disabled|deactivat|deshabilitad", re.IGNORECASE)
_NOT_COVERED: Final = re.compile(
    r"\bcover|\bcobert|out of (range|reach)|fuera de (cobert|rango|alcance|(la )?zona)", re.IGNORECASE
)
_WORDS: Final = ("message", "messageKey", "error", "code")
_ENVIRONMENT: Final = re.compile(r"environment|sandbox|production|ambiente|entorno", re.IGNORECASE)


class NotCovered(ServiceNever):
    """A quote was refused because the service does not deliver there; only its words tell."""


def _is_locked(reply: Reply) -> bool:
    return reply.status in _LOCKED and not reply.is_html


def _closed(reply: Reply, *, with_master: bool) -> tuple[Reason, str]:
    """Reason for a rejected login, and how the operator mends it."""
    said = reply.json if isinstance(reply.json, str) else reply.text
    if isinstance(reply.json, dict):
        inner = reply.json.get("error")
        parts = [reply.json, inner if isinstance(inner, dict) else {}]
        said = " ".join(str(part.get(name, "")) for part in parts for name in _WORDS)
    if _SUSPENDED.search(said):
        return Reason(Exchange.SUSPENDED), "ask it why in the chat of its dashboard; nothing is repeated until then"
    if _ENVIRONMENT.search(said):
        mend = "DELIVERY_BASE_URL and the keys must both be of the sandbox, or both of production"
        return Reason(Exchange.OTHER_ENVIRONMENT), mend
    if with_master:
        mend = "copy it again from the settings of the delivery dashboard into DELIVERY_MASTER_KEY"
        return Reason(Exchange.MASTER_KEY), mend
    mend = "copy it again from the stores view of the delivery dashboard into DELIVERY_STORE_KEYS, "
    return Reason(Exchange.STORE_KEY), mend + "or list the stores again"


def read_trouble(
    reply: Reply, *, with_master: bool, route: Route, quote: bool = False
) -> OperatorError | ServiceNow | ServiceNever:
    """What to raise for an answer to a request that only reads."""
    if _is_locked(reply):
        problem, mend = _closed(reply, with_master=with_master)
        return OperatorError(problem, mend=mend, words=read_error(reply).words, service=SERVICE)
    trouble = read_failure(
        reply, service=SERVICE, address="DELIVERY_BASE_URL", credentials="DELIVERY_MASTER_KEY", names=route.ours
    )
    if not isinstance(trouble, ServiceNever):
        assert isinstance(trouble, OperatorError | ServiceNow)
        return trouble
    if quote and _NOT_COVERED.search(trouble.words):
        return NotCovered(SERVICE, trouble.reason, status=trouble.status, words=trouble.words)
    return trouble


def told(outcome: NotExecuted, reply: Reply, *, with_master: bool) -> NotExecuted:
    """The outcome of a refused change, with the reason in this service's terms."""
    if not _is_locked(reply):
        return outcome
    problem, mend = _closed(reply, with_master=with_master)
    reason = Reason(Failed.MENDED, why=problem.saying(read_error(reply).words), mend=mend)
    return NotExecuted(again=False, reason=reason, status=outcome.status, detail=outcome.detail)


T = TypeVar("T")

_CONFLICT: Final = 409


class DeliveryCalls(ServiceCalls):
    """Calls of one company (one master key); what is not told here is told of :class:`ServiceCalls`.

    ``master_key`` is for creating and listing stores, and for nothing else. None: neither can be done.
    """

    def __init__(
        self,
        *,
        routes: RouteTable,
        transport: Transport,
        master_key: SecretStr | None,
        may_leave: MayLeave = always,
        answers: AnswerObserver = NOBODY,
    ) -> None:
        super().__init__(SERVICE, routes, transport, may_leave, answers)
        self._master_key = master_key

    @property
    def has_master_key(self) -> bool:
        return self._master_key is not None

    async def _change(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        key: SecretStr | None,
        earlier_unknown: bool = False,
        guard: Guard | None = None,
        conflict: Reason | None = None,
    ) -> Done[T] | NotExecuted | Unknown:
        """Send a request that changes something, once, and say what became of it.

        ``key`` is the store's; None: the master key. ``conflict``: what a 409 means, where it means that nothing was
        done.
        """
        route = self._route(operation)
        send = partial(self._send, route, values, key=key, guard=guard)
        reply = await self._leave(route, values.get("external_id") or values.get("id"), send)
        if isinstance(reply, NotExecuted):
            return reply
        if conflict is not None and reply.status == _CONFLICT and not earlier_unknown:
            said = read_error(reply)
            return NotExecuted(again=False, reason=conflict, words=said.words, detail=said.whole, status=_CONFLICT)
        outcome = self._became(reply, route, read, earlier_unknown=earlier_unknown)
        if isinstance(outcome, NotExecuted):
            return told(outcome, reply, with_master=key is None)
        return outcome

    async def _look(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        key: SecretStr | None,
        quote: bool = False,
    ) -> T:
        """Send a request that only reads, and read its answer."""
        route = self._route(operation)
        reply = await self._ask(partial(self._send, route, values, key=key))
        failure = partial(read_trouble, with_master=key is None, route=route, quote=quote)
        return self._read(reply, lambda document: read(document, route), route, failure=failure)

    async def _send(
        self, route: Route, values: Mapping[str, object], *, key: SecretStr | None, guard: Guard | None = None
    ) -> Reply:
        headers = {"Authorization": f"Bearer {self._secret(key)}", "content-language": self._dialect.language}
        request = json_request(route, values, headers)
        # The keys of stores come with the master key only.
        brings = route.reply.get("key", ()) if key is None else ()
        return await self._transport.send(replace(request, brings=tuple(brings)), guard=guard)

    def _secret(self, key: SecretStr | None) -> str:
        """The key that goes along, in plain text.

        Raises:
            OperatorError: it should be the master key, and there is none.
        """
        chosen = key or self._master_key
        if chosen is None:
            raise OperatorError(
                "DELIVERY_MASTER_KEY is missing, with which stores are listed and made",
                service=SERVICE,
                mend="copy it from the settings of the delivery dashboard; stores of DELIVERY_STORE_KEYS need none",
            )
        return chosen.get_secret_value()


def anything(document: object, route: Route) -> object:  # noqa: ARG001 - every reader gets the route
    """Reader that accepts any answer: the resource itself is read afterwards."""
    return document


_MILLISECONDS_A_MINUTE = 60_000


@dataclass(frozen=True, kw_only=True)
class NewBooking:
    """A booking to be made; a pre-booking is the same without position and address.

    Attributes:
        external_id: our own id, stored before the request leaves: a lost answer is found again by it.
    """

    external_id: str
    request: BookingRequest = field(repr=False)

    def values(self) -> Mapping[str, object]:
        """Our names of the request's fields; what is empty is left out."""
        wanted = self.request
        return {
            "name": wanted.name,
            "last_name": wanted.last_name,
            "email": wanted.email or None,
            "country_code": wanted.country_code,
            "mobile": wanted.mobile,
            "payment_method": wanted.payment.value,
            "amount": decimal_of(wanted.cents),
            "reference": wanted.place_reference or None,
            "notes": wanted.notes or None,
            "cook_time": wanted.cook_minutes * _MILLISECONDS_A_MINUTE or None,
            "external_id": self.external_id,
        }

    def values_with_place(self) -> Mapping[str, object]:
        """The same with the delivery point."""
        where = self.request.position
        return {
            **self.values(),
            "address": self.request.address or None,
            "latitude": None if where is None else Decimal(where.latitude),
            "longitude": None if where is None else Decimal(where.longitude),
        }


@dataclass(frozen=True, kw_only=True)
class StoreForm:
    """A store as it is to be. On updating, None leaves a field as it is."""

    name: str | None = None
    email: str | None = None
    phone: Phone | None = None
    position: Position | None = None
    address: str | None = None
    reference: str | None = None

    def values(self) -> Mapping[str, object]:
        """Our names of the request's fields; degrees as exact numbers."""
        position, phone = self.position, self.phone
        return {
            "name": self.name,
            "email": self.email,
            "mobile": None if phone is None else phone.national,
            "country_code": None if phone is None else phone.country_code,
            "latitude": None if position is None else Decimal(position.latitude),
            "longitude": None if position is None else Decimal(position.longitude),
            "address": self.address,
            "reference": self.reference,
        }


class DeliveryClient(DeliveryCalls):
    """Everything the delivery service can be asked; see ``DeliveryCalls`` for how to make one."""

    async def create_store(
        self, form: StoreForm, *, guard: Guard | None = None
    ) -> Done[StoreRecord] | NotExecuted | Unknown:
        """Create a store with the master key. Done carries its key: encrypt it at once."""
        return await self._change("create_store", form.values(), wire.read_new_store, key=None, guard=guard)

    async def list_stores(self) -> tuple[StoreRecord, ...]:
        """Every store of the company, with its key, by the master key."""
        return await self._look("list_stores", {}, wire.read_stores, key=None)

    async def get_store(self, *, key: SecretStr) -> StoreRecord:
        """The store that the key belongs to."""
        return await self._look("get_store", {}, wire.read_store, key=key)

    async def update_store(
        self, form: StoreForm, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[object] | NotExecuted | Unknown:
        """Change the store that the key belongs to; read it afterwards."""
        return await self._change("update_store", form.values(), anything, key=key, guard=guard)

    async def quote(self, *, key: SecretStr, position: Position, payment: Payment, cents: int) -> Quote:
        """Ask what a delivery would cost (pre-checkout). Nothing is booked.

        Raises:
            NotCovered: the service does not deliver there.
            ServiceNever: any other 4xx.
            ServiceNow: an outage: 5xx, 429, no answer.
            OperatorError: suspended workspace, wrong key, wrong environment.
        """
        values = {
            "latitude": Decimal(position.latitude),
            "longitude": Decimal(position.longitude),
            "payment_method": payment.value,
            "amount": decimal_of(cents),
        }
        return await self._look("quote", values, wire.read_quote, key=key, quote=True)

    async def create_booking(
        self, new: NewBooking, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[BookingRecord] | NotExecuted | Unknown:
        """Book. After Unknown read it by its external id; never send it again."""
        return await self._change(
            "create_booking",
            new.values_with_place(),
            partial(wire.read_ours, external_id=new.external_id),
            key=key,
            guard=guard,
        )

    async def get_booking(self, booking_id: str, *, key: SecretStr) -> BookingRecord:
        """Read a booking by its internal id or its number; a record with other ids is refused."""
        read = partial(wire.read_same, booking_id=booking_id)
        return await self._look("get_booking", {"id": booking_id}, read, key=key)

    async def find_booking(self, external_id: str, *, key: SecretStr) -> BookingRecord:
        """Read a booking by our own id; one that carries another is refused."""
        read = partial(wire.read_ours, external_id=external_id)
        return await self._look("get_booking", {"external_id": external_id}, read, key=key)

    async def cancel_booking(
        self, booking_id: str, *, reason: str, key: SecretStr, guard: Guard | None = None
    ) -> Done[object] | NotExecuted | Unknown:
        """Cancel. What became of it is read afterwards."""
        return await self._change(
            "cancel_booking",
            {"id": booking_id, "reason": reason},
            anything,
            key=key,
            guard=guard,
            conflict=Reason(Exchange.BOOKING_FIXED),
        )

    async def start_search(
        self, booking_id: str, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[object] | NotExecuted | Unknown:
        """Look for a driver now instead of when the cook time is over; only from ON_HOLD."""
        return await self._change(
            "start_search", {"id": booking_id}, anything, key=key, guard=guard, conflict=Reason(Exchange.SEARCH_BEGUN)
        )

    async def create_prebooking(
        self, new: NewBooking, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[PrebookingRecord] | NotExecuted | Unknown:
        """Create one. It cannot be found by our own id, so after Unknown a person decides."""
        return await self._change("create_prebooking", new.values(), wire.read_new_prebooking, key=key, guard=guard)

    async def get_prebooking(self, prebooking_id: str, *, key: SecretStr) -> PrebookingRecord:
        """Read one; a record with another id is refused."""
        read = partial(wire.read_same_prebooking, prebooking_id=prebooking_id)
        return await self._look("get_prebooking", {"id": prebooking_id}, read, key=key)

    async def cancel_prebooking(
        self, prebooking_id: str, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[object] | NotExecuted | Unknown:
        """Cancel one; it does not become a booking any more."""
        return await self._change(
            "cancel_prebooking",
            {"id": prebooking_id},
            anything,
            key=key,
            guard=guard,
            conflict=Reason(Exchange.PREBOOKING_FIXED),
        )

    async def list_webhooks(self, *, key: SecretStr) -> tuple[Webhook, ...]:
        """What is registered."""
        return await self._look("list_webhooks", {}, wire.read_webhooks, key=key)

    def read_report(self, document: object) -> tuple[str, BookingRecord]:
        """What came to a webhook: the id to look the booking up by, and the report, which proves nothing.

        Raises:
            ValueError: it names no booking.
        """
        return wire.read_event(document, self._route("get_booking"))

    async def register_webhook(
        self, kind: WebhookKind, url: str, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[object] | NotExecuted | Unknown:
        """Register an address; list afterwards to see that it took effect."""
        values = {"type": kind.value, "url": url}
        return await self._change("register_webhook", values, anything, key=key, guard=guard)

    async def delete_webhook(
        self, kind: WebhookKind, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[object] | NotExecuted | Unknown:
        """Take a registration away. The body of a DELETE may get lost on the way: list afterwards."""
        return await self._change("delete_webhook", {"type": kind.value}, anything, key=key, guard=guard)
