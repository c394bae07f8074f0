"""Every request with an effect: a permit, a claim, one guarded request, and an outcome that is stored."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.clients.circuit import Circuit
from bot.workflows.effect import Permit
from tests.support.rig import Rig

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("seconds", "allowed"), [(0.0, True), (5.0, True), (5.01, False)])
async def test_permit_allows_a_request_within_five_seconds_of_its_claim(
    rig: Rig, seconds: float, allowed: bool
) -> None:
    with Circuit("delivery", clock=rig.clock.boottime, patience=0.0).seat() as seat:
        permit = Permit(rig.switchboard.context, seat)
        assert await permit.take()
        assert not permit.guard(), "nothing is claimed yet"
        assert await permit.claim(lambda _: "row", name="claim", read_back=lambda _: None) == "row"
        rig.clock.advance(seconds)
        assert permit.guard() is allowed


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


def test_permits_are_requested_in_one_place() -> None:
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


def test_every_changing_client_method_takes_a_guard() -> None:
    changing = {
        (name, method.name)
        for name, tree in trees("bot/clients")
        for method in ast.walk(tree)
        if isinstance(method, ast.AsyncFunctionDef) and not method.name.startswith("_")
        for one in ast.walk(method)
        if isinstance(one, ast.Attribute) and one.attr == "_change"
    }
    assert {method for _, method in changing} - guarded() == set()
