"""The calls of the payments client by name, and a bench that says what one sends and what becomes of an answer."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from aiohttp import web

from bot.clients.limiter import Lane, SendTurn
from bot.clients.payments import NewPayout, NewPurchase, PaymentsClient
from bot.domain.errors import SwitchboardError
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem, HashList
from bot.domain.payments.instruction import Item
from tests.clients.partner_server import Partner, page_of_a_proxy, said

NEW = NewPayout(
    email="ana+x@example.com",
    description='March "translation" — naïve',
    cents=Cents(1010),
    code="01JCODE",
    confirmation_uri="https://bot.example/c/1",
    failure_uri="https://bot.example/c/2",
    cancel_uri="https://bot.example/c/3",
)
REFERENCE = "B-4F7K2M"
ROWS = [
    BulkItem(row=2, email="ana@example.com", cents=Cents(2510), note="March"),
    BulkItem(row=4, email="ben+work@example.com", cents=Cents(1)),
]


def new_purchase(email: str | None = "ana@example.com", *items: Item) -> NewPurchase:
    return NewPurchase(
        code="code-1",
        description="Books & more",
        items=items,
        email=email,
        confirmation_uri="https://bot.example/thanks",
        cancel_uri="https://bot.example/canceled",
        callback_uri="https://bot.example/callbacks/payments/a",
        failure_uri="https://bot.example/callbacks/payments/b",
    )


ITEMS = (
    Item(name="Book", unit_cents=Cents(1005), quantity=2),
    Item(name="Pen <b>", unit_cents=Cents(99), quantity=1),
)
PURCHASE = new_purchase("ana@example.com", *ITEMS)

Call = Callable[..., Awaitable[Any]]


def asks(method: str, *given: object, **named: object) -> Call:
    return lambda client, **more: getattr(client, method)(*given, **{**named, **more})


def effect(method: str, *given: object) -> Call:
    return asks(method, *given, earlier_unknown=False)


def pages(**named: bool) -> Call:
    async def read(client: PaymentsClient) -> list[Any]:
        return [page async for page in client.bulk_items("b-1", **named)]

    return read


CALLS: dict[str, Call] = {
    "create": effect("create_payout", NEW), "commit": effect("commit_payout", "op-1"),
    "cancel": effect("cancel_payout", "op-1"), "one step": effect("one_step_payout", NEW),
    "purchase": effect("create_purchase", PURCHASE),
    "open purchase": effect("create_purchase", new_purchase(None, *ITEMS)),
    "bulk": effect("submit_bulk", REFERENCE, ROWS),
    "cancel items": effect("cancel_bulk_items", "b-1", HashList("h1", "h2")),
    "operation": asks("get_operation", "op-1"), "events": asks("payout_events", "op-1"),
    "get purchase": asks("get_purchase", "op-1"),
    "account": asks("account_status", "ana+x&y=1@example.com"),
    "partner": asks("partner"), "first page": asks("list_operations"),
    "second page": asks("list_operations", 2, 10, "payout"),
    "find": asks("find_by_code", "code-1"),
    "find purchase": asks("find_by_code", "code-1", "purchase"),
    "bulk payment": asks("get_bulk", "b-1"), "history": asks("bulk_history_page"), "items": pages(),
    "failures": pages(failed=True),
}  # fmt: skip
EFFECTS = ["create", "commit", "one step", "purchase"]
PAGE = object()
"""An answer: the page of a proxy."""


class CountingSlots:
    """The real limiter's promise without its waiting, and what was asked of it."""

    def __init__(self) -> None:
        self.lanes: list[Lane] = []
        self.patience: list[float] = []
        self.slowed: list[float | None] = []
        self.is_free = True
        self.departures = 0
        self.broken = ""
        self.arrivals = 0
        self.open = 0

    async def acquire(self, lane: Lane, *, patience: float) -> SendTurn | None:
        self.lanes.append(lane)
        self.patience.append(patience)
        if self.broken == "acquire":
            raise OSError("the database is away")
        self.open += self.is_free
        return self if self.is_free else None

    async def departs(self) -> bool:
        if self.broken == "departs":
            raise OSError("the database is away")
        self.departures += 1
        return True

    async def answered(self) -> None:
        self.arrivals += 1

    def over(self) -> None:
        self.open -= 1

    async def slow_down(self, retry_after: float | None) -> None:
        self.slowed.append(retry_after)


class OpenClient(Protocol):
    def __call__(self, services: str = "", environment: str = "sandbox") -> PaymentsClient: ...


@dataclass
class Bench:
    """A client before a small service, with what the service got and what was asked of the limiter."""

    partner: Partner
    slots: CountingSlots
    open: OpenClient
    services: str = ""

    async def told(self, call: str, body: object = None, status: int = 200, **more: Any) -> Any:
        """What becomes of a call that is answered so: its result, or the error that it raises."""

        def answer(_: object) -> web.Response:
            return page_of_a_proxy(status) if body is PAGE else said(body, status, Location="/operations/1")

        self.partner.answer = answer
        return await self.asked(call, **more)

    async def asked(self, call: str, **more: Any) -> Any:
        try:
            return await CALLS[call](self.open(self.services), **more)
        except SwitchboardError as error:
            return error
