"""A request made from another is held while that one isn't surely unpaid; an admin releases it, or it is ended."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, State
from bot.domain.policy import Repeat
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.workflows.requests.announce import note_paid
from tests.support.bulk import approve, ask, run
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, OLGA, Rig, offers
from tests.support.shown import shown
from tests.workflows.looking import actions, asked, disagreements, requests, there

pytestmark = pytest.mark.rig(on="both")


async def failed(rig: Rig, command: str = "send ana@example.com 25.00 rent") -> Instruction:
    await rig.pay(command)
    await rig.approve_and_fail("The bank is closed")
    return await last(rig)


async def last(rig: Rig) -> Instruction:
    """The latest request: they are made at different times."""
    return max(await requests(rig), key=lambda one: one.created_at)


async def again(rig: Rig) -> Instruction:
    news = next(one for one in reversed(rig.workspace.messages(FINANCE)) if "payout.again" in str(one.blocks))
    await rig.workspace.click(MARIA, FINANCE, news.ts, "payout.again")
    await rig.settle()
    return await last(rig)


async def edited(rig: Rig) -> Instruction:
    news = next(one for one in reversed(rig.workspace.messages(FINANCE)) if "payout.again" in str(one.blocks))
    await rig.workspace.click(MARIA, FINANCE, news.ts, "payout.resend")
    await rig.settle()
    await rig.submit(MARIA, {forms.EMAIL: "luis@example.com", forms.AMOUNT: "26.00", forms.DESCRIPTION: "edited"})
    return await last(rig)


def found(one: Instruction) -> list[tuple[object, ...]]:
    """What speaks against the requests that it was made from; statuses in our spelling."""
    if one.reason is None or not has_code(one.reason, OfRequest.EARLIER_NOT_UNPAID):
        return []
    every: Any = one.reason.facts["found"]
    return [(name, moved, status.casefold(), rows) for name, moved, status, rows in every]


@pytest.mark.parametrize("way", [again, edited])
@pytest.mark.parametrize("command", ["send", "now"])
@pytest.mark.parametrize(
    ("status", "held"),
    [("committed", True), ("pending", True), ("completed", True), ("failed", False), ("canceled", False)],
)
async def test_second_payout_is_held_unless_the_first_is_still_unpaid(
    rig: Rig, way: object, command: str, status: str, held: bool
) -> None:
    first = await failed(rig, f"{command} ana@example.com 25.00 rent")
    second = await (again(rig) if way is again else edited(rig))
    assert (second.payload.again_of, second.requirement.quorum) == (first.reference, 1)
    assert first.reference in (await rig.card()).text
    await rig.payments.settle(there(first.remote_id), status, force=True)
    await rig.press("approve")
    await rig.pass_time(300, steps=5)
    second = await last(rig)
    assert (second.state is State.APPROVED) is held
    assert found(second) == ([(first.reference, True, status, ())] if held else [])
    assert (second.commits == 0) is held
    assert len([one for one in rig.workspace.messages(ALERTS) if "may pay twice" in one.text]) == held


async def held(rig: Rig) -> tuple[Instruction, Instruction]:
    """A payout that failed and was paid after all, and the held one that was made from it."""
    first = await failed(rig)
    await again(rig)
    await rig.payments.settle(there(first.remote_id), "completed", force=True)
    await rig.press("approve")
    return first, await last(rig)


async def test_admin_releases_it_in_a_form_that_names_both(rig: Rig) -> None:
    first, second = await held(rig)
    for user in (ADA, LIN, MARIA):
        await rig.workspace.click(user, APPROVALS, (await rig.card()).ts, "payout.release")
        await rig.settle()
        assert rig.workspace.modal(user) is None
        assert "Only admins" in rig.workspace.ephemerals(user)[-1].text
    await rig.press("release", user=OLGA)
    assert shown(rig.form(OLGA)) == snapshot("""\
Release a payout
$25.00 to Ana Maria Lopez (ana@example.com) · P-······
Approved, not sent. Earlier requests:
$25.00 to Ana Maria Lopez (ana@example.com) · P-······, failed
:warning: The provider now lists P-······ as paid.
Reason
How do you know that both should be paid? Visible in the audit log.\
""")
    assert all(name in rig.form(OLGA).plain for name in (first.reference, second.reference))
    await rig.submit(OLGA, {forms.REASON: " "})
    assert (await last(rig)).state is State.APPROVED
    await rig.submit(OLGA, {forms.REASON: "Two invoices"})
    assert [one for one in await actions_of(rig, second) if one in ("held_back", "released", "send")] == [
        "held_back",
        "released",
        "send",
    ]
    assert (await last(rig)).state is State.COMMITTED
    assert await disagreements(rig) == ()


async def actions_of(rig: Rig, one: Instruction) -> list[str]:
    rows = await rig.switchboard.context.read(lambda uow: uow.audit.about(one.id))
    return [row.action for row in rows]


async def test_admin_never_releases_their_own_request(rig: Rig) -> None:
    policy = rig.policy_text.replace('admins = ["U0OLGA"]', 'admins = ["U0OLGA", "U0MARIA"]')
    rig.settings.policy_file.write_text(policy)
    await rig.start_again()
    await held(rig)
    await rig.workspace.click(MARIA, APPROVALS, (await rig.card()).ts, "payout.release")
    await rig.settle()
    assert rig.workspace.modal(MARIA) is None
    await rig.pass_time(120, steps=2)
    assert (await last(rig)).commits == 0


async def test_paid_admin_cannot_release_the_request(rig: Rig) -> None:
    await held(rig)
    card = await rig.card()
    await rig.workspace.click(OLGA, APPROVALS, card.ts, "payout.release")
    await rig.settle()
    rig.workspace.set_user(OLGA, email="Ana@Example.com")
    await rig.pass_time(61)
    await rig.submit(OLGA, {forms.REASON: "Both are owed"})
    await rig.pass_time(120, steps=2)
    assert (await last(rig)).commits == 0


async def test_changed_earlier_payment_stays_held(rig: Rig) -> None:
    first, _ = await held(rig)
    await rig.payments.settle(there(first.remote_id), "failed", force=True)
    await rig.pass_time(600, steps=5)
    assert found(await last(rig)) == [(first.reference, True, "completed", ())]
    await rig.pass_time(3_600, steps=4)
    assert ((await last(rig)).state, asked(rig, "commit_payout")) == (State.EXPIRED, 1)


async def test_held_request_is_ended_by_withdrawing_it(rig: Rig) -> None:
    await held(rig)
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert (await last(rig)).state is State.WITHDRAWN
    assert not offers(rig.cards()[-1], "payout.release")


async def test_release_covers_only_what_the_admin_saw(rig: Rig) -> None:
    first = await failed(rig)
    second = await again(rig)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="get_operation", times=None))
    await rig.press("approve")
    rig.payments.faults.clear()
    await rig.payments.settle(there(first.remote_id), "completed", force=True)
    unread = Reason(OfRequest.EARLIER_NOT_UNPAID, found=[(first.reference, False, "", ())])
    context = rig.switchboard.context

    def plant(uow: object) -> None:
        uow.instructions.touch(uow.instructions.get(second.id), show=True, reason=unread, due_at=None)  # type: ignore[attr-defined]

    await context.write(plant)
    await rig.settle()
    await rig.press("release", user=OLGA)
    await rig.submit(OLGA, {forms.REASON: "Not paid"})
    await rig.pass_time(60)
    assert found(await last(rig)) == [(first.reference, True, "completed", ())]
    assert (await last(rig)).commits == 0


async def test_every_request_of_a_chain_is_read(rig: Rig) -> None:
    first = await failed(rig)
    await again(rig)
    await rig.approve_and_fail("The bank is closed")
    second = await last(rig)
    await again(rig)
    await rig.payments.settle(there(first.remote_id), "committed", force=True)
    await rig.press("approve")
    third = await last(rig)
    assert third.payload.again_of == second.reference
    assert found(third) == [(first.reference, True, "committed", ())]


async def test_alert_that_the_first_reads_as_paid_holds_it_whatever_is_read(rig: Rig) -> None:
    first = await failed(rig)
    await again(rig)
    paid = Reason(OfRequest.SAYS, status="completed")
    await rig.switchboard.context.write(lambda uow: note_paid(uow, first, paid))
    await rig.press("approve")
    assert found(await last(rig)) == [(first.reference, True, "", ())]


@pytest.mark.parametrize("kind", [FaultKind.ERROR_500, FaultKind.REFUSED])
async def test_without_an_answer_about_the_first_it_waits_and_then_is_held(rig: Rig, kind: FaultKind) -> None:
    first = await failed(rig, "now ana@example.com 25.00 rent")
    await again(rig)
    rig.payments.faults.arm(Fault(kind, operation="get_operation", times=None))
    await rig.press("approve")
    await rig.pass_time(300, steps=10)
    assert found(await last(rig)) == [(first.reference, False, "", ())]
    rig.payments.faults.clear()
    await rig.pass_time(120, steps=2)
    assert (await last(rig)).commits == 1, "the first is read again, and unpaid"


@pytest.mark.parametrize("command", ["send", "now"])
async def test_refused_booking_can_be_edited_and_sent(rig: Rig, command: str) -> None:
    operation = "create_payout" if command == "send" else "one_step_payout"
    rig.payments.faults.arm(Fault(FaultKind.REFUSED, operation=operation))
    await rig.pay(f"{command} ana@example.com 25.00 rent")
    if command == "now":
        await rig.press("approve")
    await rig.pass_time(1_800, steps=30)
    assert (await last(rig)).state is State.REFUSED
    await edited(rig)
    await rig.press("approve")
    assert (await last(rig)).state is State.COMMITTED


@pytest.mark.parametrize("first_in", ["a payout", "a list"])
@pytest.mark.parametrize("second_in", ["a payout", "a list"])
@pytest.mark.parametrize("turned", [True, False])
async def test_same_payment_is_held_if_failed_one_is_paid(
    rig: Rig, first_in: str, second_in: str, turned: bool
) -> None:
    async def request(where: str, note: str) -> None:
        if where == "a list":
            await ask(rig, f"ana@example.com,25.00,{note}")
        else:
            await rig.pay(f"send ana@example.com 25.00 {note}")

    rig.payments.switches.bulk_fail_every = 1
    await request(first_in, "rent")
    await rig.approve_and_fail("The bank is closed") if first_in == "a payout" else await approve(rig)
    await run(rig)
    first = await last(rig)
    assert first.state is State.FAILED
    rig.payments.switches.bulk_fail_every = 0
    rig.clock.advance(3_600)
    await request(second_in, "rent again")
    assert ((await last(rig)).payload.again_of, (await last(rig)).requirement.quorum) == ("", 1)
    if turned and first_in == "a payout":
        rig.payments.operations[there(first.remote_id)].status = "completed"  # no callback tells
    elif turned:
        rig.payments.bulk_payments[0].items[0].status = "completed"
    await rig.press("approve")
    await rig.pass_time(120, steps=2)
    second = await last(rig)
    status, rows = ("", (1,)) if first_in == "a list" else ("completed", ())
    assert found(second) == ([(first.reference, True, status, rows)] if turned else [])
    assert (second.commits == 0) is turned


SIX = "\n".join(f"person{n}@example.com,{n}.00,row {n}" for n in range(1, 7))


async def retried(rig: Rig) -> Instruction:
    """A bulk payment of which each third failed and is retried."""
    rig.add_payees(*(f"person{n}@example.com" for n in range(1, 7)))
    rig.payments.switches.bulk_fail_every = 3
    await ask(rig, SIX)
    await approve(rig)
    await run(rig)
    rig.payments.switches.bulk_fail_every = 0
    first = await last(rig)
    rig.clock.advance(1)
    card = rig.cards(FINANCE)[-1]
    await rig.workspace.click(MARIA, FINANCE, card.ts, "bulk.again", value=card.button("bulk.again").value)
    await rig.settle()
    return first


@pytest.mark.parametrize(("status", "moved"), [("completed", True), ("pending", True), ("committed", False)])
async def test_list_is_held_while_one_of_its_rows_is_not_surely_unpaid(rig: Rig, status: str, moved: bool) -> None:
    first = await retried(rig)
    [job] = rig.payments.bulk_payments
    job.items[2].status = status
    await approve(rig)
    await rig.pass_time(120, steps=2)
    assert found(await last(rig)) == [(first.reference, moved, "", (3,))]
    assert len(rig.payments.bulk_payments) == 1
    assert f"row 3 of {first.reference}" in (await rig.card()).plain
    await rig.press("release", user=OLGA)
    await rig.submit(OLGA, {forms.REASON: "Both are owed"})
    await rig.pass_time(60)
    assert len(rig.payments.bulk_payments) == 2
    assert "released" in await actions(rig)


@pytest.mark.parametrize("is_list", [False, True])
async def test_payment_found_paid_at_claim_needs_a_new_request(rig: Rig, *, is_list: bool) -> None:
    if is_list:
        first = await retried(rig)
        rig.payments.bulk_payments[0].items[2].status = "completed"
    else:
        rig.add_payees("person3@example.com", "person6@example.com")
        first = await failed(rig, "send person3@example.com 3.00 rent")
        await again(rig)
        rig.payments.operations[there(first.remote_id)].status = "completed"  # the callback was lost
    await approve(rig)
    await rig.pass_time(120, steps=2)
    assert found(await last(rig)), "held"
    await rig.press("withdraw", user=MARIA)
    rows = (3,) if is_list else ()
    await rig.pay("send person3@example.com 3.00 rent")
    alone = (await last(rig)).requirement
    expected = Repeat(reference=first.reference, theirs=rows)
    assert (alone.quorum, alone.repeats) == (2, (expected,))
    await ask(rig, "person3@example.com,3.00\nperson6@example.com,6.00")
    listed = (await last(rig)).requirement.repeats
    assert Repeat(reference=first.reference, rows=(1,), count=1, theirs=rows) in listed
