"""Every request with an effect: a permit, a claim, one guarded request, and an outcome that is stored."""

import ast
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from bot.clients.calls import FULL, RESTS
from bot.clients.circuit import Circuit
from bot.clients.transport import Guard
from bot.domain.outcome import Done, NotExecuted
from bot.workflows.context import Unit
from bot.workflows.effect import Permit, asked, once
from storage.errors import CommitUnknown, StorageBusy
from tests.support.rig import Rig
from tests.workflows.stumbling import stumble

ROOT = Path(__file__).parents[2]
_FLAG = "effect:test"


def circuit_of(rig: Rig) -> Circuit:
    return Circuit("delivery", clock=rig.clock.boottime, patience=0.0)


def claim(uow: Unit) -> str:
    uow.flags.set(_FLAG, {"claimed": True}, uow.now)
    return "row"


async def claimed(rig: Rig) -> bool:
    return await rig.switchboard.context.read(lambda uow: uow.flags.readable(_FLAG)) is not None


class Sent:
    """One request: how often it was made, and what its guard said."""

    def __init__(self) -> None:
        self.allowed: list[bool] = []

    async def __call__(self, _: str, guard: Guard) -> Done[str]:
        self.allowed.append(guard())
        return Done(value="done")


def store(uow: Unit, row: str, outcome: Done[str]) -> str:
    uow.flags.set(_FLAG, {"stored": outcome.value}, uow.now)
    return f"{row} {outcome.value}"


@pytest.mark.parametrize(("seconds", "allowed"), [(0.0, True), (5.0, True), (5.01, False)])
async def test_a_claim_is_sent_within_five_seconds(rig: Rig, seconds: float, allowed: bool) -> None:
    ctx = rig.switchboard.context
    with circuit_of(rig).seat() as seat:
        permit = Permit(ctx, seat)
        assert await permit.take()
        assert await permit.claim(claim, name="claim", read_back=lambda _: None) == "row"
        rig.clock.advance(seconds)
        assert permit.guard() is allowed


async def test_a_permit_without_a_claim_sends_nothing(rig: Rig) -> None:
    with circuit_of(rig).seat() as seat:
        permit = Permit(rig.switchboard.context, seat)
        assert await permit.take()
        assert not permit.guard()


async def test_the_outcome_is_stored_after_one_request(rig: Rig) -> None:
    sent = Sent()
    found = await asked(rig.switchboard.context, circuit_of(rig), claim, sent, store, name="stored")
    assert found == ("row done", Done(value="done"))
    assert sent.allowed == [True]
    assert await rig.switchboard.context.read(lambda uow: uow.flags.readable(_FLAG)) == {"stored": "done"}


@pytest.mark.parametrize("refusal", [RESTS, FULL], ids=["silent", "busy"])
async def test_a_silent_or_busy_service_gets_no_request_and_nothing_is_claimed(rig: Rig, refusal: NotExecuted) -> None:
    sent, circuit = Sent(), circuit_of(rig)
    with ExitStack() as stack:
        for _ in range(3):
            if refusal is RESTS:
                circuit.silent(circuit.mark())
            else:
                assert await stack.enter_context(circuit.seat()).take()
        assert await asked(rig.switchboard.context, circuit, claim, sent, store, name="stored") == refusal
    assert (sent.allowed, await claimed(rig)) == ([], False)


async def test_without_a_claim_nothing_is_sent(rig: Rig) -> None:
    sent = Sent()

    async def too_late(_: Permit) -> None:
        return None

    ctx, circuit = rig.switchboard.context, circuit_of(rig)
    assert await asked(ctx, circuit, lambda _: None, sent, store, name="stored") is None
    assert await once(ctx, circuit, too_late, sent, store, name="stored") is None
    assert sent.allowed == []


@pytest.mark.parametrize("found", ["row", None])
async def test_a_claim_whose_commit_broke_off_is_read_back(rig: Rig, found: str | None) -> None:
    sent = Sent()
    stumbling = stumble(rig, "claim_stored", CommitUnknown("the connection broke"))
    ended = await asked(
        rig.switchboard.context, circuit_of(rig), claim, sent, store, name="stored", read_back=lambda _: found
    )
    assert not stumbling.errors
    assert (ended is not None, sent.allowed) == ((True, [True]) if found else (False, []))


async def test_an_outcome_is_written_until_it_is_stored(rig: Rig) -> None:
    stumbling = stumble(rig, "stored", StorageBusy("locked"))
    found = await asked(rig.switchboard.context, circuit_of(rig), claim, Sent(), store, name="stored")
    assert (found, stumbling.errors) == (("row done", Done(value="done")), [])


def trees(folder: str) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def guarded() -> set[str]:
    """Methods of clients that take a guard: each makes a request with an effect."""
    return {
        one.name
        for _, tree in trees("bot/clients")
        for one in ast.walk(tree)
        if isinstance(one, ast.AsyncFunctionDef)
        and not one.name.startswith("_")
        and (
            any(f"Unpack[{options}]" in ast.unparse(one.args) for options in ("CallOptions", "EffectOptions"))
            or any(arg.arg == "guard" for arg in one.args.kwonlyargs)
        )
    }


def test_a_permit_is_asked_for_in_one_place() -> None:
    """Payouts, bookings, stores, webhooks: whatever changes something at a service leaves through one function."""
    asking = [
        name
        for folder in ("bot/workflows", "bot/cli", "bot/wiring", "handlers")
        for name, tree in trees(folder)
        for one in ast.walk(tree)
        if isinstance(one, ast.Attribute) and one.attr == "seat"
    ]
    assert asking == ["bot/workflows/effect.py"]


def test_every_request_with_an_effect_is_guarded() -> None:
    methods, bare, seen = guarded(), [], set()
    for folder in ("bot/workflows", "handlers"):
        for name, tree in trees(folder):
            for one in ast.walk(tree):
                if not isinstance(one, ast.Call):
                    continue
                target = one.args[0] if ast.unparse(one.func) == "partial" and one.args else one.func
                if not isinstance(target, ast.Attribute) or target.attr not in methods:
                    continue
                if ast.unparse(target.value).endswith(("client", "payments")):
                    seen.add(target.attr)
                    if target is one.func and all(key.arg != "guard" for key in one.keywords):
                        bare.append(f"{name}:{one.lineno} {target.attr}")
    assert bare == []
    assert {"create_booking", "cancel_booking", "start_search", "create_store", "register_webhook"} <= seen


def test_whatever_a_client_changes_takes_a_guard() -> None:
    changing = {
        (name, method.name)
        for name, tree in trees("bot/clients")
        for method in ast.walk(tree)
        if isinstance(method, ast.AsyncFunctionDef) and not method.name.startswith("_")
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute) and one.attr == "_change"
    }
    assert {method for _, method in changing} - guarded() == set()
