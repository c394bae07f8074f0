from datetime import timedelta

from inline_snapshot import snapshot

from bot.domain.approvals import No, Refusal
from bot.domain.overview import WaitingRequest
from bot.domain.payments.instruction import FINAL, State
from bot.domain.policy import Requirement
from bot.presentation import answers
from bot.presentation.payments import answers as payment_answers
from tests.domain.made import NOW, instruction, payload, vote
from tests.presentation.checks import check_message, lines_of, seen


def test_rate_limited_person_gets_a_wait_in_whole_seconds() -> None:
    named = [answers.too_many(wait).text.partition("Try again in ")[2].partition(" s.")[0] for wait in (0, 0.1, 1, 1.1)]
    assert named == ["1", "1", "1", "2"]


IN_FLOWS = {
    *(No.GUEST, No.GONE, No.NOT_REQUESTER, No.NOT_APPROVER, No.OWN_REQUEST, No.OWN_PAYMENT, No.NO_ROLE),
    *(No.NOT_IN_CHARGE, No.NOT_ADMIN, Refusal.STALE, Refusal.NOT_ASKED, Refusal.NOT_REQUESTED),
}
"""Quoted in tests/flow, where people are refused so."""


def test_every_refusal_has_a_sentence() -> None:
    found = {refusal: payment_answers.refused(refusal, instruction()) for refusal in (*No, *Refusal)}
    for content in found.values():
        check_message(content)
    assert lines_of({one.value: found[one].text for one in found if one not in IN_FLOWS}) == snapshot("""\
unknown: :no_entry_sign: Slack couldn't say who you are, so nothing was done.
elsewhere: :no_entry_sign: Only members of this workspace can do this.
bot: :no_entry_sign: Bots can't do this.
may_not_freeze: :no_entry_sign: Only approvers and admins can freeze payments.
may_not_unfreeze: :no_entry_sign: Only approvers can unfreeze payments.
decided: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is now *waiting for approval*.
repeated: :no_entry_sign: You've already approved this.
expired: :no_entry_sign: This request has expired. Send it again. Nothing was paid.
wrong_amount: :no_entry_sign: That doesn't match the amount on the card.
unconfirmed: :no_entry_sign: Press *Approve* again: its form shows what to check first.
not_yours: :no_entry_sign: Only the requester or an admin can withdraw this.
no_reason: :no_entry_sign: Give a reason: someone else requested this.
too_late: :no_entry_sign: It's too late to withdraw this. Its status: *waiting for approval*.
suspect: :no_entry_sign: The provider may already have this payment. Check the id on the card first. If it's another \
one, close this as not paid and send a new request.
too_early: :no_entry_sign: This is being created. You can withdraw it when it waits for approval.
disagrees: :no_entry_sign: On hold: the database and the audit log disagree about this request. An admin has been told.
restored: :no_entry_sign: Not possible while payments are frozen: an operator has to run `switchboard resume` first.
held: :no_entry_sign: Not approved: the requester may no longer request payments. The card shows what you can do.\
""")


def test_late_decision_names_the_earlier_decider() -> None:
    found = {}
    for state in (State.APPROVED, State.SENDING, State.COMMITTED, State.COMPLETED, State.REJECTED, State.WITHDRAWN):
        one = instruction(state=state, decided_by="U0LIN", closed_at=NOW if state in FINAL else None)
        found[state] = seen(payment_answers.refused(Refusal.DECIDED, one))
    one = instruction(state=State.EXPIRED)
    found[State.EXPIRED] = seen(payment_answers.refused(Refusal.DECIDED, one))
    assert lines_of(found) == snapshot("""\
approved: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is now *approved* by <@U0LIN>.
sending: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is now *sending*, approved by <@U0LIN>.
committed: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is now *sent*, approved by <@U0LIN>.
completed: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is already *paid*, approved by <@U0LIN> at \
2026-11-20 09:00 UTC.
rejected: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is already *rejected* by <@U0LIN> at 2026-11-20 \
09:00 UTC.
withdrawn: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is already *withdrawn* by <@U0LIN> at 2026-11-20 \
09:00 UTC.
expired: :information_source: $25.00 to Ana Maria Lopez (P-4F7K2M) is already *expired*.\
""")


def test_requester_learns_the_quorum_and_where_news_appear() -> None:
    needs = Requirement(quorum=2, typed_amount=True, reasons=("over $1,000.00",))
    found = {
        "a member": payment_answers.requested(instruction(requirement=needs), member=True),
        "no member: with the rule and the way to invite it": payment_answers.requested(instruction(), member=False),
        "direct messages of others: nobody is invited": payment_answers.requested(
            instruction(origin_channel="D0OTHERS"), member=False
        ),
    }
    assert lines_of({name: content.text for name, content in found.items()}) == snapshot("""\
a member: :memo: Request sent: $25.00 to Ana Maria Lopez (ana@example.com). Needs 2 approvers because it's over \
$1,000. Each types the amount · P-4F7K2M
no member: with the rule and the way to invite it: :memo: Request sent: $25.00 to Ana Maria Lopez (ana@example.com). \
Needs 1 approval · P-4F7K2M ⏎ I'm not in <#C0FINANCE>, so I'll message you. To add me: `/invite @Switchboard`
direct messages of others: nobody is invited: :memo: Request sent: $25.00 to Ana Maria Lopez (ana@example.com). Needs \
1 approval · P-4F7K2M ⏎ I'm not in this conversation, so I'll message you.\
""")


def test_waiting_work_lists_the_readers_own_first() -> None:
    one = instruction(expires_at=NOW + timedelta(days=1))
    other = instruction(reference="P-222222", payload=payload(description="Tom & Ana's <dinner>"), requester="U0TOM")
    content = payment_answers.waiting([WaitingRequest(one, [vote("U0LIN")], True), WaitingRequest(other, [], False)])
    check_message(content)
    assert seen(content) == snapshot("""\
*1 needs you.* 1 more waits for others.
:point_right: *$25.00 to Ana Maria Lopez* · 1 of 1 approvals · approved by <@U0LIN> · expires 2026-11-21 09:00 UTC · \
requested by <@U0MARIA> · P-4F7K2M
For: March translation
[Approve] [Reject]
:hourglass_flowing_sand: *$25.00 to Ana Maria Lopez* · 0 of 1 approvals · requested by <@U0TOM> · P-222222
For: Tom & Ana's <dinner>\
""")


def test_long_list_says_how_many_more_there_are() -> None:
    content = payment_answers.waiting([WaitingRequest(instruction(), [], True)] * 20)
    assert (content.text.splitlines()[-1], seen(content).splitlines()[-1]) == ("and 5 more", "and 5 more")
    assert len(content.blocks) <= 50


def test_other_troubles_have_their_words() -> None:
    told = (
        answers.try_again("The database is busy."),
        answers.uncertain("/sb-pay", slow=True),
        answers.broken("deadbeef"),
        answers.unknown_command("/x<!here>"),
    )
    assert lines_of([one.text for one in told]) == snapshot("""\
:warning: The database is busy. Nothing was done. Try again in a moment.
:snail: This is taking long and may still go through. Check the card or `/sb-pay approvals` before you repeat it.
:boom: Something went wrong on our side. If it happens again, tell an admin this number: `deadbeef`
:question: `/x&lt;!here&gt;` isn't a Switchboard command.\
""")
