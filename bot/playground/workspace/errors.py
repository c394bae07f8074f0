"""Errors of the workspace: refusals of the Web API, and acts that are impossible in a real client.

``ApiRefusal`` leaves the Web API as ``{"ok": false, "error": name, ...}``. ``ImpossibleAct`` is for the code that
drives the workspace: the act would not be offered by Slack's clients, so the test or the page is wrong.
"""

from collections.abc import Mapping
from typing import Any


class ApiRefusal(Exception):
    """A Web API method refused, with Slack's own error name and its additional response fields."""

    def __init__(self, name: str, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__(name)
        self.name = name
        self.fields: dict[str, Any] = dict(fields or {})

    @classmethod
    def explained(cls, name: str, messages: list[str]) -> "ApiRefusal":
        """A refusal that lists what is wrong, each with its place, as Slack does for blocks and views."""
        marked = [f"[ERROR] {message}" for message in messages]
        fields: dict[str, Any] = {"response_metadata": {"messages": marked}}
        if name == "invalid_blocks":
            fields["errors"] = messages
        return cls(name, fields)

    def body(self) -> dict[str, Any]:
        """The JSON answer."""
        return {"ok": False, "error": self.name, **self.fields}


class ImpossibleAct(AssertionError):
    """No Slack client offers this act to this person; the message has the reason, and alternatives if useful."""
