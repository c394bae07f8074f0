"""A file of 5,000 payments through the real process: does its memory stay flat, is every item accounted for?

Run with ``python -m tests.benchmarks.bench_bulk``. Workspace and service live in this process, the bot in one of its
own; ten requests a second are all that the service allows, as documented.
"""

import asyncio
import statistics
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.processes import memory
from tests.benchmarks.ratios import options
from tests.process.approver import Approver
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, POLICY, TOM

LARGEST_MINUTE = 50
"""Edits that Slack documents a minute, of all messages together."""
_EVERY = 0.25
_ENOUGH = 240.0


@dataclass
class Figures:
    """What was seen. Memory in MiB, times in seconds."""

    before: float = 0.0
    requested: float = 0.0
    submitted: float = 0.0
    ended: float = 0.0
    memory: list[float] = field(default_factory=list)
    peak: float = 0.0
    bars: set[str] = field(default_factory=set)
    edits: list[float] = field(default_factory=list)
    summary: str = ""
    requests: Counter[str] = field(default_factory=Counter)
    answers_429: int = 0


def table(count: int) -> bytes:
    """Every tenth recipient has no account, so that money waits in escrow."""
    people = ["ana@example.com" if n % 10 else f"held{n}@example.com" for n in range(count)]
    rows = [f"{email},{n % 90 + 1}.{n % 100:02d},row {n}" for n, email in enumerate(people)]
    return ("email,amount,note\r\n" + "\r\n".join(rows) + "\r\n").encode()


async def run(count: int) -> Figures:
    with tempfile.TemporaryDirectory() as name:
        policy = POLICY.replace('"25000.00"', '"2500000.00"').replace("typed_amount = true", "typed_amount = false")
        scene = await Scene.open(Path(name), policy=policy, simulator={"step_seconds": 1.0}, POLL_SECONDS="2")
        scene.payments.switches.bulk_fail_every = 50
        scene.payments.ledger._balance = scene.payments.ledger.opening_cents = 10**12
        try:
            async with Approver(scene, user=ADA), Approver(scene, user=LIN), Approver(scene, user=TOM):
                return await _measure(scene, count)
        finally:
            await scene.close()


async def _measure(scene: Scene, count: int) -> Figures:
    figures = Figures()
    await scene.pay("approvals")
    figures.before = memory(scene.bot.pid, "VmRSS")
    watching = asyncio.create_task(_watch(scene, figures))
    began = time.monotonic()
    await scene.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
    await scene.workspace.submit(MARIA, {"file": [scene.workspace.upload(MARIA, "march.csv", table(count))]})
    await scene.workspace.until(lambda: bool(scene.cards(APPROVALS)), timeout=_ENOUGH)
    figures.requested = time.monotonic() - began
    await scene.payments.until(lambda: scene.payments.bulk_payments or None, timeout=_ENOUGH)
    figures.submitted = time.monotonic() - began
    told = await scene.workspace.until(  # what is in escrow stays pending
        lambda: next((text for text in scene.news(FINANCE) if "so far" in text), None), timeout=_ENOUGH
    )
    await scene.settled(timeout=60)
    figures.ended = time.monotonic() - began
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    figures.summary = told
    figures.peak = memory(scene.bot.pid, "VmHWM")
    figures.edits = [call.at for call in scene.workspace.calls if call.method == "chat.update"]
    figures.requests = Counter(call.operation for call in scene.payments.calls)
    figures.answers_429 = sum(1 for call in scene.payments.calls if call.status == 429)
    return figures


async def _watch(scene: Scene, figures: Figures) -> None:
    while True:
        figures.memory.append(memory(scene.bot.pid, "VmRSS"))
        for card in scene.cards(FINANCE):
            figures.bars |= {line.split("%")[0][-4:].strip() for line in card.text.splitlines() if "%" in line}
        await asyncio.sleep(_EVERY)


def report(figures: Figures, count: int) -> str:
    growth = figures.peak - figures.before
    edits = max((sum(start <= one < start + 60 for one in figures.edits) for start in figures.edits), default=0)
    return "\n".join(
        [
            f"{count:,} rows; the service allows ten requests a second",
            "",
            "| | |",
            "|---|---|",
            f"| memory before | {figures.before:.0f} MiB |",
            f"| memory, median while it ran | {statistics.median(figures.memory):.0f} MiB |",
            f"| memory, peak | {figures.peak:.0f} MiB (+{growth:.0f}) |",
            f"| read, checked, accounts looked up, on the card | {figures.requested:.1f} s |",
            f"| submitted | {figures.submitted:.1f} s |",
            f"| every item accounted for | {figures.ended:.1f} s |",
            f"| different states of the progress bar seen | {len(figures.bars)} |",
            f"| edits, and in the busiest minute | {len(figures.edits)}, {edits} (allowed {LARGEST_MINUTE}) |",
            f"| requests to the service | {sum(figures.requests.values())}, answered 429: {figures.answers_429} |",
            "",
            figures.summary,
        ]
    )


def main() -> None:
    count = options(__doc__, count=5_000).count
    print(report(asyncio.run(run(count)), count))  # noqa: T201 - its purpose


if __name__ == "__main__":
    main()
