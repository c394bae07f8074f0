"""The figures of a process: their bounds, and every label they may have."""

from datetime import UTC, datetime

from inline_snapshot import snapshot

from handlers.measures import Build, Measures


def made() -> Measures:
    build = Build(version="1.2.3", database="sqlite", transport="http")
    return Measures(build=build, started=datetime(2026, 11, 20, 9, 0, tzinfo=UTC))


def ours() -> dict[str, list[tuple[str, dict[str, str], float]]]:
    """Samples by the metric's name, without those of the libraries."""
    return {
        metric.name: [(one.name, one.labels, one.value) for one in metric.samples]
        for metric in made().collect()
        if metric.name.startswith("switchboard_")
    }


def bounds(measures: Measures, name: str) -> list[str]:
    (metric,) = [one for one in measures.collect() if one.name == name]
    return list(dict.fromkeys(one.labels["le"] for one in metric.samples if "le" in one.labels))


def test_the_bounds_of_the_buckets() -> None:
    measures = made()
    measures.service("payments")
    assert " ".join(bounds(measures, "switchboard_service_request_seconds")) == snapshot(
        "0.05 0.1 0.25 0.5 1.0 2.5 5.0 10.0 15.0 20.0 25.0 30.0 60.0 300.0 600.0 +Inf"
    )
    assert " ".join(bounds(measures, "switchboard_ack_seconds")) == snapshot(
        "0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1.0 1.5 2.0 2.5 3.0 +Inf"
    )


def test_what_runs_and_since_when() -> None:
    found = ours()
    assert found["switchboard_build_info"] == snapshot(
        [("switchboard_build_info", {"version": "1.2.3", "database": "sqlite", "transport": "http"}, 1.0)]
    )
    assert found["switchboard_start_time_seconds"] == snapshot([("switchboard_start_time_seconds", {}, 1795165200.0)])


def test_each_event_of_a_closed_set_begins_at_zero() -> None:
    found = {
        name.removeprefix("switchboard_"): sorted(
            " ".join(labels.values()) for sample, labels, value in samples if sample.endswith("_total")
        )
        for name, samples in ours().items()
    }
    slack = found.pop("slack_calls")
    families = ("edit", "file", "form", "lookup", "post", "private")
    ends = ("done", "not_sent", "refused", "too_many_requests", "unknown", "unreachable")
    assert slack == [f"{family} {end}" for family in families for end in ends]
    steps = ("abandoned", "claimed", "done", "not_executed", "sent", "unknown")
    assert {name: labels for name, labels in found.items() if labels} == {
        "too_many_requests": ["slack"],
        "attempts": [f"{kind} {step}" for kind in ("commit", "create") for step in steps],
        "anchors": ["failed", "written"],
    }
