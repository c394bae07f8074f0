"""A local Slack workspace: the Web API, events, interactivity, modals and files, without an account."""

from bot.playground.workspace.changes import Subscription
from bot.playground.workspace.errors import ImpossibleAct
from bot.playground.workspace.model import Ack, ApiCall, Button, Change, Channel, Command, Group, Message, User, View
from bot.playground.workspace.workspace import Workspace

__all__ = [
    "Ack",
    "ApiCall",
    "Button",
    "Change",
    "Channel",
    "Command",
    "Group",
    "ImpossibleAct",
    "Message",
    "Subscription",
    "User",
    "View",
    "Workspace",
]
