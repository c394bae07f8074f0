"""Every kind of fault at every kind of effect, random histories, and shortcuts that both must find."""

import sys
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.world.campaign import Crew, Report, single_faults, unmet
from tests.world.flows import FLOWS
from tests.world.history import Broken
from tests.world.machine import FIGURES, Payouts
from tests.world.mutants import HUNTED, MUTANTS
from tests.world.plans import Plan, covering, together
from tests.world.seams import sewn

FOUND = {
    "the request was stored, the answer said to ask again": "callback: write/request#1=commit_unknown",
    "a card found again after a lost answer never followed": "callback: slack/chat.postMessage#2=done_dropped",
    "a message was posted twice when the search for it was refused": (
        "callback: slack/chat.postMessage#3=done_dropped, slack/conversations.replies#1=too_many"
    ),
    "a card was posted twice when Slack once denied its conversation": (
        "outsider: slack/chat.postMessage#3=done_500, slack/conversations.history#1=refused"
    ),
    "a withdrawn request was held for itself": "overtaken: payments/get_operation#2=refused",
    "a process that was to die of two requests at once died of the first": (
        "close: slack/usergroups.list#1=error_500, slack/users.info#1=crash_after, slack/usergroups.list#3=crash_after"
    ),
    "a process that was to die of a commit whose connection broke before": (
        "one step unknown: payments/list_operations#1=too_many, write/posted#5=commit_unknown, "
        "write/posted#6=crash_after"
    ),
    "a card was posted twice when the search for it failed": (
        "callback: slack/chat.postMessage#2=done_500, slack/conversations.history#1=error_500"
    ),
}
"""Plans that once found a violation; the campaign draws these pairs only occasionally."""
HUNT = settings(FIGURES, max_examples=150, stateful_step_count=15, phases=[Phase.generate])
"""Several times what it takes to find any of them; a hunt ends at the first find."""


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    """Worker processes: their start takes longer than most of their work."""
    with Crew() as hired:
        yield hired


@pytest.fixture
def silence() -> Iterator[None]:
    def drop(*_: object) -> str:
        raise structlog.DropEvent

    before = structlog.get_config()
    structlog.configure(processors=[drop], logger_factory=structlog.ReturnLoggerFactory())
    yield
    structlog.configure(**before)


@pytest.mark.timeout(900)
def test_single_faults(crew: Crew, capsys: pytest.CaptureFixture[str]) -> None:
    """Three of them per run, far from each other: a third of the runs; ``make chaos`` runs each one alone."""
    references = crew.run([Plan(flow) for flow in FLOWS])
    assert not references.broken, references.table()
    report = crew.run(together(covering(single_faults(references.outcomes)), at_once=3))
    report.outcomes += crew.run(unmet(report.outcomes)).outcomes
    with capsys.disabled():
        sys.stdout.write(f"\n{report.table()}\n")
    assert not report.broken


@pytest.mark.timeout(600)
def test_plans_that_found_a_violation_hold(crew: Crew) -> None:
    report = crew.run([Plan.parse(text) for text in FOUND.values()])
    assert not report.broken, report.table()


@pytest.fixture(scope="module")
def reports(crew: Crew) -> dict[str, Report]:
    return crew.run_mutants({name: mutant.plans for name, mutant in MUTANTS.items()})


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", MUTANTS)
def test_plan_finds_shortcut(name: str, reports: dict[str, Report]) -> None:
    report = reports[name]
    codes = {violation.partition(":")[0] for outcome in report.outcomes for violation in outcome.violations}
    assert MUTANTS[name].breaks in codes, report.table()


@pytest.mark.usefixtures("silence")
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("examples", [15, pytest.param(200, marks=pytest.mark.campaign)])
def test_random_histories_keep_every_promise(examples: int) -> None:
    with sewn(threads=examples > 15):
        run_state_machine_as_test(Payouts, settings=settings(FIGURES, max_examples=examples))


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("silence")
@pytest.mark.parametrize("name", HUNTED)
def test_random_histories_find_shortcut(name: str) -> None:
    hunt = HUNTED[name]
    # A rule that is None is drawn no more.
    hunted = type("Hunted", (Payouts,), {"takes_to_the_end": False, **dict.fromkeys(hunt.without)})
    with sewn(), hunt.change(), pytest.raises((Broken, BaseExceptionGroup)) as found:
        run_state_machine_as_test(hunted, settings=HUNT)
    assert any(f"{hunt.breaks}: " in told for told in broken(found.value)), found.value


def broken(error: BaseException) -> list[str]:
    """The promises an error tells of; Hypothesis wraps one whose repetition went another way."""
    own = [str(error)] if isinstance(error, Broken) else []
    return own + [told for inner in getattr(error, "exceptions", ()) for told in broken(inner)]
