"""What a bulk payment and its payments are told as: queued, failed as a whole, failed by a list of its own."""

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from tests.support import answers
from tests.support.bulk import approve, ask, reference, run
from tests.support.rig import ALERTS, APPROVALS, FINANCE, OLGA, Rig
from tests.support.shown import shown

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
async def test_what_the_service_has_received_is_queued(rig: Rig) -> None:
    rig.payments.switches.bulk_items_a_step = 2
    name = await sent(rig)
    for _ in range(2):
        await rig.payments.advance()
        await rig.pass_time(60, steps=2)
    assert card(rig) == snapshot("""Approved by <@U0ADA>. `███░░░░░░░░░░░░░░░░░ 16 %` 1 paid, 1 waiting for sign-up \
($2.00), 4 queued.""")
    assert await told(rig, f"bulk items {name}") == snapshot("""\
*Payments of L-······*: 6, page 1 of 1
• row 1 · person1@example.com · Person 1 · $1.00 · paid · note row 1 · hash ······
• row 2 · person2@example.com · $2.00 · waiting for sign-up · note row 2 · hash ······
• row 3 · person3@example.com · Person 3 · $3.00 · queued · note row 3 · hash ······
• row 4 · person4@example.com · Person 4 · $4.00 · queued · note row 4 · hash ······
• row 5 · person5@example.com · Person 5 · $5.00 · queued · note row 5 · hash ······
• row 6 · person6@example.com · Person 6 · $6.00 · queued · note row 6 · hash ······\
""")
    assert await told(rig, f"bulk cancel {name} 4") == snapshot(""":pencil2: Row 4 (person4@example.com) hasn't been \
processed yet, so it can't be canceled.""")


@pytest.mark.rig(on="both")
async def test_one_that_failed_as_a_whole_is_told_as_failed_with_its_reason_and_what_to_do(rig: Rig) -> None:
    rig.payments.switches.bulk_breaks_after = 3
    rig.payments.switches.bulk_items_a_step = 3
    name = await sent(rig)
    await run(rig)
    assert news(rig) == snapshot("""*Failed*: $21.00 · 6 payments to 6 people (L-······). Something went wrong \
processing the payments. 2 paid ($4.00), 3 failed ($15.00), 1 pending ($2.00). You can retry the 3 that failed. 1 \
payment may still arrive: *don't send it again*. Approved by Ada Okafor. <@U0MARIA>""")
    assert news(rig, APPROVALS) == ""
    assert card(rig) == snapshot("""\
Approved by <@U0ADA>. Something went wrong processing the payments.
`████████████████░░░░ 83 %` 2 paid, 3 failed, 1 waiting for sign-up ($2.00).
You can retry the 3 that failed. 1 payment may still arrive: *don't send it again*.\
""")
    assert (await told(rig, "bulk history")).splitlines()[1] == snapshot("""• <!date^1795165200^{date_short_pretty} \
{time}|2026-11-20 09:00 UTC> · L-······ · failed · 6 payments · 2 paid · 3 failed""")
    assert await told(rig, f"bulk failed {name}") == snapshot("""\
*Failed payments of L-······*: 3, page 1 of 1
• row 4 · person4@example.com · Person 4 · $4.00 · The bulk payment failed before this payment · note row 4 · hash \
······
• row 5 · person5@example.com · Person 5 · $5.00 · The bulk payment failed before this payment · note row 5 · hash \
······
• row 6 · person6@example.com · Person 6 · $6.00 · The bulk payment failed before this payment · note row 6 · hash \
······\
""")
    rig.payments.add_account("person2@example.com", full_name="Late")
    await rig.pass_time(86_400, steps=8)
    assert news(rig).partition("\n")[2] == snapshot("""*Failed*: $21.00 · 6 payments to 6 people (L-······). Something \
went wrong processing the payments. 3 paid ($6.00), 3 failed ($15.00), 0 pending. You can retry the 3 that failed. \
Approved by Ada Okafor. <@U0MARIA>""")
    assert card(rig) == snapshot("""\
Approved by <@U0ADA>. Something went wrong processing the payments.
`████████████████████ 100 %` 3 paid, 3 failed.
You can retry the 3 that failed.\
""")


async def test_one_that_failed_although_all_was_paid_says_not_to_pay_again(rig: Rig) -> None:
    rig.payments.switches.bulk_ends_failed = True
    await sent(rig, "person1@example.com,1.00")
    await run(rig)
    assert news(rig) == snapshot("""*Failed*: $1.00 · 1 payment to 1 person (L-······). Something went wrong \
processing the payments. 1 paid ($1.00), 0 failed, 0 pending. Don't send it again. Approved by Ada Okafor. \
<@U0MARIA>""")


async def test_one_that_failed_with_payments_of_unknown_end_keeps_them_apart(rig: Rig) -> None:
    """Neither list shows them: they are not failed, and nobody is told to pay them."""
    rig.payments.switches.bulk_breaks_after = rig.payments.switches.bulk_items_a_step = 3
    rig.payments.switches.bulk_hides_failed = True
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_bulk_failures", times=None))
    await sent(rig)
    await run(rig, steps=12)
    assert news(rig) == snapshot("""*Failed*: $21.00 · 6 payments to 6 people (L-······). Something went wrong \
processing the payments. 2 paid ($4.00), 0 failed, 1 pending ($2.00), 3 in progress. 4 payments may still arrive: \
*don't send them again*. Approved by Ada Okafor. <@U0MARIA>""")
    assert alerts(rig) == snapshot("""\
:rotating_light: *L-······* ($21.00 · 6 payments to 6 people, requested by Maria Silva) is done, but the provider's \
list of failures can't be read. We keep trying.
Payments is having problems.
:rotating_light: *L-······* ($21.00 · 6 payments to 6 people, requested by Maria Silva) has payments missing from the \
provider's list. Check the provider's dashboard.
The provider calls it finished, with 3 payments still open.\
""")


@pytest.mark.rig(on="both")
async def test_what_the_items_leave_out_is_failed_by_the_list_of_failures(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 3
    rig.payments.switches.bulk_hides_failed = True
    rig.payments.switches.bulk_failure_shape = "object"
    name = await sent(rig, SIX.replace("person2@", "person1@"))
    await run(rig)
    assert news(rig) == snapshot("""*4 paid, 2 failed* · $21.00 · 6 payments to 5 people (L-······). 4 paid ($12.00), \
2 failed ($9.00), 0 pending. Approved by Ada Okafor. <@U0MARIA>""")
    assert await told(rig, f"bulk failed {name}") == snapshot("""\
*Failed payments of L-······*: 2, page 1 of 1
• row 3 · person3@example.com · Person 3 · $3.00 · The recipient's account refused the money (PAYMENT_FAILED) · note \
row 3 · hash ······
• row 6 · person6@example.com · Person 6 · $6.00 · The recipient's account refused the money (PAYMENT_FAILED) · note \
row 6 · hash ······\
""")
    assert not rig.workspace.messages(ALERTS)


@pytest.mark.parametrize("shape", ["reason", "failure_reason", "list", "other"])
async def test_reasons_come_in_many_shapes_and_the_unreadable_are_kept_and_noted(rig: Rig, shape: str) -> None:
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


async def test_a_failed_payment_that_is_paid_after_all_is_an_alert_and_stays_failed_here(rig: Rig) -> None:
    name = await sent(rig, "person1@example.com,1.00\nperson2@example.com,2.00\nnobody@example.com,3.00")
    await run(rig, steps=3)
    [job] = rig.payments.bulk_payments
    for status in ("failed", "completed"):
        rig.payments.bulk.settle(job, job.items[1].hash, status, error="no account")
        await rig.pass_time(3 * 86_400, steps=16)
    assert (await told(rig, f"bulk items {name}")).splitlines()[2] == snapshot(
        "• row 2 · person2@example.com · $2.00 · failed · hash ······"
    )
    assert alerts(rig) == snapshot("""\
:rotating_light: *L-······* ($6.00 · 3 payments to 3 people, requested by Maria Silva) has two conflicting final \
statuses at the provider.
1 payment ended in two ways.\
""")
