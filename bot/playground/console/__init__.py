"""The playground's web page and its console API, on top of the local workspace and the simulators."""

from bot.playground.console.console import Console, Guide
from bot.playground.console.panels import FaultChoice, FaultTarget, ServicePanel
from bot.playground.console.payments_panel import PaymentsPanel
from bot.playground.console.workspace_panel import WorkspacePanel

__all__ = ["Console", "FaultChoice", "FaultTarget", "Guide", "PaymentsPanel", "ServicePanel", "WorkspacePanel"]
