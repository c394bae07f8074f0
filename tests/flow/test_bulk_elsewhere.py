"""Bulk payments that nobody asked for here: their rows, their failures, their state, and what is canceled of them."""

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.bulk import BulkJob, BulkOrder
from tests.support import answers
from tests.support.bulk import approve
from tests.support.rig import Rig
from tests.support.shown import shown


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
async def test_rows_run_on_and_the_row_that_is_shown_is_the_one_that_is_canceled(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 4
    job = await made_elsewhere(rig)
    pages = [await told(rig, f"bulk items {{}} {page}", job) for page in (1, 2, 3)]
    assert "\n".join(pages) == snapshot("""\
*Payments of b7*: 7, page 1 of 3
• row 1 · person1@example.com · $1.00 · paid · note n1 · user ······ · hash ······
• row 2 · person2@example.com · $2.00 · waiting for sign-up · note n2 · hash ······
• row 3 · person3@example.com · $3.00 · waiting for sign-up · note n3 · hash ······
*Payments of b7*: 7, page 2 of 3
• row 4 · person4@example.com · $4.00 · failed · note n4 · user ······ · hash ······
• row 5 · person5@example.com · $5.00 · waiting for sign-up · note n5 · hash ······
• row 6 · person6@example.com · $6.00 · paid · note n6 · user ······ · hash ······
*Payments of b7*: 7, page 3 of 3
• row 7 · person7@example.com · $7.00 · paid · note n7 · user ······ · hash ······\
""")
    assert await told(rig, "bulk failed {}", job) == snapshot("""\
*Failed payments of b7*: 1, page 1 of 1
• row 4 · person4@example.com · $4.00 · The recipient's account refused the money · note n4 · user ······ · hash ······\
""")
    await told(rig, "bulk cancel {} 5 3", job)
    await rig.settle()
    await approve(rig)
    await rig.pass_time(120, steps=4)
    canceled = [number for number, item in enumerate(job.items, 1) if item.status == "canceled"]
    assert (canceled, job.canceled_all) == ([3, 5], 0)
    assert (await told(rig, "bulk cancel {} 5 8", job)).splitlines()[0] == snapshot(
        ":pencil2: There's no row 8; b7 has rows 1–7."
    )


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


async def test_all_of_it_is_shown_and_what_failed_is_no_reason_to_pay_the_rest_again(rig: Rig) -> None:
    rig.payments.switches.bulk_breaks_after = 4
    rig.payments.switches.bulk_hides_failed = True
    job = await made_elsewhere(rig)
    assert await told(rig, "bulk show {}", job) == snapshot("""\
*Bulk payment b7*
Status: failed
Why: Something went wrong processing the payments
Payments: 7
Waiting for sign-up: 2
Paid: 2
Failed: 3
You can retry the 3 that failed. 2 payments may still arrive: *don't send them again*.
Created outside Switchboard.\
""")
    assert await told(rig, "bulk failed {}", job) == snapshot("""\
*Failed payments of b7*: 3, page 1 of 1
• person5@example.com · $5.00 · The bulk payment failed before this payment · note n5
• person6@example.com · $6.00 · The bulk payment failed before this payment · note n6
• person7@example.com · $7.00 · The bulk payment failed before this payment · note n7""")
    assert (await told(rig, "bulk items {} 2", job)).splitlines() == snapshot(
        [
            "*Payments of b7*: 4, page 2 of 2",
            "• row 4 · person4@example.com · $4.00 · paid · note n4 · user ······ · hash ······",
        ]
    )
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_bulk_items", times=None))
    assert await told(rig, "bulk show {}", job) == snapshot("""\
*Bulk payment b7*
Status: failed
Why: Something went wrong processing the payments
Payments: 7
Waiting for sign-up: 5
Created outside Switchboard.\
""")
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="get_bulk_payment", times=None))
    assert len((await told(rig, "bulk history", job)).splitlines()) == 2


async def test_the_history_reads_the_record_only_of_what_its_figures_leave_open(rig: Rig) -> None:
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
