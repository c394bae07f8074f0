"""Whatever there is to show is within Slack's limits and calls nobody but its own people."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.approvals import No, Refusal
from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.home import Control, Home, Listed, Paged, Start, StoreLoad, Way, Work
from bot.domain.overview import Counts, Overview, Running, ServiceStatus, UnderWay, WaitingRequest, What
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State, Vote
from bot.domain.policy import Channels, Frozen, Policy, Short
from bot.domain.reasons import Reason, Verbatim
from bot.playground.workspace.limits.surfaces import checked_view
from bot.presentation import home, notices, overview, views
from bot.presentation.answers import mistakes
from bot.presentation.payments import answers, cards, forms
from bot.presentation.payments.kinds import KINDS
from tests.domain.made import NOW
from tests.presentation import drawn as draws
from tests.presentation.checks import calls_in, check_markup, check_message, check_view, check_with_sdk

REQUESTS = draws.instructions() | draws.purchases_drawn()


def check(content: Content, voters: list[Vote], **limits: int) -> None:
    check_message(content, **limits)
    assert calls_in(content) <= draws.ours(voters)


REASONS = st.tuples(draws.KEPT_REASONS, draws.foreign())


@given(draws.instructions(), draws.votes(), st.booleans(), st.sampled_from(["", draws.ORIGIN]), st.booleans())
def test_cards_and_reminders(one: Instruction, cast: list[Vote], approvers: bool, invite: str, buttons: bool) -> None:
    here = draws.APPROVALS
    card = cards.card(one, cast, for_approvers=approvers, approvals_channel=here, invite_to=invite, buttons=buttons)
    check(card, cast)
    reminder = cards.reminder(one, cast, {"approvers": [draws.DECIDER, "S0TREASURY"]})
    check_message(reminder)
    assert calls_in(reminder) <= draws.ours(cast) | {"!subteam^S0TREASURY"}


@given(REQUESTS, draws.votes(), st.sampled_from(list(State)), REASONS, st.sampled_from(["", draws.DECIDER]))
def test_news(one: Instruction, cast: list[Vote], state: State, reason: tuple[object, str], by: str) -> None:
    facts = {"state": state.value, "reason": reason[0], "svc_hash": reason[1], "decided_by": by}
    check(cards.news(one, {**facts, "voters": [vote.person for vote in cast]}), cast)


@given(REQUESTS, st.sampled_from(sorted(KINDS[Kind.PAYOUT].topics)), REASONS, st.sampled_from(["", draws.APPROVALS]))
def test_alerts(one: Instruction, topic: str, reason: tuple[object, str], channel: str) -> None:
    facts = {"topic": topic, "reason": reason[0], "channel": channel}
    check(cards.alert(one, facts), [])
    content = cards.alert(one, facts, names={draws.REQUESTER: "Maria"}, approvers=[draws.DECIDER])
    decides = set() if one.kind is Kind.PURCHASE else {f"@{draws.DECIDER}"}
    assert calls_in(content) <= decides | {f"#{draws.APPROVALS}"}, "nobody decides about a purchase"


@given(draws.foreign(), st.booleans(), st.booleans(), st.integers(min_value=1, max_value=20))
def test_reasons_that_stop_all_payments_are_shown(text: str, changed: bool, asked: bool, needed: int) -> None:
    reason, people = Reason(Verbatim.GIVEN, text=text), [draws.DECIDER, draws.REQUESTER]
    frozen = Frozen(by=draws.DECIDER, reason=reason, at=NOW.isoformat(), lifting=(draws.REQUESTER,))
    for content in (
        notices.notice({"topic": "frozen", "by": draws.DECIDER, "reason": text, "command": "/pay"}),
        notices.notice({"topic": "unfrozen", "by": people}),
        *(answers.freezing(one, changed=changed, asked_to_freeze=asked, needed=needed) for one in (frozen, None)),
        answers.refused_while_frozen(frozen),
    ):
        check(content, [])


@given(REQUESTS, draws.votes(), st.booleans(), st.sampled_from([*No, *Refusal]))
def test_answers(one: Instruction, cast: list[Vote], member: bool, refusal: No | Refusal) -> None:
    requested, refused = answers.requested(one, member=member), answers.refused(refusal, one)
    shown = answers.shown_to(one, cast, approvals_channel=draws.APPROVALS)
    for content in (requested, refused, shown):
        check(content, cast)
    assert not [block for block in shown.blocks if block["type"] == "actions"]
    for content in (requested, refused):
        check_view(views.notice("Not done", content.text))


@settings(max_examples=20)
@given(st.lists(st.tuples(draws.instructions(), draws.votes(8), st.booleans()), max_size=20))
def test_waiting_requests_are_listed(found: list[tuple[Instruction, list[Vote], bool]]) -> None:
    waiting = [WaitingRequest(one, cast, mine) for one, cast, mine in found]
    every_vote = [vote for _, cast, _ in found for vote in cast]
    check(answers.waiting(waiting), every_vote, longest=draws.WHOLE_ANSWER)


@given(
    st.lists(
        st.builds(
            PersonError, argument=draws.foreign(), rule=draws.foreign(), example=draws.foreign(), given=draws.foreign()
        ),
        min_size=1,
        max_size=5,
    )
)
def test_mistakes(errors: list[PersonError]) -> None:
    check(mistakes(errors), [], longest=draws.WHOLE_ANSWER)


def test_long_errors_are_split_without_loss() -> None:
    content = mistakes([PersonError(argument="&" * 900, rule="<" * 900, example=">" * 900, given="&" * 900)] * 4)
    check_message(content, longest=draws.WHOLE_ANSWER)
    assert "\n".join(block["text"]["text"] for block in content.blocks) == content.text


@given(draws.instructions())
def test_forms_about_a_request(instruction: Instruction) -> None:
    metadata = forms.about(instruction, channel=draws.APPROVALS, ts="1700000000.000100")
    for make in (forms.approve, forms.reject, forms.withdraw, forms.retry, forms.close):
        check_view(make(instruction, metadata=metadata))


CALLS = ("localization.media", "localization.text", "localization.document", "localization.batch")
JOBS = (*CALLS, "email.run", "email.file", "check.bulk")


@given(draws.foreign(), st.integers(min_value=0, max_value=10**9))
def test_largest_status_fits(text: str, count: int) -> None:
    found = Overview(
        services=[
            ServiceStatus(name="Payments", missing=("PAYMENTS_BASE_URL",)),
            ServiceStatus(name="E-mail", missing=()),
        ],
        under_way=Counts(
            requests={(kind.value, state.value): count for kind in Kind for state in State if state not in FINAL},
            jobs={(kind, "handing_over"): count for kind in JOBS},
            bookings=dict.fromkeys(("new", "sending", "unknown", "lost", "waiting", "open"), count),
        ),
        oldest={
            "messages": NOW - timedelta(seconds=count % 10**6),
            "callbacks": None,
            "webhooks": NOW + timedelta(seconds=5),
            "files": NOW,
        },
        frozen=Frozen(by="U0ADA", reason=Reason(Verbatim.GIVEN, text=text), at=NOW.isoformat()),
        blocking=count,
    )
    content = overview.status(found, command="/switchboard", now=NOW)
    check_message(content)
    assert calls_in(content) == {"@U0ADA"}


@given(st.lists(st.tuples(st.sampled_from([*Kind, *What]), draws.foreign(), draws.foreign()), max_size=60))
def test_any_number_of_jobs(drawn: Sequence[tuple[Kind | What, str, str]]) -> None:
    found = [
        Running(
            what=what,
            name=name,
            state=state if isinstance(what, What) else State.COMMITTED.value,
            requester="U0MARIA",
            channel="C0FINANCE",
            since=NOW,
        )
        for what, name, state in drawn
    ]
    content = overview.jobs(UnderWay(rows=found, total=len(found)))
    check_message(content)
    assert {call for call in calls_in(content) if not call.startswith("!date^")} <= {"@U0MARIA", "#C0FINANCE"}


def test_long_name_is_cut_at_80_characters() -> None:
    row = Running(what=What.EMAILS, name="n" * 81, state="running", requester="U0MARIA", channel="C0FINANCE", since=NOW)
    said = overview.jobs(UnderWay(rows=[row], total=1))
    assert [len(name) for name in re.findall(r"\* (n+[^:]*): In progress", said.text)] == [80]


SERVICES = [ServiceStatus(name="Payments", missing=("PAYMENTS_BASE_URL",)), ServiceStatus(name="E-mail", missing=())]
LINK = "https://example.slack.com/archives/C0APPROVE/p1700000000000100"
POLICY = Policy(channels=Channels(approvals=draws.APPROVALS))


@given(
    st.lists(st.tuples(draws.instructions(), draws.votes(5)), max_size=12),
    st.lists(st.tuples(st.sampled_from(What), draws.foreign()), max_size=10),
    draws.foreign(),
)
def test_any_view(found: list[tuple[Instruction, list[Vote]]], works: list[tuple[What, str]], text: str) -> None:
    listed = [Listed(replace(one, id=f"{n:026}"), voted, LINK) for n, (one, voted) in enumerate(found)]
    running = [
        Running(what=what, name=name, state=name, requester="U0ADA", channel="D0MARIA", since=NOW)
        for what, name in works
    ]
    people = [f"U0{number}" for number in range(25)]
    short = [(one, Short(needs=2, can=1)) for one in listed[:5]]
    control = Control(sent_today=100, approvers=people, out_of_reach=short, failed=listed[:5])
    drawn = Home(
        user="U0MARIA", decides=True, starts=frozenset(Start), waiting=Paged.of(listed, 2, lambda rows: rows),
        own=Paged.of(listed, 1, lambda rows: rows), ended=listed[:10],
        stores=[StoreLoad(store=text, ways=dict.fromkeys(Way, 3), late=1) for _ in range(30)],
        works=[Work(one, "job:1", is_over=False, link=LINK) for one in running], services=SERVICES,
        frozen=Frozen(by="U0OLGA", reason=Reason(Verbatim.GIVEN, text=text), at=""), control=control, is_new=True,
    )  # fmt: skip
    view = home.draw(drawn, POLICY, NOW)
    checked_view(view, "home")
    check_with_sdk(view["blocks"])
    check_markup(view["blocks"])


def test_every_refusal_is_a_view() -> None:
    for refusal in (No.UNKNOWN, No.ELSEWHERE, No.GUEST, No.BOT, No.GONE):
        checked_view(home.draw(refusal, POLICY, NOW), "home")
