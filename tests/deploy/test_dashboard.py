"""The dashboard: every panel says what it shows, and asks for what the product reports."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.deploy.promtool import ALERTS, Scrape, check_queries, needs_promtool, run
from tests.deploy.rules import metrics_of
from tests.support.rig import Rig

BOARD: Final[dict[str, Any]] = json.loads(ALERTS.with_name("dashboard.json").read_text(encoding="utf-8"))

WIDTH: Final = 24


def panels() -> list[dict[str, Any]]:
    """All of them but the headings of rows."""
    return [panel for panel in BOARD["panels"] if panel["type"] != "row"]


def queries() -> dict[str, str]:
    asked = {f"{panel['id']}{target['refId']}": target["expr"] for panel in panels() for target in panel["targets"]}
    asked |= {one["name"]: one["expr"] for one in BOARD["annotations"]["list"]}
    # what Grafana puts into a query
    return {name: q.replace("$__rate_interval", "5m").replace("$job", "switchboard") for name, q in asked.items()}


def test_it_is_one_that_grafana_takes() -> None:
    assert isinstance(BOARD["schemaVersion"], int)
    ids = [panel["id"] for panel in BOARD["panels"]]
    assert len(set(ids)) == len(ids)
    taken: set[tuple[int, int]] = set()
    for at in (panel["gridPos"] for panel in BOARD["panels"]):
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken
        assert max(x for x, _ in cells) < WIDTH
        taken |= cells


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: str(panel["title"]))
def test_panel_names_its_content(panel: dict[str, Any]) -> None:
    assert panel["title"]
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"]
    assert panel["targets"]
    assert all('job="$job"' in target["expr"] for target in panel["targets"])


def test_data_source_can_be_chosen() -> None:
    variables = {one["name"]: one["type"] for one in BOARD["templating"]["list"]}
    assert variables == {"datasource": "datasource", "job": "query"}
    text = json.dumps(BOARD)
    assert text.count('"datasource": ') == text.count('"datasource": {"type": "prometheus", "uid": "${datasource}"}')


async def test_dashboard_uses_existing_metrics(rig: Rig) -> None:
    there = (await Scrape.of(rig.switchboard.url)).metrics
    assert not {name: metrics_of(query) - there for name, query in queries().items() if metrics_of(query) - there}


@needs_promtool
def test_its_queries_are_parsed(tmp_path: Path) -> None:
    check_queries(queries(), tmp_path)


@needs_promtool
def test_example_configuration_is_valid() -> None:
    run("check", "config", "--syntax-only", str(ALERTS.with_name("prometheus.yml")))
