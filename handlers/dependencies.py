"""Dependencies of every handler. Built once by the composition root."""

from dataclasses import dataclass

from bot.slack.messenger import Ephemerals, Messenger
from bot.workflows.context import Context
from handlers.allowance import Allowance


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The workflows' context and the ways to answer.

    Attributes:
        allowance: rate limit of commands per user.
        command_prefix: what every slash command begins with after its slash.
    """

    ctx: Context
    messenger: Messenger
    ephemerals: Ephemerals
    allowance: Allowance
    command_prefix: str = ""

    def spelled(self, command: str) -> str:
        """A command as users type it here, e.g. ``/sb-pay``."""
        return f"/{self.command_prefix}{command}"
