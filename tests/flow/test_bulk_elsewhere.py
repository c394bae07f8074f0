"""Bulk payments that nobody asked for here: their rows, their failures, their state, and what is canceled of them."""

import re

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.bulk import BulkJob, BulkOrder
from tests.support import answers
from tests.support.bulk import approve
from tests.support.rig import Rig
from tests.support.shown import lacking, shown


async def made_elsewhere(rig: Rig, *, steps: int = 2) -> BulkJob:
    """Seven payments on pages of three; 2, 3 and 5 go to people without an account."""
    rig.payments.switches.bulk_page_size = 3
    for n in (1, 4, 6, 7):
        rig.payments.add_account(f"person{n}@example.com", full_name=f"Person {n}")
    orders = [BulkOrder(email=f"person{n}@example.com", cents=100 * n, note=f"n{n}") for n in range(1, 8)]
    job = rig.payments.bulk.create(orders)
    for _ in range(steps):
        await rig.payments.advance()
    return job


async def told(rig: Rig, text: str, job: BulkJob) -> str:
    return shown((await answers.ask(rig, text.format(job.id))).text.replace(job.id, "b7"))


@pytest.mark.rig(on="both")
async def test_row_shown_on_a_page_is_the_one_canceled(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 4
    job = await made_elsewhere(rig)
    pages = "\n".join([await told(rig, f"bulk items {{}} {page}", job) for page in (1, 2, 3)])
    assert re.findall(r"row (\d) · person\1@", pages) == [*"1234567"]
    assert [line.split(" · ")[3] for line in pages.splitlines() if line.startswith("•")] == [
        *("paid", "waiting for sign-up", "waiting for sign-up", "failed", "waiting for sign-up", "paid", "paid")
    ]
    assert "• row 4 · person4@example.com · $4.00 · The recipient's" in await told(rig, "bulk failed {}", job)
    await told(rig, "bulk cancel {} 5 3", job)
    await rig.settle()
    await approve(rig)
    await rig.pass_time(120, steps=4)
    canceled = [number for number, item in enumerate(job.items, 1) if item.status == "canceled"]
    assert (canceled, job.canceled_all) == ([3, 5], 0)
    assert "There's no row 8; b7 has rows 1–7." in await told(rig, "bulk cancel {} 5 8", job)


@pytest.mark.parametrize(
    ("switches", "steps", "word"),
    [
        ({}, 1, "in progress"),
        ({}, 2, "waiting for sign-up"),
        ({"bulk_fail_every": 1}, 2, "finished"),
        ({"bulk_fail_every": 4}, 2, "waiting for sign-up"),
        ({"bulk_breaks_after": 4}, 2, "failed"),
    ],
)
async def test_history_and_show_say_the_same_state(rig: Rig, switches: dict[str, int], steps: int, word: str) -> None:
    for name, value in switches.items():
        setattr(rig.payments.switches, name, value)
    job = await made_elsewhere(rig, steps=steps)
    assert f"Status: {word}\n" in await told(rig, "bulk show {}", job)
    [line] = (await told(rig, "bulk history", job)).splitlines()[1:]
    assert f" · b7 · {word} · " in line


async def test_failed_bulk_payment_of_others_warns_about_payments_on_their_way(rig: Rig) -> None:
    rig.payments.switches.bulk_breaks_after = 4
    rig.payments.switches.bulk_hides_failed = True
    job = await made_elsewhere(rig)
    said = await told(rig, "bulk show {}", job)
    assert not lacking(
        said,
        "Status: failed",
        "Payments: 7",
        "Waiting for sign-up: 2",
        "Paid: 2",
        "Failed: 3",
        "*don't send them again*",
    )
    failed = await told(rig, "bulk failed {}", job)
    assert re.findall(r"person(\d)@", failed) == ["5", "6", "7"]
    assert "4, page 2 of 2\n• row 4 · person4@example.com" in await told(rig, "bulk items {} 2", job)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_bulk_items", times=None))
    said = await told(rig, "bulk show {}", job)
    assert ("Waiting for sign-up: 5" in said, "retry" in said) == (True, False)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="get_bulk_payment", times=None))
    assert len((await told(rig, "bulk history", job)).splitlines()) == 2


async def test_history_reads_only_inconclusive_records(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 1
    await made_elsewhere(rig)
    rig.payments.switches.bulk_fail_every = 0
    job = await made_elsewhere(rig)
    for n in (2, 3, 5):
        rig.payments.add_account(f"person{n}@example.com", full_name=f"Person {n}")
    done = await made_elsewhere(rig)
    job.items[1].status = "canceled"
    said = (await told(rig, "bulk history", done)).replace(job.id, "b6").splitlines()[1:]
    assert [line.split(" · ")[2] for line in said] == ["paid", "finished", "finished"]
    assert [call.path.rpartition("/")[2] for call in rig.payments.calls_of("get_bulk_payment")] == [job.id]
