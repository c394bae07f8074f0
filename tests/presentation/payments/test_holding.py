"""Why requests wait or are on hold, in words."""

from inline_snapshot import snapshot

from bot.domain.approvals import No, Void
from bot.domain.errors import ServiceNow
from bot.domain.payments.sealed import Odd
from bot.domain.reasons import Exchange, OfRequest, Reason, has_code
from bot.domain.troubles import answered
from bot.presentation.reasons import worded
from bot.workflows.requests.attempt import not_what_it_said
from tests.presentation.checks import alike, lines_of


def held(no: No, *, sent_before: bool) -> str:
    return worded(Reason(OfRequest.HELD, no=no.value, sent_before=sent_before))


def asked_again(void: set[No | Void], missing: int) -> str:
    return worded(Reason(OfRequest.VOTES_VOID, void=sorted(why.value for why in void), missing=missing))


def test_why_somebody_may_no_longer_ask_and_what_can_be_done() -> None:
    assert lines_of(alike({no: held(no, sent_before=False).partition(". ")[0] for no in No})) == snapshot("""\
unknown: on hold, because Slack no longer knows the requester
elsewhere: on hold, because the requester belongs to another workspace
guest: on hold, because the requester is a guest now
bot: on hold, because the requester is a bot
gone: on hold, because the requester's account is deactivated
not_requester, not_approver, own_request, own_payment, no_role, not_in_charge, may_not_freeze, may_not_unfreeze, \
not_admin: on hold, because the requester may no longer request payments\
""")
    assert held(No.GONE, sent_before=False).partition(". ")[2] == snapshot("""\
An admin can withdraw it; once the requester may request again, it needs new approvals""")
    assert held(No.GONE, sent_before=True).partition(". ")[2] == snapshot("""\
Approvers can close it once they know its outcome; once the requester may request again, it needs new approvals""")


def test_why_votes_no_longer_suffice() -> None:
    assert lines_of(alike({no: asked_again({no}, 1) for no in (*No, *Void)})) == snapshot("""\
unknown: 1 more approval needed: Slack no longer knows an approver
elsewhere: 1 more approval needed: an approver belongs to another workspace
guest: 1 more approval needed: an approver is a guest now
bot: 1 more approval needed: an approver is a bot
gone: 1 more approval needed: an approver's account is deactivated
not_requester, no_role, not_in_charge, may_not_freeze, may_not_unfreeze, not_admin: 1 more approval needed: an \
approval no longer counts
not_approver: 1 more approval needed: an approver was removed
own_request: 1 more approval needed: the requester's approval doesn't count
own_payment: 1 more approval needed: the recipient's approval doesn't count
untyped: 1 more approval needed: the policy now needs the amount typed
too_old: 1 more approval needed: an approval expired
fewer: 1 more approval needed: fewer people can approve it now""")
    assert asked_again({No.GONE, No.GUEST, Void.TOO_OLD, Void.UNTYPED}, 2) == snapshot("""\
2 more approvals needed: an approval expired, an approver is a guest now, an approver's account is deactivated, and \
the policy now needs the amount typed""")
    assert asked_again(set(), 1) == snapshot("1 more approval needed: the policy now needs more")


OUT_OF_ORDER = Reason(Exchange.READ_ANSWERED, status=500).saying("Out of order")


def test_what_a_service_said_before_anything_was_sent_is_a_reason_of_its_own() -> None:
    said = answered(ServiceNow("payments", Reason(Exchange.READ_ANSWERED, status=500), words="Out of order"))
    assert worded(said) == "payments answered 500, saying “Out of order”"
    assert not has_code(said, OfRequest.HELD, OfRequest.UNANSWERED, OfRequest.ON_HOLD)
    assert not_what_it_said(said) is None
    assert not_what_it_said(Reason(OfRequest.ASK_AGAIN)) == Reason(OfRequest.ASK_AGAIN)
    assert answered(ServiceNow("payments", OUT_OF_ORDER)) == said, "of a list"


def test_a_service_that_said_nothing_leaves_the_reason_as_it_is() -> None:
    for reason in (
        Reason(Exchange.READ_ANSWERED, status=500),
        Reason(Exchange.NO_ANSWER, failure="timed out"),
        Reason(Exchange.UNREADABLE, problem=""),
    ):
        assert answered(ServiceNow("payments", reason)) is None


FACTS: dict[Odd, tuple[str, ...]] = {
    Odd.CHANGED_ROW: ("7",), Odd.GAP: ("9",), Odd.STATE: ("needs_human",), Odd.VOTES: ("U0ADA",),
}  # fmt: skip


def told(*found: tuple[Odd, tuple[str, ...]]) -> str:
    return worded(Reason(OfRequest.DISAGREES, found=found))


def test_each_way_has_its_words() -> None:
    assert lines_of(told(*((odd, FACTS.get(odd, ())) for odd in Odd)).split("; ")) == snapshot("""\
the audit log has no request for it
row 7 of the audit was changed
the audit log breaks off at row 9
it isn't what was requested
its requester or time is different
it needs fewer approvals than it did
its state was changed without an audit entry
its state in the audit: needs a decision
its send attempts differ from the audit log
its provider ID is different
its send window is different
an approval has no audit entry
the amount reserved from the daily limit doesn't match what was sent
its payments differ from those requested""")


def test_several_rows_and_votes_are_told_as_several() -> None:
    assert told((Odd.CHANGED_ROW, ("7", "9")), (Odd.VOTES, ("U0ADA", "U0LIN"))) == snapshot(
        "rows 7, 9 of the audit were changed; 2 approvals have no audit entry"
    )
