"""What the service says of one operation now: items and checkout of purchases, ids of the platform, own and foreign."""

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import Item, PurchaseOrder, Record
from tests.support import bulk
from tests.support.answers import ask
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.support.shown import lacking
from tests.workflows.looking import asked, newest

ITEMS = (Item(description="Web <design>", cents=1_000, quantity=2), Item(description="Hosting", cents=450, quantity=12))


def foreign(rig: Rig, items: tuple[Item, ...] = ITEMS, *, cents: int = 7_400) -> Record:
    order = PurchaseOrder(code="THEIRS-1", description="Site", cents=cents, items=items, email="ben@example.com")
    return rig.payments.book.create_purchase(order)


def below(text: str) -> str:
    """What an own request's card says of the service."""
    return text.partition("*Provider record*")[2].partition("*History*")[0]


async def test_external_purchase_shows_items_and_checkout(rig: Rig) -> None:
    record = foreign(rig)
    for name in (record.id, "THEIRS-1"):
        told = await ask(rig, f"show {name}")
        assert not lacking(
            told.text,
            "*$74.00 from ben@example.com*",
            "Code: THEIRS-1",
            "quantity 12 · each 4.50 · together 54.00",
            "Total: $74.00",
        )
        [link] = [button for block in told.blocks if block["type"] == "actions" for button in block["elements"]]
        assert (link["text"]["text"], link["url"]) == ("Open checkout", f"{rig.payments.base_url}/checkout/{record.id}")
    await rig.payments.settle(record.id, "confirmed")
    told = await ask(rig, f"show {record.id}")
    assert ("Checkout:" in told.text, told.buttons) == (False, [])


LINE = pytest.mark.rig(services='[payments]\nitem_amount = "line"\n')


@pytest.mark.parametrize(
    ("cents", "says"),
    [
        (7_400, "each 10.00 · together 20.00"),
        (7_500, "The items add up to 74.00, not to the total."),
        pytest.param(1_450, "each 5.00 · together 10.00", marks=LINE),
    ],
)
async def test_item_amount_is_per_unit_or_line(rig: Rig, cents: int, says: str) -> None:
    record = foreign(rig, cents=cents)
    told = await ask(rig, f"show {record.id}")
    assert says in told.text
    assert says in told.plain


async def test_own_purchase_is_read_from_its_detail(rig: Rig) -> None:
    await rig.pay('collect ana@example.com "Course fees" book=2x12.50')
    found = await newest(rig)
    before = asked(rig, "get_purchase") + asked(rig, "get_operation")
    told = await ask(rig, f"show {found.reference}")
    assert asked(rig, "get_purchase") + asked(rig, "get_operation") == before + 1, "one read"
    assert not lacking(
        below(told.text),
        "Status: waiting for payment",
        "• book · quantity 2 · each 12.50 · together 25.00",
        "Total: $25.00",
    )
    assert told.text.count("Checkout: ") == 1


async def test_show_adds_the_current_record_of_a_bulk_payment(rig: Rig) -> None:
    await bulk.ask(rig)
    await bulk.approve(rig)
    await rig.payments.advance()
    [job] = rig.payments.bulk_payments
    for text in (f"show {(await newest(rig)).reference}", f"bulk show {(await newest(rig)).reference}"):
        before = asked(rig, "get_bulk_payment")
        told = await ask(rig, text)
        assert asked(rig, "get_bulk_payment") == before + 1
        assert not lacking(below(told.text), f"Provider ID: {job.id}", "Payments: ")
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_bulk_payment", times=None))
    told = await ask(rig, f"show {(await newest(rig)).reference}")
    assert "Try again in a minute. Above is the last known state." in told.text


async def test_list_pages_can_be_turned(rig: Rig) -> None:
    for _ in range(30):
        foreign_code = len(rig.payments.operations)
        rig.payments.book.create_purchase(
            PurchaseOrder(code=f"C-{foreign_code}", description="x", cents=100, items=ITEMS[:1])
        )
    told = await ask(rig, "list purchases page=2 per=12")
    assert told.text.splitlines()[0] == "*Purchases* 13 to 24 of 30, page 2 of 3"
    turning = [(one.text, one.value) for one in told.buttons if ":" in one.value]
    assert turning == [("Previous", "purchase@12:1"), ("Next", "purchase@12:3")]
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next")
    last = await rig.workspace.until(
        lambda: one if "page 3 of 3" in (one := rig.workspace.ephemerals(MARIA)[-1]).text else None
    )
    assert last.text.splitlines()[0] == "*Purchases* 25 to 30 of 30, page 3 of 3"
    assert (await ask(rig, "list per=50 purchases")).text.splitlines()[0] == "*Purchases* 1 to 30 of 30"
    wrong = ("per=51", "per=0", "per=x", "page=0", "page=1 page=2")
    refused = [(await ask(rig, f"list {one}")).text.splitlines()[0] for one in wrong]
    assert refused[:3] == [":pencil2: per= takes a number from 1 to 50."] * 3
    assert all(one.startswith(":pencil2: ") for one in refused)
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next", value="purchase:2", force=True)
    old = await rig.workspace.until(
        lambda: one if "11 to 20" in (one := rig.workspace.ephemerals(MARIA)[0]).text else None
    )
    assert old.text.splitlines()[0] == "*Purchases* 11 to 20 of 30, page 2 of 3", "the buttons of older messages"


async def test_approvers_card_names_the_country(rig: Rig) -> None:
    await rig.pay("send joana.silva@example.com 5.00 x")
    card = await rig.card(APPROVALS)
    assert "requested by Maria Silva (maria) · Brazil ·" in card.plain
    assert " · Brazil · " in card.text
