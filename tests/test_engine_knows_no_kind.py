"""The engine of requests, and the one of effects, know no kind: what a kind does stands in its record."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = (*sorted((ROOT / "bot/workflows/requests").glob("*.py")), ROOT / "bot/workflows/effect.py")
KINDS = {"payout", "one_step", "purchase", "bulk", "bulk_cancel", "booking", "store", "call", "list", "webhook"}
_ROOMS = ("payments", "bookings", "localization", "emails")


def members() -> set[str]:
    """Names of the members of ``Kind``, and of the classes that belong to one of them."""
    tree = ast.parse((ROOT / "bot/domain/payments/instruction.py").read_text(encoding="utf-8"))
    kind = next(one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == "Kind")
    return {
        one.targets[0].id for one in kind.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
    }


def named(tree: ast.Module) -> Iterator[str]:
    """Members of ``Kind``, payloads and modules of a kind that a file uses."""
    kinds = members()
    for one in ast.walk(tree):
        if isinstance(one, ast.Attribute) and ast.unparse(one.value) == "Kind" and one.attr in kinds:
            yield f"Kind.{one.attr}"
        elif isinstance(one, ast.ImportFrom) and one.module is not None:
            yield from (
                alias.name for alias in one.names if alias.name.startswith(("Bulk", "Cancel", "Payout", "Purchase"))
            )
            room, _, module = one.module.removeprefix("bot.workflows.").partition(".")
            if one.module.startswith("bot.workflows.") and room in _ROOMS:
                yield one.module
            if module and one.module.startswith("bot.domain.payments") and set(module.split("_")) & KINDS:
                yield one.module


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.name)
def test_no_file_of_the_engine_names_a_kind(path: Path) -> None:
    assert list(named(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("one.kind in (Kind.PAYOUT, other)", ["Kind.PAYOUT"]),
        ("from bot.domain.payments.bulk import BulkPayload", ["BulkPayload"]),
        ("from bot.workflows.bookings import book", ["bot.workflows.bookings"]),
        ("from bot.domain.payments.instruction import Kind\nKind(text)", []),
    ],
)
def test_naming_a_kind_is_detected(code: str, found: list[str]) -> None:
    assert list(named(ast.parse(code))) == found
