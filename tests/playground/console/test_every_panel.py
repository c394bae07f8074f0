"""Every service behind the scenes: each switch of its panel turns on and off, and what is not offered is refused."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.playground.console import PaymentsPanel
from bot.playground.console.delivery_panel import DeliveryPanel
from bot.playground.console.emails_panel import EmailsPanel
from bot.playground.console.localization_panel import LocalizationPanel
from bot.playground.console.service_panel import SimulatorPanel
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.emails import EmailsSimulator
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.simulators.payments import PaymentsSimulator

Panel = SimulatorPanel[Any]
PANELS: dict[str, tuple[Any, type[Panel]]] = {
    "payments": (PaymentsSimulator, PaymentsPanel),
    "delivery": (DeliverySimulator, DeliveryPanel),
    "localization": (LocalizationSimulator, LocalizationPanel),
    "emails": (EmailsSimulator, EmailsPanel),
}
AT_ONCE = {"elsewhere"}
"""Switches that do something once and are not on afterwards."""


@pytest.fixture(params=PANELS)
async def panel(request: pytest.FixtureRequest) -> AsyncIterator[Panel]:
    simulator, kind = PANELS[request.param]
    async with simulator() as running:
        if request.param == "delivery":
            running.add_store("Centro")
        yield kind(simulator=running)


async def test_each_switch_turns_on_and_off(panel: Panel) -> None:
    usual = panel.status().armed
    for operation in panel.operations:
        for choice in operation.faults:
            panel.arm(operation.name, choice.kind, 1)
            assert (choice.kind in {armed.kind for armed in panel.status().armed}) is (choice.kind not in AT_ONCE)
            panel.behave()
            assert panel.status().armed == usual


async def test_unoffered_choice_is_refused(panel: Panel) -> None:
    for operation in ("nothing", *(each.name for each in panel.operations)):
        with pytest.raises(ValueError, match="not offered"):
            panel.arm(operation, "nonsense", 1)
