"""What the clients tell of answers they cannot read: real services under other names, and pages in their place."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, TCPConnector
from pydantic import SecretStr

from bot.clients.delivery import DeliveryClient
from bot.clients.emails import EmailsClient
from bot.clients.emails.client import Quick
from bot.clients.localization import LocalizationClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, bare_session, open_session
from bot.clients.unread import AnswerObserver
from bot.domain.bookings.record import Payment
from bot.domain.errors import ServiceNow
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.request import Request
from bot.domain.outcome import Done, Unknown
from bot.domain.payments.bulk import HashList
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import Secrets
from bot.domain.unread import UnreadAnswer
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.emails import EmailsSimulator
from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.simulators.payments.dialect import Dialect
from bot.presentation.unread import file_lines
from tests.clients.conftest import payments_client, routes_of
from tests.clients.delivery_calls import BOOKING, HERE, KEY
from tests.clients.partner_server import Partner, page_of_a_proxy, said
from tests.clients.payments_calls import NEW
from tests.support.fixtures import Logged

ASKED = Request(
    operation=CallOperation.TRANSLATION, text="Good morning", options={"source_lang": "en", "target_lang": "fr"}
).complete()


class Notes:
    def __init__(self) -> None:
        self.answers: list[UnreadAnswer] = []
        self.were_read: list[str] = []

    def unread(self, answer: UnreadAnswer) -> None:
        self.answers.append(answer)

    def read(self, operation: str) -> None:
        self.were_read.append(operation)

    @property
    def one(self) -> UnreadAnswer:
        [answer] = self.answers
        return answer


class Broken(Notes):
    def unread(self, answer: UnreadAnswer) -> None:  # noqa: ARG002 - the protocol's name
        raise OSError("the database is locked")

    def read(self, operation: str) -> None:  # noqa: ARG002 - the protocol's name
        raise OSError("the database is locked")


@pytest.fixture
def notes() -> Notes:
    return Notes()


Connect = Callable[..., Any]


@pytest.fixture
def connect(session: ClientSession, partner: Partner, notes: Notes, tmp_path: Path) -> Connect:
    """Open a client of a service, at the small partner server if no address is given."""

    def build(
        service: str = "payments", *, url: str = "", services: str = "", answers: AnswerObserver | None = notes
    ) -> Any:
        transport = Transport(session=session, base_url=url or partner.url, service=service, total=5.0)
        routes, key = routes_of(tmp_path, services), SecretStr("key")
        if service == "payments":
            secret = SecretStr("partner-secret")
            return payments_client(routes, transport, partner_secret=secret, answers=answers)
        if service == "delivery":
            return DeliveryClient(routes=routes, transport=transport, master_key=KEY, answers=answers)
        return LocalizationClient(routes=routes, texts=transport, media=transport, key=key, answers=answers)

    return build


async def test_reason_under_another_name_is_kept_and_reported(connect: Connect, partner: Partner, notes: Notes) -> None:
    failure = {"receiver_email": "ana@example.com", "amount": "1.00", "internal_note": "L-1/2", "rejection": "limit"}
    partner.answer = lambda _: said({"payments": [failure, failure]})
    page = await connect().bulk_item_page("b-1", failed=True)
    assert [one.error for one in page.items] == ["rejection: limit", "rejection: limit"]
    assert (notes.one.operation, notes.were_read) == ("payments.list_bulk_failures", [])
    assert file_lines(notes.one) == ["[payments.list_bulk_failures.reply]", 'error = "rejection"']
    read = connect(services="\n".join(file_lines(notes.one)))
    assert [one.error for one in (await read.bulk_item_page("b-1", failed=True)).items] == ["limit", "limit"]
    assert (len(notes.answers), notes.were_read) == (1, ["payments.list_bulk_failures"])


async def test_a_commit_not_committed_has_right_names(connect: Connect, partner: Partner, notes: Notes) -> None:
    partner.answer = lambda _: said({"id": "op-1", "status": "CREATED"})
    outcome = await connect().commit_payout("op-1", earlier_unknown=False)
    assert isinstance(outcome, Unknown)
    [wanted] = notes.one.wanted
    assert (wanted.name, wanted.is_there, wanted.candidates) == ("status", True, ())


@pytest.mark.parametrize(("answer", "body"), [
    (page_of_a_proxy(200), "no JSON (HTML page of 35 bytes)"),
    (said({}, 204), "no JSON (empty)"), (said([1, 2]), "list of 2"), (said("fine"), "text"), (said(None), "empty"),
])  # fmt: skip
async def test_no_record(connect: Connect, partner: Partner, notes: Notes, answer: Any, body: str) -> None:
    partner.answer = lambda _: answer
    outcome = await connect().commit_payout("op-1", earlier_unknown=False)
    assert isinstance(outcome, Unknown)
    assert (notes.one.body, notes.one.wanted) == (body, ())


@pytest.mark.parametrize("status", [400, 404, 409, 422, 429, 500, 302])
async def test_only_successful_answers_are_examined(
    connect: Connect, partner: Partner, notes: Notes, status: int
) -> None:
    partner.answer = lambda _: said({"message": "no"}, status)
    client = connect()
    await client.commit_payout("op-1", earlier_unknown=False)
    with pytest.raises(Exception, match=r".+"):
        await client.get_operation("op-1")
    assert (notes.answers, notes.were_read) == ([], [])


@pytest.mark.parametrize("answers", [None, Broken()], ids=["nobody listens", "who listens fails"])
async def test_notes_change_no_outcome(connect: Connect, answers: AnswerObserver | None, caplog: Logged) -> None:
    async with PaymentsSimulator(dialect=Dialect(names={"create_payout.id": "uid"}), rate_limit=None) as service:
        client = connect(url=service.base_url, answers=answers)
        unread = await client.create_payout(replace(NEW, email="ana@example.com"), earlier_unknown=False)
        assert unread == Unknown(reason=Reason(Exchange.UNEXPECTED, status=200), status=200)
        operation_id = next(iter(service.operations))
        assert (await client.get_operation(operation_id)).id == operation_id
        assert isinstance(await client.commit_payout(operation_id, earlier_unknown=False), Done)


async def test_a_booking_made_under_other_names(connect: Connect, notes: Notes) -> None:
    async with DeliverySimulator() as service:
        service.add_store("Centro", token=KEY.get_secret_value())
        names = '[delivery.create_booking.reply]\nid = "ident"\nstatus = "stage"\n'
        client = connect("delivery", url=service.base_url, services=names)
        assert isinstance(await client.create_booking(*BOOKING, key=KEY), Unknown)
    found = notes.one
    assert [(one.name, one.is_there) for one in found.wanted] == [("id", False), ("status", False)]
    assert found.fields[0].path[0] == "data"
    assert "_id" in found.wanted[0].candidates
    assert {"statusText", "currentStatus"} == set(found.wanted[1].candidates)
    for value in ("Market", "Ana", "Lopez", "01EXTERNAL", "25.5"):
        assert value not in str(found.as_json())


async def test_error_with_status_200_counts_as_read(connect: Connect, partner: Partner, notes: Notes) -> None:
    partner.answer = lambda _: said({"success": False, "message": "no"})
    await connect("localization").run(ASKED)
    assert notes.answers == []


async def test_of_e_mails_only_pages_are_unread(notes: Notes) -> None:
    key = "email-key"
    async with (
        EmailsSimulator(api_key=key) as simulator,
        bare_session(TCPConnector(limit=5)) as quick,
        open_session() as session,
    ):
        client = EmailsClient(
            routes=load_routes(None, environment="production"),
            single=Quick(session=quick, base_url=simulator.single_url, secrets=Secrets()),
            bulk=Transport(session=session, base_url=simulator.bulk_url, service="email_bulk"),
            api_key=SecretStr(key),
            secrets=Secrets(),
            answers=notes,
        )
        await client.check("ana@example.com")
        assert (notes.answers, notes.were_read) == ([], ["email.check"])
        simulator.faults.arm(Fault(FaultKind.GARBAGE, times=2))
        await client.check("ana@example.com")
        await client.process_file(b"email\r\nana@example.com\r\n", column=0, name="list.csv")
    assert [one.operation for one in notes.answers] == ["email.check", "email.process_file"]
    assert all(one.body.startswith("no JSON (HTML page of ") for one in notes.answers)


RECORD = {"id": "op-1", "status": "CREATED", "operation_type": "payout", "amount": "25.00", "code": "c-1"}
PAGE = {"currentPage": 1, "lastPage": 1, "perPage": 10, "total": 1, "from": 1, "to": 1, "data": [RECORD]}
PRICE = {"data": {"deliveryFee": "2.50", "deliveryFeeWithTax": "2.80", "tax": "0.30", "currency": "USD"}}
BOOKED = {"data": {"_id": "652f7a1e9b1d", "status": "PENDING", "bookingId": 12}}
HELD = {"payments": [{"receiver_email": "a@example.com", "amount": "1.00", "status": "COMPLETED"}], "count": 1}
TOOK_IN: dict[str, tuple[str, object, Callable[[Any], Awaitable[object]]]] = {
    "create_payout": ("payments", RECORD, lambda client: client.create_payout(NEW, earlier_unknown=False)),
    "get_operation": ("payments", RECORD, lambda client: client.get_operation("op-1")),
    "list_operations": ("payments", PAGE, lambda client: client.list_operations()),
    "partner": ("payments", {"id": "p", "name": "P", "email": "p@example.com"}, lambda client: client.partner()),
    "account_status": ("payments", {"status": "ACTIVE", "fullName": "A"}, lambda c: c.account_status("a@example.com")),
    "get_bulk": ("payments", {"id": "b-1", "status": "DONE", "count": 1}, lambda client: client.get_bulk("b-1")),
    "bulk_items": ("payments", HELD, lambda client: client.bulk_item_page("b-1")),
    "cancel_items": ("payments", {"successful": ["h1"]},
                     lambda client: client.cancel_bulk_items("b-1", HashList("h1"), earlier_unknown=False)),
    "quote": ("delivery", PRICE, lambda client: client.quote(key=KEY, position=HERE, payment=Payment.CARD, cents=2550)),
    "create_booking": ("delivery", BOOKED, lambda client: client.create_booking(*BOOKING, key=KEY)),
    "get_booking": ("delivery", BOOKED, lambda client: client.get_booking("652f7a1e9b1d", key=KEY)),
    "get_store": ("delivery", {"data": {"_id": "s1", "name": "Centro"}}, lambda client: client.get_store(key=KEY)),
    "webhooks": ("delivery", {"data": [{"type": "UPDATE_BOOKING_STATUS", "url": "https://x.example"}]},
                 lambda client: client.list_webhooks(key=KEY)),
    "translation": ("localization", {"translated_text": "Bonjour"}, lambda client: client.run(ASKED)),
}  # fmt: skip


def altered(document: Any) -> Iterator[object]:
    """The answer as another provider might shape it."""
    yield {"job_id": "j-1"}
    yield {"job_id": 7, "status": "queued"}
    yield {"task": "652f7a1e9b1d", "progress": 12, "created_at": "2026-11-20T09:00:00Z"}
    yield {"payload": document}
    yield {"data": {"attributes": document}}
    yield [document]
    yield [document, document]
    yield texts(document)
    for name in names_in(document):
        yield renamed(document, {name: f"the_{name}"})
        yield renamed(document, {name: "zz"})
    yield renamed(document, {name: f"the_{name}" for name in names_in(document)})
    yield renamed(document, {name: f"{name}_info" for name in names_in(document)})


def names_in(document: Any) -> list[str]:
    if isinstance(document, dict):
        return [*document, *(name for one in document.values() for name in names_in(one))]
    return [name for one in document for name in names_in(one)] if isinstance(document, list) else []


def renamed(document: Any, names: dict[str, str]) -> Any:
    if isinstance(document, dict):
        return {names.get(name, name): renamed(one, names) for name, one in document.items()}
    return [renamed(one, names) for one in document] if isinstance(document, list) else document


def texts(document: Any) -> Any:
    """Numbers as texts, and texts as lists of one."""
    if isinstance(document, dict):
        return {name: texts(one) for name, one in document.items()}
    return [texts(one) for one in document] if isinstance(document, list) else [str(document)]


@pytest.mark.parametrize("name", TOOK_IN)
async def test_proposed_settings_make_the_answer_readable(
    partner: Partner, connect: Connect, notes: Notes, name: str
) -> None:
    service, document, call = TOOK_IN[name]
    proposals = 0
    for answer in altered(document):
        partner.answer = lambda _, answer=answer: said(answer)
        written: dict[str, dict[str, str]] = {}
        for _ in range(4):
            notes.answers.clear()
            with suppress(ServiceNow):
                services = "".join("\n".join([head, *lines.values(), ""]) for head, lines in written.items())
                await call(connect(service, services=services))
            lines = [line.removeprefix("# ") for one in notes.answers for line in file_lines(one)]
            if not lines:
                break
            proposals += 1
            head = ""
            for line in lines:
                head = line if line.startswith("[") else head
                written.setdefault(head, {}).setdefault(line.partition(" =")[0], line)
                written[head].pop(head, None)
        assert not (written and notes.answers), (answer, written, [one.as_json() for one in notes.answers])
    assert proposals or name in ("webhooks",)
