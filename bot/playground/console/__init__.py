"""The playground's web page and its console API, on top of the local workspace and the simulators."""

from bot.playground.console.console import Console, Guide
from bot.playground.console.panels import FaultChoice, Operation, ServicePanel
from bot.playground.console.payments_panel import PaymentsPanel
from bot.playground.console.workspace_panel import WorkspacePanel

__all__ = ["Console", "FaultChoice", "Guide", "Operation", "PaymentsPanel", "ServicePanel", "WorkspacePanel"]
