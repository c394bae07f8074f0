"""The alerting rules: each fires once, on what the product itself reports, and none on a healthy one."""

import re
from pathlib import Path
from typing import Any

import pytest

from bot.playground.simulators.payments.dialect import Dialect
from tests.deploy.bad_states import CASES, Observed
from tests.deploy.promtool import ALERTS, BEFORE, Scrape, fires, needs_promtool, run
from tests.deploy.rules import Rule, metrics_of, rules
from tests.support.clock import MINUTE
from tests.support.pages import anchors
from tests.support.rig import Rig
from tests.workflows.looking import approved

ROOT = Path(__file__).parents[2]
NAMES = {"partner.id": "uid", "partner.name": "title", "partner.email": "mail"}
OTHERWISE: dict[str, list[Any]] = {
    "ClockSkew": [pytest.mark.postgres, pytest.mark.rig(on="postgres")],
    "UnreadAnswers": [pytest.mark.rig(simulator={"dialect": Dialect(names=NAMES)}, services="")],
}
"""How the rig of a case differs."""


@needs_promtool
def test_alert_rules_are_valid() -> None:
    assert f"{len(rules())} rules found" in run("check", "rules", str(ALERTS))


def test_every_rule_has_a_bad_state() -> None:
    assert set(CASES) == {rule.name for rule in rules()}


@needs_promtool
async def test_healthy_process_fires_no_alert(rig: Rig, tmp_path: Path) -> None:
    """Payouts are asked for, approved and completed, and a whole day passes."""
    on = Observed(rig)
    await on.scrape()
    for number in range(3):
        rig.add_payees(f"p{number}@example.com")
        await approved(rig, f"send p{number}@example.com {20 + number}.00 rent")
        await rig.payments.advance()
        await rig.payments.delivered()
        await rig.pass_time(MINUTE, steps=2)
        await on.scrape()
    fires(on.scrapes, dict.fromkeys((BEFORE, BEFORE + 5, BEFORE + 90), ()), tmp_path)


@needs_promtool
@pytest.mark.parametrize("rule", [pytest.param(one, id=one.name, marks=OTHERWISE.get(one.name, [])) for one in rules()])
async def test_it_fires_in_its_bad_state_and_nothing_else_does(rig: Rig, rule: Rule, tmp_path: Path) -> None:
    on = Observed(rig)
    await on.scrape()
    await CASES[rule.name](on)
    if not on.is_over:
        await on.scrape()
    bad = BEFORE + len(on.scrapes) - 2
    expected: dict[int, list[str]] = {BEFORE - 1: [], bad + rule.after: [rule.name]}
    if rule.after > 1:
        expected[bad + rule.after - 1] = []
    fires(on.scrapes, expected, tmp_path)


@needs_promtool
def test_unknown_process_is_reported_missing(tmp_path: Path) -> None:
    fires((), {10: ["SwitchboardDown"]}, tmp_path)


async def test_alert_rules_use_existing_metrics(rig: Rig) -> None:
    there = (await Scrape.of(rig.switchboard.url)).metrics
    assert not [(rule.name, metrics_of(rule.expr) - there) for rule in rules() if metrics_of(rule.expr) - there]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.name)
def test_alerts_say_what_to_do(rule: Rule) -> None:
    assert rule.severity in {"page", "ticket"}
    assert rule.after > 0
    assert (rule.summary[-1], rule.description[-1]) == (".", ".")
    page, _, section = rule.runbook.partition("#")
    assert section in anchors(ROOT / page)
    named = set(re.findall(r"\$labels\.(\w+)", rule.summary + rule.description))
    kept = re.search(r"^\w+ by \(([^)]*)\)", rule.expr)
    assert named <= (set(kept[1].split(", ")) if kept else {"job", "instance"})
