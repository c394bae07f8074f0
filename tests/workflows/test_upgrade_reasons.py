"""A database of version 0019, whose reasons are sentences, goes on: what they decided, they go on deciding.

The newer versions store a reason as a value. What an older one wrote is shown as it was.
"""

import re
from collections import Counter
from functools import partial

import pytest
from sqlalchemy import text

from bot.domain.bookings.booking import Stage
from bot.domain.bookings.record import StoreState
from bot.domain.emails.lists import RunState
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.reasons import OfRequest, Verbatim, has_code
from bot.domain.references import derived_key
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.ledger import EntryKind
from bot.playground.workspace import Message
from bot.presentation.payments import forms
from bot.presentation.reasons import worded
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.deliveries import service_of
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, SECRET_KEY, TOM, Rig
from tests.support.rows import audit_rows, jobs_of, verify
from tests.support.then import DATABASES, laid_out, open_then
from tests.workflows.looking import disagreements, heard, read, requests, there
from tests.workflows.restoring import looked, mode, resumed

EVERYTHING, READING_ONLY = "0019", "0019-reading-only"
EFFECTS = ("commit_payout", "one_step_payout", "create_bulk_payment", "cancel_bulk_items")


def opened(name: str) -> pytest.MarkDecorator:
    return pytest.mark.rig(opened_by=partial(open_then, name=name))


pytestmark = opened(EVERYTHING)


@pytest.fixture(params=DATABASES)
def rig_url(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    nearest = next(request.node.iter_markers("rig"))
    return laid_out(request, nearest.kwargs["opened_by"].keywords["name"], monkeypatch)


async def about(rig: Rig, purpose: str) -> Instruction:
    (found,) = [one for one in await requests(rig) if one.payload.canonical().get("description") == purpose]
    return found


async def bulk(rig: Rig) -> list[Instruction]:
    """The bulk payments: in escrow, under way, one whose answer was lost, one that waits for it."""
    return [one for one in await requests(rig) if one.kind is Kind.BULK]


async def states(rig: Rig, *purposes: str) -> list[State]:
    return [(await about(rig, purpose)).state for purpose in purposes]


def messages(rig: Rig) -> list[Message]:
    channels = [one.id for one in rig.workspace._state.directory.channels.values()]
    return [one for channel in channels for one in rig.workspace.messages(channel) if not one.ephemeral_to]


async def press(rig: Rig, action: str, purpose: str, *, user: str = ADA, amount: str = "") -> None:
    (card,) = [one for one in rig.cards(APPROVALS) if f"{purpose}@example.com" in one.text]
    await rig.workspace.click(user, APPROVALS, card.ts, f"payout.{action}")
    if amount:
        await rig.workspace.submit(user, {forms.AMOUNT: amount})
    await rig.settle()


def sent(rig: Rig) -> dict[str, int]:
    found = {name: len(rig.payments.calls_of(name)) for name in EFFECTS}
    return {name: count for name, count in found.items() if count}


def payments(rig: Rig) -> Counter[tuple[str, int]]:
    return Counter((one.email, one.cents) for one in rig.payments.ledger.entries if one.kind is EntryKind.PAYOUT)


def named(shown: str) -> set[str]:
    """The addresses and references in a message."""
    return set(re.findall(r"[\w.]+@example\.com|\b[BCLPVX]-[0-9A-Z]{6}\b", shown))


async def test_every_card_can_be_drawn_and_reasons_are_kept_as_they_were_stored(rig: Rig) -> None:
    ctx = rig.switchboard.context
    boards = await read(
        rig, lambda tx: [tx.boards.get(row[0]) for row in tx._connection.execute(text("SELECT subject FROM board"))]
    )
    bulks, drawn = {one.id for one in await bulk(rig)}, 0
    for board in boards:
        assert board is not None
        if board.wanted_version > board.shown_version:
            continue  # it did not say yet what it should
        kind, _, id_ = board.subject.partition(":")
        content = there(await ctx.subjects[kind].board(ctx, id_))
        before = named(rig.workspace.message(board.channel, board.ts).text)
        if id_.partition(":")[0] in bulks:
            before = {one for one in before if "@" not in one}  # its file lists them
            assert before, "a bulk payment says which it is"
        assert named(content.text) >= before
        assert ".*." not in content.text, "one full stop, also after bold words"
        drawn += 1
    assert drawn == 42
    kept = [one.reason for one in await requests(rig) if one.reason is not None]
    assert {reason.code for reason in kept} == {Verbatim.AS_STORED}
    assert len(kept) == 13


async def test_the_time_to_send_ends_as_it_would_have(rig: Rig) -> None:
    """What waited because of the service is said to have waited for it; what waited for another one is said so."""
    rig.payments.faults.arm(Fault(FaultKind.LOST, "*", times=None))
    await rig.pass_time(HOUR)
    late = "it wasn't sent in time after approval: the payments service "
    said = {purpose: worded((await about(rig, purpose)).reason) for purpose in ("silent", "answered")}
    assert said["silent"] == f"{late}has not answered since 2026-11-20 09:05 UTC, so nothing was sent"
    assert said["answered"] == f"{late}answered 500, saying “Internal server error”"
    *_, waited = await bulk(rig)
    assert worded(waited.reason) == "another bulk payment is being submitted"
    assert {waited.state, *await states(rig, "silent", "answered")} == {State.EXPIRED}
    assert not sent(rig)


async def test_what_was_held_is_held_until_what_held_it_is_over(rig: Rig) -> None:
    """While Slack does not say who asked, what was stored then holds: approvers are not reminded of it."""
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "users.info", times=None))
    await rig.pass_time(4 * HOUR, steps=4)
    reminders = [one.text for one in rig.workspace.messages(APPROVALS) if one.text.startswith(":bell:")]
    assert len([one for one in reminders if (await about(rig, "awaiting")).reference in one]) == 1
    assert not [one for one in reminders if (await about(rig, "held")).reference in one]
    assert has_code((await about(rig, "held")).reason, OfRequest.HELD)
    rig.workspace.faults.clear()
    rig.workspace.set_user(TOM, restricted=False)
    await rig.pass_time(4 * HOUR, steps=4)
    assert (await about(rig, "held")).reason is None
    assert await states(rig, "held") == [State.AWAITING], "it is approved anew"


async def test_what_was_on_hold_goes_on_when_it_agrees_again(rig: Rig) -> None:
    (found,) = await disagreements(rig)
    assert "an approval has no audit entry" in found
    await forget_the_forged_vote(rig)
    await rig.pass_time(HOUR + MINUTE)
    assert (await about(rig, "odd")).reason is None
    (card,) = [one for one in rig.cards(APPROVALS) if "odd@example.com" in one.text]
    assert "on hold" not in card.text.casefold()
    await press(rig, "approve", "odd")
    assert await states(rig, "odd") == [State.COMMITTED]


async def forget_the_forged_vote(rig: Rig) -> None:
    """Somebody had written it into the database."""
    odd = await about(rig, "odd")
    forged = text("DELETE FROM vote WHERE instruction_id = :id AND person = :person")
    await rig.switchboard.context.store.write(lambda tx: tx._connection.execute(forged, {"id": odd.id, "person": LIN}))
    assert await disagreements(rig) == ()


async def test_everything_that_was_under_way_comes_to_its_end_once(rig: Rig) -> None:
    before, paid = messages(rig), payments(rig)
    await a_silent_service_is_sent_nothing(rig)
    assert payments(rig) == paid
    await one_bulk_payment_waits_for_the_other(rig)
    await rig.pass_time(QUIET + 5 * MINUTE, steps=20)
    await what_was_sent_then_is_taken_in(rig)
    await deliveries_go_on(rig)
    await lists_and_calls_go_on(rig, [one for one in messages(rig) if one not in before])
    await people_decide_on_the_rest(rig)
    await one_on_hold_is_not_decided_on(rig)
    await everything_ends(rig)
    assert payments(rig) == paid + Counter(
        {("ana@example.com", cents): 1 for cents in (350, 450, 550)}
        | {("luis@example.com", cents): 1 for cents in (500, 600, 300, 400)}
        | {(f"{name}@example.com", cents): 1 for name, cents in NEWLY_PAID.items()}
    )
    assert sent(rig) == {"commit_payout": len(NEWLY_PAID), "create_bulk_payment": 1, "cancel_bulk_items": 1}
    new = [(one.channel, one.thread_ts, one.text) for one in messages(rig)]
    assert [one for one, count in Counter(new).items() if one[2] and count > 1] == []
    assert {(one.channel, one.ts) for one in before} <= {(one.channel, one.ts) for one in messages(rig)}
    assert await read(rig, lambda tx: tx.queues.waiting(rig.clock.now())["messages"].rows) == 0
    assert await disagreements(rig) == ()
    rows = await read(rig, audit_rows)
    assert verify(key=derived_key(SECRET_KEY, "audit"), rows=rows).bad_seq is None


NEWLY_PAID = {"silent": 2_800, "answered": 2_900, "undone": 3_100, "awaiting": 200_000, "held": 2_600, "odd": 2_700}


async def a_silent_service_is_sent_nothing(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, "*", times=None))
    await rig.pass_time(MINUTE, steps=4)
    assert not sent(rig)
    assert await states(rig, "silent", "answered") == [State.APPROVED] * 2
    assert has_code((await about(rig, "silent")).reason, OfRequest.UNANSWERED)
    rig.payments.faults.clear()


async def one_bulk_payment_waits_for_the_other(rig: Rig) -> None:
    """While the history of bulk payments cannot be read; everything else goes on when the service answers."""
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_bulk_payments", times=None))
    await rig.pass_time(2 * MINUTE, steps=8)
    assert await states(rig, "silent", "answered") == [State.COMMITTED] * 2
    assert [one.state for one in await bulk(rig)][2:] == [State.COMMIT_UNKNOWN, State.APPROVED]
    assert "create_bulk_payment" not in sent(rig)
    rig.payments.faults.clear()


async def what_was_sent_then_is_taken_in(rig: Rig) -> None:
    """A refusal that no list contradicts is one; what was not done is asked about, with what the service had said."""
    assert await states(rig, "lost", "untold", "refused", "silent", "answered") == [State.COMMITTED] * 5
    assert await states(rig, "vanished", "undone") == [State.REFUSED, State.NEEDS_HUMAN]
    assert worded((await about(rig, "undone")).reason) == (
        "the provider gave answer 500, saying “Internal server error”, and now the provider still lists it as not sent"
    )
    (told,) = [
        one.text
        for one in messages(rig)
        if one.channel == FINANCE and "$32.00" in one.text and one.thread_ts and "*Failed*" in one.text
    ]
    assert "The provider declined it. Nothing was paid." in told
    assert "“The request is not valid; request: was refused”" in worded((await about(rig, "vanished")).reason)
    assert [one.state for one in await bulk(rig)] == [State.COMPLETED, *[State.COMMITTED] * 3]
    assert len(rig.payments.bulk_payments) == 4
    untold = [one.text for one in messages(rig) if "*Not confirmed yet*" in one.text and "$30.00" in one.text]
    assert len(untold) == 2
    assert all("*Don't send it again.* <@U0MARIA>" in one for one in untold)
    news = [one.text for one in messages(rig) if "*Rejected*" in one.text and "$12.00" in one.text]
    assert len(news) == 2
    assert all(": “no, ＿not＿ this one”." in one for one in news)


async def deliveries_go_on(rig: Rig) -> None:
    """One was looked for and found, one was sent when the service had asked to; the store was made once."""
    service = service_of(rig)
    assert (len(service.bookings), len(service.calls_of("create_booking")), len(service.calls_of("create_store"))) == (
        3,
        1,
        0,
    )
    held = await read(rig, lambda tx: tx.bookings.open(limit=9))
    assert [(one.stage, one.reason) for one in held] == [(Stage.OPEN, None)] * 3
    stores = await read(rig, lambda tx: {one.name: one.state for one in tx.stores.all()})
    assert stores == {"Centro": StoreState.READY, "Harbour": StoreState.READY}
    assert len(service.stores) == 2


async def lists_and_calls_go_on(rig: Rig, new: list[Message]) -> None:
    """Of the half list two were on their way; those that had failed are in its result, as it was said then."""
    assert set(rig.emails.asked) == {f"half{n}@example.com" for n in range(4, 8)}
    assert set(rig.emails.asked.values()) == {1}
    (result,) = [one for one in new if "6 of 8 addresses checked (8 rows)" in one.text]
    (file,) = [found for one in result.files if (found := rig.workspace.file(one)) is not None]
    assert file.content.decode().count("asked 3 times: it answered 500") == 2
    (paused,) = [one for one in rig.workspace.messages(FINANCE) if one.text.startswith("*Process e-mails: paused.csv*")]
    assert "Paused" in paused.text
    await rig.workspace.click(MARIA, FINANCE, paused.ts, "email.resume")
    await rig.settle()
    jobs = await read(rig, lambda tx: list(jobs_of(tx, MARIA)))
    assert [one.state for one in jobs if one.kind == "email.run"] == [RunState.DONE] * 2
    assert Counter(one.state for one in jobs if one.kind != "email.run") == {
        "failed": 1,
        "unknown": 1,
        "interrupted": 1,
    }
    assert len([one for one in new if "Interrupted by a restart" in one.text]) == 1
    assert not rig.localization.calls


async def people_decide_on_the_rest(rig: Rig) -> None:
    """One more approval is enough; a new attempt is made once; who may not ask is held until they may again."""
    await press(rig, "approve", "awaiting", user=LIN, amount="2000.00")
    await press(rig, "retry", "undone", user=LIN, amount="31.00")
    assert await states(rig, "awaiting", "undone") == [State.COMMITTED] * 2
    await press(rig, "approve", "held")
    await heard(rig, ADA, "Not approved: the requester")
    assert await states(rig, "held") == [State.AWAITING]
    alerts = [one for one in rig.workspace.messages(ALERTS) if "held@example.com" in one.text]
    assert len(alerts) == 1, "it was told then"
    rig.workspace.set_user(TOM, restricted=False)
    await rig.pass_time(61)
    await press(rig, "approve", "held")
    assert await states(rig, "held") == [State.COMMITTED]


async def one_on_hold_is_not_decided_on(rig: Rig) -> None:
    (alert,) = [one.text for one in rig.workspace.messages(ALERTS) if "odd@example.com" in one.text]
    assert "\nOn hold, as the database and the audit disagree: an approval was never given." in alert
    await press(rig, "approve", "odd")
    assert await states(rig, "odd") == [State.AWAITING]
    await forget_the_forged_vote(rig)
    await press(rig, "approve", "odd")
    assert await states(rig, "odd") == [State.COMMITTED]


async def everything_ends(rig: Rig) -> None:
    (purchase,) = [one for one in rig.payments.operations.values() if one.operation_type == "purchase"]
    await rig.payments.settle(purchase.id, "confirmed")
    for _ in range(7):
        await rig.payments.advance()
        service_of(rig).advance()
        await rig.pass_time(2 * MINUTE, steps=4)
    await rig.pass_time(2 * HOUR, steps=4)
    ends = Counter(one.state for one in await requests(rig))
    assert ends == {State.COMPLETED: 15, State.REJECTED: 1, State.REFUSED: 1}
    assert not await read(rig, lambda tx: tx.bookings.open(limit=9))


@opened(READING_ONLY)
async def test_what_was_held_as_the_database_was_put_back_goes_on_once_an_operator_says_so(rig: Rig) -> None:
    paid = payments(rig)
    (card,) = [one for one in rig.cards(APPROVALS) if "waits@example.com" in one.text]
    assert "Held: the database may be older than the services" in card.text
    assert await mode(rig) is not None
    assert [worded(one.reason) for one in await looked(rig)] == [
        "it is created there, and not committed",
        "the service says sent",
    ]
    assert await resumed(rig, forced=True) == []
    await rig.settle()
    assert (await about(rig, "waits")).reason is None
    assert "Held" not in rig.workspace.message(APPROVALS, card.ts).text
    await press(rig, "approve", "waits")
    await rig.payments.advance()
    await rig.pass_time(2 * MINUTE, steps=4)
    assert await states(rig, "waits", "paid") == [State.COMPLETED] * 2
    assert payments(rig) == paid + Counter({("waits@example.com", 2_100): 1})
    assert await disagreements(rig) == ()


@opened(READING_ONLY)
async def test_it_goes_on_reading_only_and_looking(rig: Rig) -> None:
    await press(rig, "approve", "waits")
    await rig.pass_time(QUIET + 5 * MINUTE, steps=4)
    assert not sent(rig)
    assert await states(rig, "waits", "paid") == [State.APPROVED, State.COMMITTED]
    assert await resumed(rig) == [(await about(rig, "waits")).reference], "it has to be approved again"
    assert await states(rig, "waits") == [State.AWAITING]
