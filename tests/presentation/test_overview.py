"""What is said to who runs it: within Slack's limits, calling nobody, whatever names and states there are."""

import re
from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.approvals import No
from bot.domain.overview import Assumption, Counts, Overview, Running, ServiceStatus, UnderWay, WaitingRequest, What
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State, Vote
from bot.domain.policy import Frozen
from bot.domain.reasons import Reason, Verbatim
from bot.playground.workspace.limits.surfaces import checked_view
from bot.presentation import overview
from tests.domain.made import NOW
from tests.presentation.checks import calls_in, check_markup, check_message, check_with_sdk
from tests.presentation.drawn import APPROVALS, foreign, instructions, votes

KINDS = ("localization.media", "localization.text", "email.run", "email.file")


@given(foreign(), st.integers(min_value=0, max_value=10**9))
def test_the_fullest_status(text: str, count: int) -> None:
    found = Overview(
        services=[
            ServiceStatus(name="Payments", missing=("PAYMENTS_BASE_URL",)),
            ServiceStatus(name="E-mail", missing=()),
        ],
        under_way=Counts(
            requests={(kind.value, state.value): count for kind in Kind for state in State if state not in FINAL},
            jobs={(kind, "handing_over"): count for kind in KINDS},
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


@given(st.lists(st.tuples(st.sampled_from([*Kind, *What]), foreign(), foreign()), max_size=60))
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
    calls = {call for call in calls_in(content) if not call.startswith("!date^")}
    assert calls <= {"@U0MARIA", "#C0FINANCE"}


def test_a_long_name_is_cut_at_80_characters() -> None:
    row = Running(what=What.EMAILS, name="n" * 81, state="running", requester="U0MARIA", channel="C0FINANCE", since=NOW)
    said = overview.jobs(UnderWay(rows=[row], total=1))
    assert [len(name) for name in re.findall(r"\* (n+[^:]*): running", said.text)] == [80]


def test_many_assumptions_fit() -> None:
    found = [
        Assumption(name=f"payments.operation_{n}", method="POST", path="/x" * 60, mark="A2", blocks=n % 3 == 0)
        for n in range(80)
    ]
    check_message(overview.assumptions(found))


SERVICES = [ServiceStatus(name="Payments", missing=("PAYMENTS_BASE_URL",)), ServiceStatus(name="E-mail", missing=())]


@given(
    st.lists(st.tuples(instructions(), votes(5)), max_size=12),
    st.lists(st.tuples(st.sampled_from(What), foreign()), max_size=12),
)
def test_any_view(found: list[tuple[Instruction, list[Vote]]], running: list[tuple[What, str]]) -> None:
    view = overview.view(
        waiting=[WaitingRequest(one, voted, mine=True) for one, voted in found],
        asked=found,
        running=[
            Running(what=what, name=text, state=text, requester="", channel="D0MARIA", since=NOW)
            for what, text in running
        ],
        services=SERVICES,
        approvals_channel=APPROVALS,
        now=NOW,
    )
    checked_view(view, "home")
    check_with_sdk(view["blocks"])
    check_markup(view["blocks"])


def test_every_refusal_is_a_view() -> None:
    for refusal in (No.UNKNOWN, No.ELSEWHERE, No.GUEST, No.BOT, No.GONE):
        checked_view(overview.closed(refusal), "home")
