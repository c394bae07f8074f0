"""Requests, votes and texts that Hypothesis draws, with the worst that people and services send."""

from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from bot.domain.payments.instruction import (
    FINAL,
    Instruction,
    Item,
    Kind,
    PayoutPayload,
    PurchasePayload,
    Recipient,
    State,
    Vote,
)
from bot.domain.policy import Repeat, Requirement
from bot.domain.reasons import given, stored
from bot.presentation.payments.kinds import KINDS
from tests.domain.made import NOW, instruction, payload, purchase, vote

PEOPLE = [f"U0{letter * 7}" for letter in "ABCDEFGHIJKLMNOPQRSTUVW"]
REQUESTER = PEOPLE[0]
DECIDER = PEOPLE[1]
APPROVALS = "C0APPROVE"
ORIGIN = "C0FINANCE"

ACTIVE = [
    "<!channel>", "<!here|here>", "<!everyone>", "<@U0VICTIM>", "<@U0VICTIM|ada>", "<#C0SECRET|secret>",
    "<!subteam^S0VICTIM|@all>", "<https://evil.example|login>", "<mailto:a@evil.example|a>", "<!date^0^{date}|x>",
    "&lt;!channel&gt;", "&amp;lt;@U0VICTIM&amp;gt;", "@here @channel @everyone", "https://evil.example/pay",
    "*bold* _it_ ~no~ `code` ```block``` > quote", "\u202eexe.tnemyap\u202c", "\u2066\u2069\u200f\u200b\ufeff",
    "\ud800", "\x00\x07\x1b[31m", "line\r\nline\u2028line\u2029line", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
]  # fmt: skip
"""What would do something if it were let in."""

LONG = st.sampled_from(["&", "<", ">", "é", "\U0001f600", "<!channel> ", "W", "\u0301"]).flatmap(
    lambda unit: st.integers(min_value=1, max_value=1200).map(lambda times: unit * times)
)


def foreign(longest: int | None = None) -> st.SearchStrategy[str]:
    """Text of somebody else."""
    drawn = st.one_of(
        st.text(max_size=60), st.lists(st.sampled_from(ACTIVE), min_size=1, max_size=6).map(" ".join), LONG
    )
    return drawn if longest is None else drawn.map(lambda text: text[:longest])


KEPT_REASONS: st.SearchStrategy[object] = foreign().map(lambda text: stored(given(text)))
"""As rows keep one."""

EMAILS = st.one_of(
    st.just("ana@example.com"),
    st.just(f"{'a' * 50}@{'&' * 8}{'b' * 30}.{'c' * 26}.com"),
    st.just(f"{'x' * 64}@{'y' * 51}.com"),
    st.just("a&b<c>@xn--bcher-kva.example"),
)

RECIPIENTS: st.SearchStrategy[Recipient | None] = st.one_of(
    st.none(),
    st.builds(Recipient, problem=foreign().map(given)),
    st.builds(
        Recipient,
        full_name=st.none() | foreign(),
        active=st.none() | st.booleans(),
        verified=st.none() | st.booleans(),
        primary=st.none() | st.booleans(),
    ),
)

REQUIREMENTS = st.builds(
    Requirement,
    quorum=st.integers(min_value=1, max_value=21),
    typed_amount=st.booleans(),
    reasons=st.lists(
        st.sampled_from(["over $999,999,999,999.99", "the provider doesn't say who it is: one more approver"]),
        max_size=2,
    ).map(tuple),
    repeats=st.lists(
        st.sampled_from(
            [
                Repeat(reference="P-4F7K2M"),
                Repeat(reference="L-4F7K2M", rows=(2,), count=1, theirs=(3, 4)),
                Repeat(reference="L-4F7K2M", rows=tuple(range(9_900, 10_000)), count=10_000),
            ]
        ),
        max_size=20,
    ).map(tuple),
)


@st.composite
def payloads(draw: st.DrawFn) -> PayoutPayload:
    return payload(
        email=draw(EMAILS),
        cents=draw(st.integers(min_value=1, max_value=99_999_999_999_999)),
        description=draw(foreign(500)).encode("utf-8", "replace").decode() or "x",
    )


@st.composite
def instructions(draw: st.DrawFn, state: State | None = None) -> Instruction:
    """A request in a state, or in any; with whatever may stand in its fields then."""
    chosen = state or draw(st.sampled_from(list(State)))
    by_people = chosen in (State.REJECTED, State.WITHDRAWN, State.CLOSED)
    changes: dict[str, Any] = {
        "payload": draw(payloads()), "state": chosen, "requester": REQUESTER, "origin_channel": ORIGIN,
        "requirement": draw(REQUIREMENTS), "recipient": draw(RECIPIENTS),
        "reason": draw(st.none() | foreign().map(given)),
        "decided_by": DECIDER if by_people else draw(st.sampled_from(["", DECIDER])),
        "expires_at": draw(st.none() | st.just(NOW + timedelta(days=1))), "closed_at": NOW if chosen in FINAL else None,
        "commits": draw(st.integers(min_value=0, max_value=2)),
        "remote_id": draw(st.sampled_from([None, "652f7a1e9b3c4d5e6f708192"])),
        "svc_hash": draw(st.just("") | foreign()), "round": draw(st.integers(min_value=1, max_value=3)),
    }  # fmt: skip
    return instruction(**changes)


ITEMS = st.builds(
    Item,
    name=foreign(60).map(lambda text: text.encode("utf-8", "replace").decode() or "x"),
    quantity=st.integers(min_value=1, max_value=9999),
    unit_cents=st.integers(min_value=1, max_value=99_999_999_999_999),
)


@st.composite
def purchases_drawn(draw: st.DrawFn) -> Instruction:
    payload = PurchasePayload(
        email=draw(EMAILS),
        description=draw(foreign(500)).encode("utf-8", "replace").decode() or "x",
        items=tuple(draw(st.lists(ITEMS, min_size=1, max_size=20))),
    )
    return purchase(
        payload=payload, state=draw(st.sampled_from(sorted(KINDS[Kind.PURCHASE].sentences))), requester=REQUESTER,
        origin_channel=ORIGIN, reason=draw(st.none() | foreign().map(given)),
        decided_by=draw(st.sampled_from(["", DECIDER])),
        remote_status=draw(st.sampled_from(["", "created", "CREATED"]) | foreign()),
    )  # fmt: skip


def votes(most: int = 21) -> st.SearchStrategy[list[Vote]]:
    """Voices of different people, none of them the requester's."""
    return st.lists(st.sampled_from(PEOPLE[1:]), unique=True, max_size=most).map(
        lambda people: [vote(person) for person in people]
    )


INVISIBLE = {
    "nothing": "", "blanks": " \t\u00a0\u2003 ", "a joiner": "\u200b\u200d\u2060", "a turn": "\u202e",
    "U+115F": "\u115f", "U+1160": "\u1160", "U+3164": "\u3164", "U+FFA0": "\uffa0", "U+2800": "\u2800",
    "U+1D159": "\U0001d159", "unassigned": "\u0378", "a mark on nothing": "\u034f\u0301",
    "a mark on what cannot be seen": "\u3164\u0301",
}  # fmt: skip


WHOLE_ANSWER = 40_000
"""Characters of an answer to a command: only its asker sees it, and it is never edited."""


def ours(voters: list[Vote]) -> set[str]:
    """The calls that may appear: people of the request, the two channels, and instants."""
    people = {f"@{person}" for person in (REQUESTER, DECIDER, *(vote.person for vote in voters))}
    moments = {
        f"!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{at:%Y-%m-%d %H:%M} UTC"
        for at in (NOW, NOW + timedelta(days=1))
    }
    return people | {f"#{APPROVALS}", f"#{ORIGIN}"} | moments
