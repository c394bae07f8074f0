"""A file of 5,000 payments through the real process: does its memory stay flat, is every item accounted for?

Run with ``python -m tests.benchmarks.bench_bulk``. Workspace and service live in this process, the bot in one of its
own; ten requests a second are all that the service allows, as documented.
"""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.processes import memory
from tests.benchmarks.ratios import options
from tests.process.approver import Approver
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, POLICY, TOM

_ENOUGH = 240.0


@dataclass
class Figures:
    """Memory in MiB, times in seconds."""

    before: float = 0.0
    requested: float = 0.0
    submitted: float = 0.0
    ended: float = 0.0
    peak: float = 0.0
    summary: str = ""
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
    figures.summary = told
    figures.peak = memory(scene.bot.pid, "VmHWM")
    figures.answers_429 = sum(1 for call in scene.payments.calls if call.status == 429)
    return figures


def report(figures: Figures, count: int) -> str:
    return "\n".join(
        [
            f"{count:,} rows; the service allows ten requests a second, answered 429: {figures.answers_429}",
            "",
            "| | |",
            "|---|---|",
            f"| memory before | {figures.before:.0f} MiB |",
            f"| memory, peak | {figures.peak:.0f} MiB (+{figures.peak - figures.before:.0f}) |",
            f"| read, checked, accounts looked up, on the card | {figures.requested:.1f} s |",
            f"| submitted | {figures.submitted:.1f} s |",
            f"| every item accounted for | {figures.ended:.1f} s |",
            "",
            figures.summary,
        ]
    )


def main() -> None:
    count = options(__doc__, count=5_000).count
    print(report(asyncio.run(run(count)), count))  # noqa: T201 - its purpose


if __name__ == "__main__":
    main()
