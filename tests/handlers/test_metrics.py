"""What Prometheus gets, and the bounds and labels of what a process counts."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.version import version
from handlers.metrics import Measures
from tests.support.clock import MINUTE
from tests.support.deliveries import booked, open_rig
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.scraped import Page
from tests.workflows.calling import call, token
from tests.workflows.looking import approved, newest

DOCUMENT = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
OF_THE_LIBRARIES = {"implementation", "major", "minor", "patchlevel", "version", "le"}
"""Labels whose words are not ours."""


async def page(rig: Rig) -> Page:
    return await Page.of(rig.switchboard.url)


async def test_metrics_hold_no_personal_data(rig: Rig) -> None:
    await rig.pay()
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/metrics") as answer:
        text = await answer.text()
    assert 'switchboard_requests{kind="payout",state="awaiting"} 1.0' in text
    assert "ana@" not in text


@pytest.mark.rig(metrics_token="metrics-token")
async def test_metrics_token_is_required(rig: Rig) -> None:
    async with aiohttp.ClientSession() as session:
        right = "Bearer metrics-token"
        for seen in (None, right[:-1], f"{right}2", "metrics-token", "Bearer métrics", right):
            headers = {} if seen is None else {"Authorization": seen}
            async with session.get(f"{rig.switchboard.url}/metrics", headers=headers) as answer:
                assert answer.status == (200 if seen == right else 401)
                assert ("switchboard_joined" in await answer.text()) is (seen == right)
        async with session.get(f"{rig.switchboard.url}/readyz") as answer:
            assert answer.status == 200


def documented() -> dict[str, tuple[str, frozenset[str]]]:
    """Kind and labels of each metric, by the tables of the document."""
    parts = DOCUMENT.split("| name | type | labels | meaning |\n")[1:]
    rows = [row for part in parts for row in part.partition("\n\n")[0].splitlines()[1:]]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {name.strip("`"): (kind, frozenset(re.findall(r"`(\w+)`", labels))) for name, kind, labels, _ in cells}


@pytest.mark.rig(opened_by=open_rig)
async def test_document_lists_each_metric_with_labels(rig: Rig) -> None:
    """With a booking, a request and a stopped row, no metric is without a value."""
    await booked(rig)
    await rig.pay()
    await stop(rig, await newest(rig))
    found, told = await page(rig), documented()
    assert {name: kind for name, (kind, _) in told.items()} == dict(found.kinds)
    labels: dict[str, set[str]] = {}
    for name, has, _ in found.samples:
        labels.setdefault(name if name in told else re.sub(r"_(bucket|sum|count)$", "", name), set()).update(has)
    assert {name: frozenset(has - {"le"}) for name, has in labels.items()} == {
        name: has for name, (_, has) in told.items()
    }


async def stop(rig: Rig, found: Instruction) -> None:
    """Leave a request alone, as after an internal error."""
    ctx, now = rig.switchboard.context, rig.clock.now()
    await ctx.store.write(
        lambda tx: tx.instructions.touch(found, now=now, due_at=now, lease_owner=ctx.owner, lease_until=now)
    )
    assert await ctx.store.write(lambda tx: tx.steps.stop("instruction", (found.id,), owner=ctx.owner, number="n1"))


async def test_every_word_of_a_label_is_documented(rig: Rig) -> None:
    """So no label can hold a person, an id or a token."""
    await approved(rig)
    await call(rig, "x" * 43)
    known = set(re.findall(r"`(\w+)`", DOCUMENT)) | {*Kind} | {*State}
    words = {
        word
        for _, labels, _ in (await page(rig)).samples
        for label, word in labels.items()
        if label not in OF_THE_LIBRARIES
    }
    assert words <= known


@pytest.mark.parametrize(("kind", "end"), [
    (None, "done"), (FaultKind.LOST, "unknown"), (FaultKind.TOO_MANY, "not_executed"),
    (FaultKind.REFUSED, "not_executed"),
])  # fmt: skip
async def test_attempts_are_counted_by_their_steps(rig: Rig, kind: FaultKind | None, end: str) -> None:
    if kind is not None:
        rig.payments.faults.arm(Fault(kind, "commit_payout"))
    await approved(rig)
    counted = (await page(rig)).counted("switchboard_attempts_total", "kind", "step")
    created = {("create", step): 1.0 for step in ("claimed", "sent", "done")}
    assert counted == created | {("commit", step): 1.0 for step in ("claimed", "sent", end)}


async def test_unsent_attempt_is_abandoned(rig: Rig, tmp_path: Path) -> None:
    await rig.start_again(anchors=tmp_path / "nowhere" / "anchors")
    await rig.pay()
    found = await page(rig)
    counted = found.counted("switchboard_attempts_total", "kind", "step")
    assert {step for _, step in counted} == {"claimed", "abandoned"}
    assert found.counted("switchboard_anchors_total", "outcome").keys() == {("failed",)}


async def test_attempt_with_a_failed_step_is_unknown(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.pay()
    payments: Any = rig.switchboard.context.payments.client

    async def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(payments, "commit_payout", fails)
    await rig.press("approve")
    assert (await page(rig)).value("switchboard_attempts_total", kind="commit", step="unknown") == 1


async def test_calls_are_counted_by_outcome(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "commit_payout"))
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "chat.postMessage"))
    await approved(rig)
    await rig.pass_time(MINUTE, steps=10)
    found = await page(rig)
    requests = found.counted("switchboard_service_requests_total", "service", "outcome")
    assert requests.keys() == {("payments", "done"), ("payments", "too_many_requests")}
    assert found.value("switchboard_service_request_seconds_count", service="payments") == sum(requests.values())
    calls = found.counted("switchboard_slack_calls_total", "family", "outcome")
    assert calls[("post", "too_many_requests")] == 1
    assert calls[("post", "done")] >= 2
    assert calls[("edit", "done")] >= 1
    assert calls[("lookup", "done")] >= 1
    assert found.counted("switchboard_too_many_requests_total", "service") == {("payments",): 1.0, ("slack",): 1.0}


async def test_callbacks_are_counted_by_their_answer(rig: Rig) -> None:
    await approved(rig)
    secret = token((await newest(rig)).id)
    for address in (secret, secret, "x" * 43):
        await call(rig, address)
    await call(rig, secret, "x" * 300_000)
    await call(rig, secret, method="PUT")
    counted = (await page(rig)).counted("switchboard_callbacks_total", "service", "answer")
    assert counted == {("payments", "200"): 2.0, ("payments", "404"): 2.0, ("payments", "413"): 1.0}


async def test_without_the_database_the_process_still_reports_itself(rig: Rig) -> None:
    await approved(rig)
    await rig.switchboard.context.store.close()
    found = await page(rig)
    assert found.value("switchboard_database_readable") == 0
    assert found.value("switchboard_joined") == 1
    assert found.value("switchboard_attempts_total", kind="commit", step="done") == 1
    assert not {"switchboard_requests", "switchboard_waiting"} & found.names


async def test_queue_metrics_show_count_age_and_overdue(rig: Rig) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "talk.wav", b"RIFF....WAVE")
    rig.clock.advance(90)
    found = await page(rig)
    assert found.value("switchboard_waiting", queue="files") == 1
    assert found.value("switchboard_oldest_seconds", queue="files") == 90
    assert 0 < found.value("switchboard_overdue_seconds", queue="files") <= 90
    await rig.settle()
    later = await page(rig)
    assert not later.counted("switchboard_waiting", "queue").keys() & {("files",)}
    assert later.value("switchboard_overdue_seconds", queue="files") == 0


@pytest.mark.postgres
@pytest.mark.rig(on="postgres")
async def test_disk_space_of_a_database_server_is_not_measured(rig: Rig) -> None:
    found = await page(rig)
    assert found.value("switchboard_build_info", version=version(), database="postgresql", transport="http")
    assert {name for name in found.names if "disk" in name} == {"switchboard_disk_low", "switchboard_disk_full"}
    assert found.value("switchboard_waiting", queue="messages") == 0
    assert found.value("switchboard_database_readable") == 1


def made() -> Measures:
    started = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    return Measures(started=started, version="1.2.3", database="sqlite", transport="http")


def ours(measures: Measures) -> dict[str, list[tuple[str, dict[str, str], float]]]:
    """Samples by the metric's name, without those of the libraries."""
    return {
        metric.name: [(one.name, one.labels, one.value) for one in metric.samples]
        for metric in measures.collect()
        if metric.name.startswith("switchboard_")
    }


def test_each_event_of_a_closed_set_begins_at_zero() -> None:
    found = {
        name.removeprefix("switchboard_"): sorted(
            " ".join(labels.values()) for sample, labels, value in samples if sample.endswith("_total")
        )
        for name, samples in ours(made()).items()
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
