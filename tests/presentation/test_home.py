"""The App Home stays within Slack's limits and calls nobody, whatever there is to show."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.approvals import No
from bot.domain.overview import Running, ServiceStatus, WaitingRequest, What
from bot.domain.payments.instruction import Instruction, Vote
from bot.playground.workspace.limits.surfaces import checked_view
from bot.presentation import overview
from tests.domain.made import NOW
from tests.presentation.checks import check_markup, check_with_sdk
from tests.presentation.drawn import APPROVALS, foreign, instructions, votes

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
