"""The app manifest (Slack's schema 2.0.0), built from the code's declarations to request only what is used."""

from typing import Any

from bot.presentation import localization_forms as localization
from bot.presentation.files import offers
from handlers.registry import COMMANDS

SCOPES = (
    "channels:history",  # find a message whose post wasn't answered
    "channels:read",  # check whether the bot is a member of a command's channel
    "chat:write",
    "commands",
    "files:read",  # examine a dropped file and pass it to a service
    "files:write",  # the checkout link of a purchase as a picture, exports, and results of services
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",  # write to a requester in a channel without the bot
    "usergroups:read",  # members of the policy's groups
    "users:read",  # exclude guests, deactivated users and strangers
)
"""Bot scopes, each used by the code."""

WIDER_SCOPES = ("mpim:history", "mpim:read")
"""Optional: detect files dropped in group direct messages."""

ADDRESS_SCOPE = "users:read.email"
"""Optional: pay a person by mention, and recognize an approver who is the recipient by their profile's address."""

EVENTS = (
    "app_home_opened",  # redraw the tab
    "file_deleted",  # remove the offer for it
    "file_shared",
    "message.channels",  # messages with files
    "message.groups",
    "message.im",
    "message.mpim",
)
"""Events of the bot, each used by ``handlers``."""

_NAME = "Switchboard"
_LONG = (
    "Switchboard lets a team run outside services from Slack. People ask for payments with a slash command, "
    "others approve them with a button, and every copy of the card shows what was really observed at the service. "
    "Nothing is sent without approval, and nothing is sent twice."
)


def bot_scopes() -> list[str]:
    return sorted((*SCOPES, *WIDER_SCOPES, ADDRESS_SCOPE))


def manifest(*, public_url: str, socket_mode: bool = False, prefix: str = "") -> dict[str, Any]:
    """Return the manifest in Slack's import format; with Socket Mode it contains no URLs."""
    url = f"{public_url}/slack/events"
    reached: dict[str, Any] = {} if socket_mode else {"url": url}
    subscribed: dict[str, Any] = {} if socket_mode else {"request_url": url}
    return {
        "_metadata": {"major_version": 1, "minor_version": 1},
        "display_information": {
            "name": _NAME,
            "description": "Pay people with approval, without leaving the conversation.",
            "long_description": _LONG,
            "background_color": "#1f7a63",
        },
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": _NAME, "always_online": True},
            "slash_commands": [
                {
                    "command": f"/{prefix}{command.name}",
                    "description": command.summary,
                    "usage_hint": command.hint,
                    "should_escape": True,
                    **reached,
                }
                for command in COMMANDS
            ],
            "shortcuts": [
                {
                    "name": offers.SHORTCUT_NAME,
                    "type": "message",
                    "callback_id": offers.SHORTCUT,
                    "description": "See what Switchboard can do with the files of a message",
                },
                {
                    "name": localization.SHORTCUT_NAME,
                    "type": "message",
                    "callback_id": localization.SHORTCUT,
                    "description": "Translate, summarize or speak the text of a message",
                },
            ],
        },
        "oauth_config": {"scopes": {"bot": bot_scopes(), "bot_optional": sorted((*WIDER_SCOPES, ADDRESS_SCOPE))}},
        "settings": {
            "event_subscriptions": {**subscribed, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **subscribed},
            "org_deploy_enabled": False,
            "socket_mode_enabled": socket_mode,
            "token_rotation_enabled": False,
        },
    }
