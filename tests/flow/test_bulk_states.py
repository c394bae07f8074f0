"""What a bulk payment and its payments are told as: queued, failed as a whole, failed by a list of its own."""

import re

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.support import answers
from tests.support.bulk import approve, ask, reference, run
from tests.support.rig import ALERTS, APPROVALS, FINANCE, OLGA, Rig
from tests.support.shown import lacking, shown

SIX = "\n".join(f"person{n}@example.com,{n}.00,row {n}" for n in range(1, 7))


async def sent(rig: Rig, rows: str = SIX) -> str:
    """Its reference; everybody has an account but the second."""
    for n in (1, 3, 4, 5, 6):
        rig.payments.add_account(f"person{n}@example.com", full_name=f"Person {n}")
    await ask(rig, rows)
    await approve(rig)
    return reference(rig)


async def told(rig: Rig, text: str) -> str:
    return shown((await answers.ask(rig, text)).text)


def card(rig: Rig) -> str:
    return shown(rig.cards(FINANCE)[-1].text).partition("L-······. ")[2]


def news(rig: Rig, channel: str = FINANCE) -> str:
    return "\n".join(shown(m.text) for m in rig.news(channel) if not m.files)


def alerts(rig: Rig) -> str:
    return "\n".join(shown(m.text).partition("\nLook for")[0] for m in rig.workspace.messages(ALERTS))


@pytest.mark.rig(on="both")
async def test_received_job_is_queued(rig: Rig) -> None:
    rig.payments.switches.bulk_items_a_step = 2
    name = await sent(rig)
    for _ in range(2):
        await rig.payments.advance()
        await rig.pass_time(60, steps=2)
    assert "1 paid, 1 waiting for sign-up ($2.00), 4 queued." in card(rig)
    items = await told(rig, f"bulk items {name}")
    assert [line.count("queued") for line in items.splitlines()[1:]] == [0, 0, 1, 1, 1, 1]
    assert "Row 4 (person4@example.com) hasn't been processed yet" in await told(rig, f"bulk cancel {name} 4")


@pytest.mark.rig(on="both")
async def test_failed_bulk_payment_is_reported_with_reason_and_remedy(rig: Rig) -> None:
    rig.payments.switches.bulk_breaks_after = 3
    rig.payments.switches.bulk_items_a_step = 3
    name = await sent(rig)
    await run(rig)
    assert not lacking(
        news(rig), "*Failed*: $21.00", "2 paid ($4.00), 3 failed ($15.00), 1 pending ($2.00)", "*don't send it again*"
    )
    assert news(rig, APPROVALS) == ""
    assert "2 paid, 3 failed, 1 waiting for sign-up ($2.00)" in card(rig)
    assert " · failed · 6 payments · 2 paid · 3 failed" in await told(rig, "bulk history")
    failed = await told(rig, f"bulk failed {name}")
    assert re.findall(r"row (\d) · .* · The bulk payment failed before this payment", failed) == ["4", "5", "6"]
    rig.payments.add_account("person2@example.com", full_name="Late")
    await rig.pass_time(86_400, steps=8)
    last = news(rig).splitlines()[-1]
    assert ("3 paid ($6.00), 3 failed ($15.00), 0 pending" in last, "*don't send" in last) == (True, False)
    assert "3 paid, 3 failed." in card(rig)


async def test_one_that_failed_although_all_was_paid_says_not_to_pay_again(rig: Rig) -> None:
    rig.payments.switches.bulk_ends_failed = True
    await sent(rig, "person1@example.com,1.00")
    await run(rig)
    assert "1 paid ($1.00), 0 failed, 0 pending. Don't send it again." in news(rig)


async def test_one_that_failed_with_payments_of_unknown_end_keeps_them_apart(rig: Rig) -> None:
    """Neither list shows them: they are not failed, and nobody is told to pay them."""
    rig.payments.switches.bulk_breaks_after = rig.payments.switches.bulk_items_a_step = 3
    rig.payments.switches.bulk_hides_failed = True
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_bulk_failures", times=None))
    await sent(rig)
    await run(rig, steps=12)
    assert not lacking(
        news(rig), "2 paid ($4.00), 0 failed, 1 pending ($2.00), 3 in progress", "4 payments may still arrive"
    )
    assert not lacking(alerts(rig), "list of failures can't be read", "calls it finished, with 3 payments still open")


@pytest.mark.rig(on="both")
async def test_failures_list_fails_missing_items(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 3
    rig.payments.switches.bulk_hides_failed = True
    rig.payments.switches.bulk_failure_shape = "object"
    name = await sent(rig, SIX.replace("person2@", "person1@"))
    await run(rig)
    assert "4 paid ($12.00), 2 failed ($9.00), 0 pending" in news(rig)
    failed = await told(rig, f"bulk failed {name}")
    assert re.findall(r"row (\d) · .*refused the money \(PAYMENT_FAILED\)", failed) == ["3", "6"]
    assert not rig.workspace.messages(ALERTS)


@pytest.mark.parametrize("shape", ["reason", "failure_reason", "list", "other"])
async def test_failure_reasons_are_read_in_many_shapes(rig: Rig, shape: str) -> None:
    rig.payments.switches.bulk_fail_every = 6
    rig.payments.switches.bulk_failure_shape = shape  # type: ignore[assignment]
    name = await sent(rig, SIX.replace("person2@", "person1@"))
    await run(rig)
    why = "The recipient's account refused the money"
    words = {"list": f"{why} (PAYMENT_FAILED); {why}", "other": f"rejection: {why}"}.get(shape, why)
    [row] = (await told(rig, f"bulk failed {name}")).splitlines()[1:]
    assert row == f"• row 6 · person6@example.com · Person 6 · $6.00 · {words} · note row 6 · hash ······"
    await rig.settle()
    unread = (await answers.ask(rig, "unread", command="/switchboard", user=OLGA)).text
    assert ('error = "rejection"' in unread) is (shape == "other")


async def test_failed_row_that_is_paid_later_raises_an_alert(rig: Rig) -> None:
    name = await sent(rig, "person1@example.com,1.00\nperson2@example.com,2.00\nnobody@example.com,3.00")
    await run(rig, steps=3)
    [job] = rig.payments.bulk_payments
    for status in ("failed", "completed"):
        rig.payments.bulk.settle(job, job.items[1].hash, status, error="no account")
        await rig.pass_time(3 * 86_400, steps=16)
    assert "· $2.00 · failed ·" in (await told(rig, f"bulk items {name}")).splitlines()[2]
    assert "1 payment ended in two ways." in alerts(rig)
