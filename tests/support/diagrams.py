"""Generated parts of the documents: layers from the import contracts, states from their machines, usage of commands.

``make diagrams`` writes each between its markers; ``tests/test_documents.py`` compares.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from bot.domain.bookings import booking
from bot.domain.bookings.record import STORE_MOVES
from bot.domain.emails.lists import ROW_BY_ROW, WHOLE_FILE
from bot.domain.localization import progress
from bot.domain.machine import Machine
from bot.domain.payments.instruction import Kind, State
from bot.domain.payments.moves import MACHINES
from handlers.grammar.verbs import SlashCommand
from handlers.registry import COMMANDS

ROOT: Final = Path(__file__).parents[2]
PLACES: Final[Mapping[str, str]] = {
    "layers": "docs/architecture.md",
    "states": "docs/states.md",
    **{command.name: "docs/commands.md" for command in COMMANDS},
}
"""Name of each generated part, and the page that shows it."""

_KINDS: Final[Mapping[Kind, str]] = {
    Kind.PAYOUT: "Payout in two steps",
    Kind.ONE_STEP: "Payout in one step",
    Kind.PURCHASE: "Purchase",
    Kind.BULK: "Bulk payment",
    Kind.BULK_CANCEL: "Cancellation of items",
}
OTHERS: Final[Mapping[str, Machine[Any]]] = {
    "Booking": booking.MOVES,
    "Store": STORE_MOVES,
    "Localization call": progress.MOVES,
    "List of addresses, row by row": ROW_BY_ROW,
    "List of addresses, the whole file": WHOLE_FILE,
}
"""Machines of what is no request about money."""

_ENDS: Final = (State.COMPLETED, State.CANCELED, State.FAILED)
"""States in one frame: an arrow to the frame stands for an arrow to each of them."""


def states() -> str:
    machines = {**{_KINDS[kind]: MACHINES[kind] for kind in Kind}, **OTHERS}
    return "\n".join(f"**{name}**\n\n{_flowchart(machine)}" for name, machine in machines.items())


def layers() -> str:
    """Layers and their rooms, from the contract in ``pyproject.toml`` that has no container."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layered = [contract for contract in contracts if contract["type"] == "layers"]
    house = next(contract["layers"] for contract in layered if "containers" not in contract)
    rooms = {container: one["layers"] for one in layered for container in one.get("containers", ())}
    lines = []
    for level, layer in enumerate(house):
        lines.append(f'  subgraph layer{level}[" "]')
        lines += [
            f'    {module.replace(".", "_")}["{_label(module, rooms.get(module))}"]' for module in _modules(layer)
        ]
        lines.append("  end")
    lines += [f"  layer{level} --> layer{level + 1}" for level in range(len(house) - 1)]
    return fenced("flowchart TB", lines)


def usage(command: SlashCommand) -> str:
    """Table of a command's verbs."""
    rows = [(f"/{command.name} {verb.usage}".replace("|", r"\|"), verb.summary) for verb in command.verbs]
    return "\n".join(["| usage | |", "|---|---|", *(f"| `{line}` | {summary} |" for line, summary in rows), ""])


def _flowchart(machine: Machine[Any]) -> str:
    every: type[StrEnum] = type(next(iter(machine.arrows)))
    found = {one: machine.arrows[one] for one in every if one in machine.arrows}
    arrows = {one: tuple(to for to in every if to in targets) for one, targets in found.items()}
    used = {*arrows, *chain.from_iterable(arrows.values())}
    framed = used.issuperset(_ENDS)
    shapes = {}
    for state in (one for one in every if one in used):
        words = state.replace("_", " ")
        shapes[state] = f"{state}([{words}])" if state in machine.final else f"{state}[{words}]"
    lines = [f"  {shape}" for state, shape in shapes.items() if not (framed and state in _ENDS)]
    if framed:
        lines += ['  subgraph ended["ended at the service"]', *(f"    {shapes[state]}" for state in _ENDS), "  end"]
    for state, targets in arrows.items():
        together = framed and set(_ENDS) <= set(targets)
        drawn = [to for to in targets if not (together and to in _ENDS)] + ["ended"] * together
        lines.append(f"  {state} --> {' & '.join(drawn)}")
    return fenced("flowchart LR", lines)


def _label(module: str, rooms: list[str] | None) -> str:
    if rooms is None:
        folder = ROOT / module.replace(".", "/")
        names = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
        rooms = [" | ".join(names)] if names else []
    return "<br/>".join([f"<b>{module}</b>", *(" · ".join(_modules(room)) for room in rooms)])


def _modules(layer: str) -> list[str]:
    return [name.strip(" ()") for name in re.split(r"[|:]", layer)]


def fenced(kind: str, lines: list[str]) -> str:
    return "\n".join(["```mermaid", kind, *lines, "```", ""])


DIAGRAMS: Final[Mapping[str, Callable[[], str]]] = {
    "layers": layers,
    "states": states,
    **{command.name: partial(usage, command) for command in COMMANDS},
}


def shown(name: str) -> tuple[Path, str]:
    """Page of a diagram, and what the page should say as a whole."""
    page = ROOT / PLACES[name]
    return page, replaced(page, name, DIAGRAMS[name]())


def replaced(page: Path, name: str, drawn: str) -> str:
    """Text of a page with a generated part replaced."""
    marked = re.compile(rf"(<!-- drawn: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    text, count = marked.subn(lambda found: found[1] + drawn + found[2], page.read_text())
    if count != 1:
        raise ValueError(f"{page} needs the markers of '{name}' once, has them {count} times")
    return text


def write() -> Iterator[Path]:
    for name in DIAGRAMS:
        page, text = shown(name)
        if text != page.read_text():
            page.write_text(text)
            yield page


if __name__ == "__main__":
    for changed in write():
        print(changed)  # noqa: T201 - a command's output
