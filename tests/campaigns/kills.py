"""``kill -9`` of the real process at random instants, on SQLite: rounds of some kills, each with its own database."""

import asyncio
import random
import shutil
import tempfile
import time
from collections import Counter
from concurrent.futures import as_completed
from pathlib import Path

from tests.campaigns.books import broken
from tests.campaigns.results import Ledger, Piece
from tests.campaigns.traffic import Typist, Witness
from tests.process.ends import all_is_over
from tests.process.scene import Scene
from tests.support.crews import Processes
from tests.support.rig import ADA
from tests.support.scratch import scratch

CAMPAIGN = "kills on SQLite"
KILLS = 40
"""Kills of a round."""
_LONGEST_START, _LONGEST_WORK, _LONGEST_PAUSE = 1.5, 1.5, 7.0
_STILLBORN, _FROZEN = 0.25, 0.06
"""Shares of lives that end while starting, and that are paused before they end."""
_PATIENCE = 300.0
START_SECONDS = 300.0
"""Seconds for a start; generous, because many start at once. The speed of a start is measured elsewhere."""


def campaign(ledger: Ledger, *, kills: int, at_once: int, first: int = 0) -> None:
    done = ledger.done(CAMPAIGN)
    wanted = [number for number in range(first // KILLS, -(-(first + kills) // KILLS)) if number * KILLS not in done]
    with Processes(at_once) as pool:
        for future in as_completed([pool.submit(play, number, KILLS) for number in wanted]):
            keep(ledger, future.result())


MOST_TOLD = 20


def keep(ledger: Ledger, piece: Piece) -> None:
    ledger.add(piece)
    print(f"{time.strftime('%H:%M:%S')} {piece.campaign} {piece.first}: {dict(piece.counts)}", flush=True)  # noqa: T201
    for violation in piece.violations:
        print(f"    {violation}", flush=True)  # noqa: T201


def play(number: int, kills: int) -> Piece:
    folder = Path(tempfile.mkdtemp(prefix=f"kills-{number}-", dir=scratch()))
    piece = asyncio.run(_round(number, kills, folder))
    if not piece.violations:
        shutil.rmtree(folder)  # otherwise it is kept for inspection
    return piece


async def _round(number: int, kills: int, folder: Path) -> Piece:
    started = time.monotonic()
    chance = random.Random(number)  # noqa: S311 - repeatable on purpose
    counts: Counter[str] = Counter()
    scene = await Scene.open(folder, start=False)
    await scene.bot.start()
    await scene.bot.ready(timeout=START_SECONDS)
    typist, witness = Typist(scene, random.Random(-number - 1)), Witness(scene, user=ADA)  # noqa: S311
    violations: list[str] = []
    try:
        async with asyncio.timeout(_PATIENCE * 2 + kills * 20):
            async with witness:
                async with typist.typing():
                    await _torment(scene, chance, kills, counts)
                accepted = sum(one.accepted for one in typist.typed)
                await scene.workspace.until(lambda: all_is_over(scene, at_least=accepted), timeout=_PATIENCE)
                await scene.settled()
    except (TimeoutError, AssertionError) as stuck:
        violations.append(f"no end: {type(stuck).__name__}: {str(stuck)[:1000]}")
    try:
        await scene.bot.stop()
        url = f"sqlite+aiosqlite:///{scene.database}"
        violations += await broken(scene, url, typed=typist.typed, witness=witness)
        if scene.bot.stderr:
            violations.append(f"it wrote to standard error: {scene.bot.stderr[:300]}")
        if "Traceback" in scene.bot.stdout:
            violations.append(f"a traceback: {scene.bot.stdout.partition('Traceback')[2][:600]}")
    finally:
        await scene._stack.aclose()
    counts |= {"asked": len(typist.typed), "approvals": len(witness.acknowledged)}
    counts["paid"] = sum(scene.executions().values())
    return Piece(
        campaign=CAMPAIGN,
        first=number * kills,
        runs=kills,
        seconds=time.monotonic() - started,
        violations=tuple(f"round {number} ({folder}): {one}" for one in violations[:MOST_TOLD]),
        counts=dict(counts),
    )


async def _torment(scene: Scene, chance: random.Random, kills: int, counts: Counter[str]) -> None:
    for _ in range(kills):
        if chance.random() < _STILLBORN:
            await asyncio.sleep(chance.uniform(0, _LONGEST_START))  # the instant is what is random
            counts["killed while starting"] += 1
        else:
            await scene.bot.ready(timeout=START_SECONDS)
            await asyncio.sleep(chance.uniform(0, _LONGEST_WORK))
            counts["killed at work"] += 1
        if chance.random() < _FROZEN:
            scene.bot.pause()
            await asyncio.sleep(chance.uniform(0, _LONGEST_PAUSE))
            counts["stood still"] += 1
            if chance.random() < 0.5:
                scene.bot.resume()
                await asyncio.sleep(chance.uniform(0, _LONGEST_WORK))
        await scene.bot.kill()
        await scene.bot.start()
    await scene.bot.ready(timeout=START_SECONDS)
